package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
)

// Links in two steps by nvlink 13.0.88, judged by the objects of the first.
// With -r it carries out what only a final link can know, so some are wrong:
// shared variables lie on each other and no memory is asked for, code reads
// its constants at the place they had in its own bank, and textures have no
// slots.
func TestTwoSteps(t *testing.T) {
	want := map[string][]Kind{
		"doubles/13.0-sm_90-r":       nil,
		"names/13.0-sm_75-r":         nil,
		"parameters/13.0-sm_86-r":    nil,
		"syscalls/13.0-sm_87-r":      nil,
		"tables/13.0-sm_88-r":        nil,
		"weak_objects/13.0-sm_88-r":  nil,
		"cluster/13.0-sm_90-r":       {SharedSize},
		"shared_groups/13.0-sm_80-r": {SharedSize, SharedOverlap},
		"jumps/13.0-sm_75-r":         {SectionBytes},
		"samplers/13.0-sm_90a-r":     {RelocationField, RelocationMissing},
	}
	first := map[string]corpus.Case{}
	for _, c := range linkedCases(t) {
		first[c.ID()] = c
	}
	judged := 0
	for _, c := range linkedCases(t) {
		id, two := strings.CutSuffix(c.ID(), "-final")
		kinds, known := want[id]
		if !two || !known {
			continue
		}
		judged++
		v := Check(inputsOf(first[id]), c.Output, Options{Arch: c.Arch})
		if v.Agrees() != (kinds == nil) {
			t.Errorf("%s: %v", c.ID(), v)
		}
		for _, k := range kinds {
			if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == k }) {
				t.Errorf("%s: no %v among\n%s", c.ID(), k, v)
			}
		}
	}
	if judged < 8 {
		t.Errorf("only %d of %d two-step links in the corpus", judged, len(want))
	}
}

// An image without its debug information is the same program.
func TestStripped(t *testing.T) {
	c := caseOf(t, "calls/13.0-sm_90a")
	e := editorOf(t, c)
	for i := range e.out.sections {
		s := &e.out.sections[i]
		name := strings.TrimPrefix(strings.TrimPrefix(s.name, ".rela"), ".rel")
		if !strings.HasPrefix(name, ".debug_") {
			continue
		}
		clear(e.bytes[e.header(i, 0):e.header(i, 64)])
		clear(e.bytes[s.offset : s.offset+s.size])
	}
	if v := Check(inputsOf(c), e.bytes, Options{Arch: c.Arch}); !v.Agrees() {
		t.Error(v)
	}
	if v := Check(inputsOf(c), e.bytes, Options{Arch: c.Arch, Strict: true}); v.Agrees() {
		t.Error("accepted as nvlink's own")
	}
}

// Two variables of one kernel moved onto each other in the code.
func TestSharedMovedTogether(t *testing.T) {
	planted := 0
	for _, c := range linkedCases(t) {
		e := editorOf(t, c)
		if e.relocatable {
			continue
		}
		place := func(a *area, f *field) []byte { return e.bytes[a.out.offset+f.offset : a.out.offset+f.offset+f.size] }
		var from, to *field
		var code *area
		for _, a := range e.areas {
			if !a.code() || a.out == nil || !a.owner.kernel() {
				continue
			}
			for i := range a.fields {
				f := &a.fields[i]
				if f.target == nil || f.target.space() != cuda.STOShared || f.rec.kind != cuda.R_CUDA_ABS32_32 || f.rec.addend != 0 || f.target.externShared() {
					continue
				}
				if from == nil {
					from, code = f, a
				} else if code == a && f.target != from.target && !bytes.Equal(place(a, f)[4:], place(a, from)[4:]) {
					to = f
				}
			}
		}
		if to == nil {
			continue
		}
		moved := bytes.Clone(place(code, from)[4:8])
		for i := range code.fields {
			if f := &code.fields[i]; f.target == to.target && f.rec.kind == to.rec.kind && f.rec.addend == 0 {
				copy(place(code, f)[4:8], moved)
			}
		}
		planted++
		v := Check(inputsOf(c), e.bytes, optionsOf(c))
		if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == SharedOverlap }) {
			t.Errorf("%s: no overlap found:\n%s", c.ID(), v)
		}
	}
	if planted < 5 {
		t.Errorf("only %d outputs have two such variables", planted)
	}
}
