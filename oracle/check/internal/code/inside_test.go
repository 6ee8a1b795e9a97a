package code

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestInside: where a kernel has a function inside, its RET.REL and the MOV of the place to which it comes back go along
// with the words between.
func TestInside(t *testing.T) {
	words["c"] = [2]uint64{0x00000000_00007944, 0x03c00000}  // CALL.REL.NOINC
	words["p"] = [2]uint64{0x00000030_00047802, 0x00000f00}  // MOV R4, 0x30
	words["p4"] = [2]uint64{0x00000040_00047802, 0x00000f00} // MOV R4, 0x40
	words["p3"] = [2]uint64{0x00000038_00047802, 0x00000f00}
	words["R"] = [2]uint64{0xfffffffc_04c07950, 0x03c3ffff}  // RET.REL.NODEC R4, sixty-four words of four bytes back
	words["R5"] = [2]uint64{0xfffffffc_04b07950, 0x03c3ffff} // and four more
	defer func() {
		for _, name := range []string{"c", "p", "p4", "p3", "R", "R5"} {
			delete(words, name)
		}
	}()
	for i, x := range []struct {
		in, out string
		inside  bool
		want    string
	}{
		{"m p c e", "m p c e", true, ""},
		{"p m c e", "p m c e", true, ""},
		{"p m c e", "p4 m c e", true, "+0x0 want 02780400300000000000000f00000000 another"},
		{"p m c e", "n p4 m c e", true, "moved"},
		{"p m c e", "n p m c e", true, "wrong"},
		{"p m c e", "n p4 m c e", false, "wrong"},
		{"p m c e", "p m n c e", true, "wrong"},
		{"p m c e", "p4 m n c e", true, "moved"},
		{"p m c e", "p3 m n c e", true, "wrong"},
		{"p m c e", "p4 m c n e", true, "moved"},
		{"p m c e", "p m c n e", true, "moved"}, // to what was inserted after the call
		{"m m m m m m m m m m m m m m m R", "m m m m m m m m m m m m m m m R", true, ""},
		{"m m m m m m m m m m m m m m m R", "m n m m m m m m m m m m m m m m R", true, "wrong"},
	} {
		c, a := coded(t, x.in, x.out, nil)
		if x.inside {
			a.Owner.Names = append(a.Owner.Names, &link.Identity{Name: "$f$g", Info: byte(cuda.STTFunc), Def: &image.Symbol{Value: 16}})
			a.Words, _ = a.Owner.MapCode(a.Out.Body)
		}
		if err := c.compareCode(a); err != nil {
			t.Fatal(err)
		}
		got := "moved"
		switch {
		case c.Verdict.Total > 0:
			got = "wrong"
		case a.Words.Identity:
			got = ""
		}
		want := x.want
		if len(want) > 5 {
			want = "wrong"
		}
		if got != want {
			t.Errorf("%d: %s against %s: %q, want %q\n%s", i, x.out, x.in, got, want, told(c))
		}
	}
}

// TestReservedWithoutSize: of reserved shared memory a section may lack that holds names without a size alone.
func TestReservedWithoutSize(t *testing.T) {
	for _, x := range []struct {
		kind  cuda.SectionType
		sizes []uint64
		want  bool
	}{{cuda.SHTCudaSharedReserved, []uint64{0}, false}, {cuda.SHTCudaSharedReserved, []uint64{0, 1}, true}, {cuda.SHTCudaSharedReserved, nil, false}, {cuda.SHTCudaConstant0, nil, true}} {
		c, a := coded(t, "e", "e", nil)
		of := &link.Area{Kind: x.kind}
		for _, n := range x.sizes {
			of.Parts = append(of.Parts, &link.Part{Mod: a.Owner.Mod, Section: &image.Section{Size: n}})
		}
		if got := c.needed(of); got != x.want {
			t.Errorf("%+v: %t", x, got)
		}
	}
}

// TestBudgetOfCode: the budget ends where code is longer than its steps.
func TestBudgetOfCode(t *testing.T) {
	c, a := coded(t, "m e", "m e", nil)
	a.Size = 1 << 60
	if err := c.compareCode(a); err == nil {
		t.Error("no end")
	}
}

// TestOneSide: of a file with one side another word is another, whatever release linked it.
func TestOneSide(t *testing.T) {
	c, a := coded(t, "m e", "M e", nil)
	c.Release, c.Out.Side = 131, image.Whole
	if err := c.compareCode(a); err != nil || len(c.Verdict.Findings) != 1 || len(c.Verdict.Unjudged) != 0 {
		t.Errorf("%v %v", err, c.Verdict)
	}
}
