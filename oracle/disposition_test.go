package oracle

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// What nvlink did with RELA records of every type, as lists of numbers; ranges
// are closed. R_CUDA: place in .text; R_MERCURY: in .nv.merc.nv.global.init.
const (
	kept75    = "3 4 6-9 52 53 58 67 75 84-99 101 114"
	crash     = "31-35 47-49 61-63"
	patched75 = "1 2 5 10-30 36-39 42-46 50 51 54-57 59 60 64-66 70 71 74 76-83 100 102-113 115"
)

var dispositions = []struct {
	kind    SymbolKind
	release Release
	sm      int
	patches string
	keeps   string // with their own number
	renames string // kept under another
	drops   string
	crashes string
}{
	{Constant, 124, 75, patched75, kept75, "", "0 68 69 72 73", crash},
	{Constant, 130, 90, patched75, kept75, "", "0 68 69 72 73", crash},
	{Constant, 135, 75, patched75, kept75, "", "0 68 69 72 73", crash},
	{Constant, 118, 52, "1 2 5 10-30 36-39 42-46 50 51 54-57 59 60 64-66 68-71 74 76-83 100", "3 4 6-9 52 53 58 67 75 84-99 101-113", "", "0 72 73", crash},
	{Hidden, 124, 75, patched75 + " 72 73", "", "", "0 68 69", crash},
	{Hidden, 118, 52, "1 2 5 10-30 36-39 42-46 50 51 54-57 59 60 64-66 68-74 76-83 100", "", "", "0", crash},
	{Global, 124, 75, "", "0-30 36-46 50-60 64-101 114-116", "102-113", "", crash},
	{Global, 135, 90, "", "0-30 36-46 50-60 64-101 114 115", "102-113", "", crash},
	{Global, 118, 52, "", "0-30 36-46 50-60 64-116", "", "", crash},
	{Function, 124, 75, "", "1-71 74-101 114-116", "102-113", "0 72 73", ""},
	{Function, 135, 90, "", "1-71 74-101 114 115", "102-113", "0 72 73", ""},
	{Function, 118, 52, "", "1-71 74-116", "", "0 72 73", ""},
	{Texture, 124, 75, "5 12 15-30 36-39 42 45 46 50 51 54 55 59 60 64-66 74 100 115", "0-4 6-11 13 14 43 44 52 53 56-58 67 70 71 75-99 101 114 116", "72 73 102-113", "68 69", crash},
	{Texture, 118, 52, "5 12 15-30 36-39 42 45 46 50 51 54 55 59 60 64-66 68 69 74 100", "0-4 6-11 13 14 43 44 52 53 56-58 67 70 71 75-99 101-116", "72 73", "", crash},

	{Constant, 130, 100, "m2-4 m16-23 m50-59", "m1 m5-13 m24-49 m60 m61", "m62 m63", "m14", "m15"},
	{Constant, 135, 100, "m2-4 m16-23 m50-59", "m1 m5-13 m24-49 m60 m61", "m62 m63", "m0 m14", "m15"},
	{Hidden, 130, 100, "m2-4 m14 m16-23 m50-59", "", "", "", "m15"},
	{Global, 130, 100, "", "m1-14 m16-49 m60 m61", "m50-59 m62 m63", "", "m15"},
	{Function, 130, 100, "", "m1-13 m15-49 m60 m61", "m50-59 m62 m63", "m14", ""},
	{Function, 135, 100, "", "m0-13 m15-49 m60 m61", "m50-59 m62 m63", "m14", ""},
	{Texture, 130, 100, "m3 m4", "m1 m2 m5-13 m16-49 m60 m61", "m14 m50-59 m62 m63", "", "m15"},
	{Texture, 135, 100, "m3 m4", "m0-2 m5-13 m16-49 m60 m61", "m14 m50-59 m62 m63", "", "m15"},
}

// numbers expands "1 3-5 m2" to relocation numbers, m for R_MERCURY.
func numbers(t *testing.T, list string) map[uint32]bool {
	set := map[uint32]bool{}
	for _, word := range strings.Fields(list) {
		base := uint64(0)
		if strings.HasPrefix(word, "m") {
			base, word = cuda.MercuryBase, word[1:]
		}
		first, last, isRange := strings.Cut(word, "-")
		if !isRange {
			last = first
		}
		from, err1 := strconv.ParseUint(first, 10, 32)
		to, err2 := strconv.ParseUint(last, 10, 32)
		if err1 != nil || err2 != nil {
			t.Fatalf("list %q", list)
		}
		for n := from; n <= to; n++ {
			set[uint32(base+n)] = true
		}
	}
	return set
}

func TestDispositions(t *testing.T) {
	for _, c := range dispositions {
		patches, keeps, renames := numbers(t, c.patches), numbers(t, c.keeps), numbers(t, c.renames)
		drops, crashes := numbers(t, c.drops), numbers(t, c.crashes)
		for _, r := range Recipes() {
			if r.Resolver == cuda.ResolverFinalizer && c.release == 135 {
				continue
			}
			if (r.Number >= cuda.MercuryBase) != (c.sm >= 100) {
				continue
			}
			want := Refuses
			switch {
			case crashes[r.Number]:
				want = Crashes
			case patches[r.Number]:
				want = Patches
			case keeps[r.Number], renames[r.Number]:
				want = Keeps
			case drops[r.Number]:
				want = Drops
			}
			disposition, err := DispositionOf(r.Number, c.kind, c.release, c.sm)
			where := fmt.Sprintf("%s, kind %d, %d sm_%d", r.Name, c.kind, c.release, c.sm)
			if err != nil || disposition.Action != want {
				t.Errorf("%s: %s, %v, nvlink %s", where, disposition.Action, err, want)
			} else if want == Keeps && (disposition.As == r.Number) == renames[r.Number] {
				t.Errorf("%s: kept as %#x", where, disposition.As)
			}
		}
	}
	if disposition, _ := DispositionOf(cuda.R_MERCURY_PROG_REL64, Global, 135, 100); disposition.Action != Finalizes {
		t.Errorf("PROG_REL64 in 13.5: %s", disposition.Action)
	}
	if _, err := DispositionOf(117, Constant, 124, 75); err == nil {
		t.Error("117 has a disposition")
	}
}

// A type that is renamed before it is patched must have the recipe of the type
// it is renamed into, but for the name of the quantity.
func TestRenamedTypesHaveOneRecipe(t *testing.T) {
	for _, r := range Recipes() {
		to, err := RecipeOf(rename(r.Number))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(r.String(), "UADDR", "ADDR"); r.Number != to.Number && got != to.String() {
			t.Errorf("%s: %s, but it becomes %s: %s", r.Name, got, to.Name, to)
		}
		if (r.Evidence == Renamed) != (to.Number != r.Number && to.Evidence == Seen) {
			t.Errorf("%s: evidence %s, becomes %s with %s", r.Name, r.Evidence, to.Name, to.Evidence)
		}
	}
}
