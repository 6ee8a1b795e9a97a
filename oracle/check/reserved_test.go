package check

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

const reservedPartition = "__nv_reservedSMEM_tcgen05_partition"

// nvlink puts reserved shared memory 64 bytes after the start: the SASS has the number,
// the Mercury side the records.
func TestReservedShared(t *testing.T) {
	byName := func(id *link.Identity, _ *image.Symbol) bool { return id.Name == reservedPartition }
	ofPartition := func(_ *link.Area, f *link.Field) bool { return f.Target != nil && f.Target.Name == reservedPartition }
	for _, c := range []string{"tcgen05/13.0-sm_100a", "tcgen05/13.0-sm_100a-g", "tcgen05/13.0-sm_103a"} {
		k := behaviourOf(t, c)
		if v := Check(inputsOf(k), k.Output, optionsOf(k)); v.Total > 0 || len(v.Unjudged) > 0 {
			t.Fatalf("%s: %s", c, v)
		}
		for what, d := range map[string]struct {
			kind  Kind
			plant func(e *editor)
		}{
			"one field holds 0":              {RelocationField, func(e *editor) { _, _, at := e.field(ofPartition); e.put(at+4, 4, 0) }},
			"one field holds 0x60":           {RelocationField, func(e *editor) { _, _, at := e.field(ofPartition); e.put(at+4, 4, 0x60) }},
			"the symbol lies at 0":           {SymbolValue, func(e *editor) { e.put(e.entry(e.symbol(byName), stValue), 8, 0) }},
			"the section is smaller":         {SectionSize, func(e *editor) { e.put(e.header(e.named(".nv.shared.reserved.0"), shSize), 8, 0x20) }},
			"a Mercury record names another": {RelocationSymbol, func(e *editor) { e.put(mercuryRecordOf(t, e)+12, 4, 3) }},
		} {
			e := editorOf(t, k)
			d.plant(e)
			if v := Check(inputsOf(k), e.bytes, optionsOf(k)); !names(v, []Kind{d.kind}) {
				t.Errorf("%s: %s: no %s among\n%s", c, what, d.kind, v)
			}
		}
	}
}

// mercuryRecordOf is where the first record of the capsule of alloc_a lies that names the
// reserved variable.
func mercuryRecordOf(t *testing.T, e *editor) uint64 {
	t.Helper()
	for i := range e.out.All {
		s := &e.out.All[i]
		if s.Kind != cuda.SHTMercRela || s.Name != ".nv.merc.rela.text.alloc_a" {
			continue
		}
		want := uint64(e.symbol(func(id *link.Identity, _ *image.Symbol) bool { return id.Name == reservedPartition }))
		for at := s.Offset; at < s.Offset+s.Size; at += 24 {
			if e.get(at+12, 4) == want {
				return at
			}
		}
	}
	t.Fatal("no record of the capsule names the reserved variable")
	return 0
}

// An FSETP with a number is no code of sm_103 where it combines with no predicate; products of matrices of integers
// or doubles are none.
func TestFastPathOfCode(t *testing.T) {
	for id, want := range map[string]uint64{"fast_path/13.0-sm_100-combined": 9, "fast_path/13.0-sm_100-compared": 1,
		"fast_path/13.0-sm_100-integers": 1, "fast_path/13.0-sm_100-doubles": 1} {
		k := behaviourOf(t, id)
		if v := Check(inputsOf(k), k.Output, optionsOf(k)); v.Total > 0 {
			t.Errorf("%s: %s", id, v)
		}
		e := editorOf(t, k)
		s := &e.out.Sections[e.section(func(s *image.Section) bool { return s.Kind == cuda.SHTCudaCompat })]
		at := s.Offset
		for ; e.get(at, 2) != 0x0b04; at += 4 {
			if at >= s.Offset+s.Size {
				t.Fatalf("%s: no CAN_FASTPATH_FINALIZE", id)
			}
		}
		if got := e.get(at+4, 8); got != want {
			t.Fatalf("%s: %d, not %d", id, got, want)
		}
		e.put(at+4, 8, 10-want)
		if v := Check(inputsOf(k), e.bytes, optionsOf(k)); !names(v, []Kind{CompatValue}) {
			t.Errorf("%s: %d for %d: no %s among\n%s", id, 10-want, want, CompatValue, v)
		}
	}
}
