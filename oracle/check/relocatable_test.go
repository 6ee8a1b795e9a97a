package check

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// A relocatable output that asks for less shared memory than an input's kernel is wrong: the
// final link only adds to it.
func TestRelocatableShared(t *testing.T) {
	planted := 0
	told := func(v Verdict) bool {
		return slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == SharedSize })
	}
	for _, c := range linkedCases(t) {
		o := optionsOf(c)
		if !o.Relocatable {
			continue
		}
		e := editorOf(t, c)
		least := map[string]bool{} // sections that an input has as well, and not empty
		for _, m := range e.modules {
			for i := range m.sections {
				if s := &m.sections[i]; s.kind == cuda.SHTCudaShared && m.ownerOf(s) != nil && s.size > 0 {
					least[s.name] = true
				}
			}
		}
		i := e.section(func(s *section) bool { return least[s.name] && s.size > 0 })
		if i == 0 {
			continue
		}
		if told(Check(inputsOf(c), c.Output, o)) {
			t.Errorf("%s: %s: told already", c.ID(), e.out.sections[i].name)
		}
		planted++
		e.put(e.header(i, shSize), 8, 0)
		v := Check(inputsOf(c), e.bytes, o)
		if !told(v) {
			t.Errorf("%s: %s of no size: %v", c.ID(), e.out.sections[i].name, v)
		}
	}
	if planted == 0 {
		t.Error("no relocatable link with shared memory")
	}
}
