package check

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
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
		for _, m := range e.Modules {
			for i := range m.Sections {
				if s := &m.Sections[i]; s.Kind == cuda.SHTCudaShared && m.OwnerOf(s) != nil && s.Size > 0 {
					least[s.Name] = true
				}
			}
		}
		i := e.section(func(s *image.Section) bool { return least[s.Name] && s.Size > 0 })
		if i == 0 {
			continue
		}
		if told(Check(inputsOf(c), c.Output, o)) {
			t.Errorf("%s: %s: told already", c.ID(), e.out.Sections[i].Name)
		}
		planted++
		e.put(e.header(i, shSize), 8, 0)
		v := Check(inputsOf(c), e.bytes, o)
		if !told(v) {
			t.Errorf("%s: %s of no size: %v", c.ID(), e.out.Sections[i].Name, v)
		}
	}
	if planted == 0 {
		t.Error("no relocatable link with shared memory")
	}
}

// -r of 13.0 and 13.1 gives a shared variable that another module defines all ones for its place and keeps no record, so that
// the final link can't give it one; later releases keep the record.
func TestSharedOfAnotherModule(t *testing.T) {
	const text = `.version 7.8
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 far[256];
.visible .func (.reg .b32 %out) peer(.reg .b32 %in)
{
	.reg .b32 %a, %x;
	mov.u32 %a, far;
	ld.shared.u32 %x, [far+4];
	add.u32 %a, %a, %in;
	ld.shared.u32 %out, [%a];
	add.u32 %out, %out, %x;
	ret;
}
`
	for release, lost := range map[string]bool{"13.0": true, "13.5": false} {
		inputs, output := linkedText(t, release, []string{"-arch=sm_90", "-r"}, text)
		v := Check(inputs, output, Options{Arch: "sm_90", Relocatable: true})
		told := len(v.Findings) > 0 && v.Findings[0].Kind == SharedPlace && v.Findings[0].Symbol == "far"
		if told != lost || v.Agrees() == lost || lost && v.Total != 1 {
			t.Errorf("by %s:\n%s", release, v)
		}
	}
}
