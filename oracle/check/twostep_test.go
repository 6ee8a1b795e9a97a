package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// Links in two steps by nvlink 13.0.88, judged by the objects of the first.
// With -r it applies what only a final link can know, so some are wrong:
// shared variables are on each other and no memory is asked for, code reads
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
	for i := range e.out.Sections {
		s := &e.out.Sections[i]
		name := strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rela"), ".rel")
		if !strings.HasPrefix(name, ".debug_") {
			continue
		}
		clear(e.bytes[e.header(i, 0):e.header(i, 64)])
		clear(e.bytes[s.Offset : s.Offset+s.Size])
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
		if e.Relocatable {
			continue
		}
		place := func(a *link.Area, f *link.Field) []byte {
			return e.bytes[a.Out.Offset+f.Offset : a.Out.Offset+f.Offset+f.Size]
		}
		var from, to *link.Field
		var code *link.Area
		for _, a := range e.Areas {
			if !a.Code() || a.Out == nil || !a.Owner.Kernel() {
				continue
			}
			for i := range a.Fields {
				f := &a.Fields[i]
				if f.Target == nil || f.Target.Space() != cuda.STOShared || f.Rec.Kind != cuda.R_CUDA_ABS32_32 || f.Rec.Addend != 0 || f.Target.ExternShared() {
					continue
				}
				if from == nil {
					from, code = f, a
				} else if code == a && f.Target != from.Target && !bytes.Equal(place(a, f)[4:], place(a, from)[4:]) {
					to = f
				}
			}
		}
		if to == nil {
			continue
		}
		moved := bytes.Clone(place(code, from)[4:8])
		for i := range code.Fields {
			if f := &code.Fields[i]; f.Target == to.Target && f.Rec.Kind == to.Rec.Kind && f.Rec.Addend == 0 {
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
