package selfcheck

import (
	"fmt"
	"os"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// TestNestedCalls wants no finding in objects of nvcc 13.0 -lineinfo (of nest.cu), in which calls of
// one line are inlined into each other, and one where the line of a caller is another.
func TestNestedCalls(t *testing.T) {
	for _, sm := range []int{100, 120} {
		name := fmt.Sprintf("testdata/nest-13.0-sm_%d.cubin", sm)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := Check(name, data, Options{}); r.Verdict != Pass {
			t.Fatalf("%s: %v %v", name, r.Verdict, r.Findings)
		}
		f, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range capsule.Open(f).Sections {
			if s.Name != ".debug_line" {
				continue
			}
			units, fault := dwarf.DecodeLines(s.Content)
			if fault != nil {
				t.Fatal(fault)
			}
			rows := units[0].Sequences()[0].Rows
			other := append([]dwarf.Row(nil), rows...)
			for x := range rows {
				if y := caller(rows, &rows[x]); y >= 0 {
					other[y].Line += 7
					if same, _ := sameLine(other, x, rows, x); same && caller(rows, &rows[y]) < 0 {
						t.Errorf("%s: row %d with another line of its caller %d", name, x, y)
					}
					other[y].Line -= 7
				}
			}
		}
	}
}

// TestCallOfTheSameLine wants no finding in an object of nvcc 13.0 -lineinfo (of same-line.cu), in which
// a line of one file is inlined at the line of that number of another, and one where its row is
// of neither.
func TestCallOfTheSameLine(t *testing.T) {
	const name = "testdata/same-line-13.0-sm_100.cubin"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if r := Check(name, data, Options{}); r.Verdict != Pass || r.Unchecked[string(exInlinedFile)] == 0 {
		t.Errorf("%v %v, %v", r.Verdict, r.Findings, r.Unchecked)
	}
	rows := []dwarf.Row{{Line: 9, File: 2}, {Line: 9, File: 3, Context: 1, Function: 5}, {Line: 9, File: 4}}
	for x, want := range []bool{true, true, false} {
		same, _ := sameLine(rows, x, rows, 1)
		if got := same || takenFor(rows, x, rows, 1, false); got != want {
			t.Errorf("row %d: %v", x, got)
		}
	}
	// The next instruction has no row of its own where its line has the same number.
	other := []dwarf.Row{{Line: 9, File: 4, Context: 1}, {Line: 9, File: 5, Addr: 16}, {Line: 8, File: 5, Addr: 32}}
	for y, want := range []bool{true, true, false} {
		if got := takenFor(other, 0, other, y, true); got != want {
			t.Errorf("row %d after row 0: %v", y, got)
		}
	}
	// A file that stays that of the row before, and one that changes.
	stale, right := []dwarf.Row{{Line: 1, File: 6}, {Line: 2, File: 6, Context: 1}, {Line: 3, File: 7, Context: 1}}, []dwarf.Row{{Line: 1, File: 6}, {Line: 2, File: 8, Context: 1}, {Line: 3, File: 8, Context: 1}}
	for x, want := range []bool{true, true, false} {
		if got, _ := sameLine(stale, x, right, x); got != want {
			t.Errorf("file of row %d: %v", x, got)
		}
	}
	if takenFor(other, 0, other, 1, false) {
		t.Error("a row of its own taken for that of another file")
	}
}

// TestTensorColumns has the values of files of 13.0 and, for sm_107a, of 13.4.
func TestTensorColumns(t *testing.T) {
	for sm, want := range map[cuda.SM]uint64{100: 512, 103: 512, 107: 576, 110: 512} {
		c := &checker{sm: sm}
		if got := c.dataValue(&capsule.Symbol{Name: tensorColumns}); got != want {
			t.Errorf("sm_%d: %d", sm, got)
		}
	}
}
