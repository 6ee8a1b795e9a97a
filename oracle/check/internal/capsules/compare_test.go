package capsules

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/said"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// moved is a map of words by where each of the input is in an output of so many.
func moved(length int, to ...int32) *sass.WordMap {
	w := &sass.WordMap{To: to, From: make([]int32, length)}
	for j := range w.From {
		w.From[j] = -1
	}
	for i, j := range to {
		if j >= 0 {
			w.From[j] = int32(i)
		}
	}
	return w
}

func short(w *sass.WordMap, words ...int32) *sass.WordMap {
	w.Short = map[int32]bool{}
	for _, j := range words {
		w.Short[j] = true
	}
	return w
}

func strange(w *sass.WordMap) *sass.WordMap { w.Strange = true; return w }

func same(w *sass.WordMap) *sass.WordMap { w.Identity = true; return w }

// TestCompare holds capsules of the output against the input's.
func TestCompare(t *testing.T) {
	for i, x := range []struct {
		in, out, sassIn, sassOut string
		first                    bool
		words                    *sass.WordMap
		want                     string
	}{
		{"p 41aa p", "p 41aa p", "mmm", "mmm", false, nil, ""},
		{"p 41aa p", "p 41ab p", "mmm", "mmm", false, nil, "+0x10 want 41aa0000 got 41ab0000 record"},
		{"p 41aa p", "p 41ab p", "mmm", "mmm", false, strange(moved(3, 0, 1, 2)), ""},
		{"p 41aa p", "p 41ab p", "mmm", "mmm", false, same(moved(3, 0, 1, 2)), "+0x10 want 41aa0000 got 41ab0000 record"},
		{"p 41aa p", "p 41ab p", "mmm", "mmm", false, moved(3, 0, 1, 2), "+0x10 want 41aa0000 got 41ab0000 record"},
		{"p 41aa p", "p 47aa0000 p", "mmm", "mmm", false, nil, "+0x0 (a malformed capsule)"},
		{"p 47aa0000 p", "p 41aa p", "mmm", "mmm", false, nil, ""},
		{"p 41aa p", "p 41aa p p", "mmm", "mmm", false, nil, "+0x0 want 0x30 got 0x40 (the nodes don't cover the function's instructions)"},
		{"p 41aa p", "p 41aa p p", "mmm", "mmmm", false, nil, "+0x0 span"},
		{"p 41aa p", "p 41aa p", "mmm", "mm", false, nil, ""},
		{"p 41aa p", "p 41ab p", "mmm", "mm", false, nil, "+0x0 want 0x20 got 0x30 (the nodes don't cover the function's instructions)"},
		{"p 41aa p", "p 41ab", "mmm", "mmm", false, nil, "+0x0 want 0x30 got 0x20 (the nodes don't cover the function's instructions)"},
		{"p 41aa p", "p 42aa p", "mmm", "mmm", false, nil, "+0x10 want 41aa0000 got 42aa0000 record"},
		{"p 41aa p", "p 01aa p", "mmm", "mmm", false, nil, "+0x10 want 41aa0000 got 01aa0000000000000000000000000000 record"},

		{"p p", "p p 0:41", "mm", "mm", false, nil, "+0x12 span"}, // of no word
		{"p 0:41 p", "p 0:41 p", "mm", "mm", false, nil, ""},
		{"p p 0:41", "p p 0:42", "mm", "mm", false, nil, "+0x12 want 41000000 got 42000000 record"},

		{"p p 41aa", "p p", "mmm", "mm", false, nil, ""}, // the SASS tells of it

		// Kinds and spans.
		{"p 2:01aabb p", "p 3:41aabb", "mmmm", "mmmm", false, moved(4, 0, 1, 2, 3), "+0x12 want 01aabb00000000000000000000000000 got 41aabb00 record\n+0x12 span\n? +0x12 (a record for words that were inserted before opcode 0x802: its correct value is not known)"},
		{"p 3:41aa", "p 2:41aa", "mmm", "mmm", false, moved(3, 0, 1, 2), ""},
		{"p 2:41aa p", "p 3:41aa", "mmmm", "mmmm", false, moved(3, 0, 1, 2, -1), ""},
		{"2:41aa p", "41aa p p", "mmm", "mmm", false, moved(3, 0, 1, 2), "+0x10 span\n+0x0 span"},
		{"p 41aa p", "p p p", "mmm", "mmm", false, nil, "+0x0 span"},
		{"p 41aa p", "p s1 p", "mmm", "mmm", false, nil, "+0x0 span"},
		{"p 41aa p", "p s1 p", "mmm", "mmm", false, moved(3, 0, 1, 2), ""},
		{"p 41aa p", "p s1 p", "mmm", "mmm", false, same(moved(3, 0, 1, 2)), "+0x0 span"},
		{"p 41aa p", "41aa p p", "mmm", "mmm", false, nil, "+0x10 span\n+0x0 span\n? +0x10 (a record for words that were inserted before opcode 0x802: its correct value is not known)"},
		{"p 41aa p", "p 2:41aa", "mmm", "mmm", false, nil, "+0x12 span\n+0x12 span\n? +0x12 (a record for words that were inserted before opcode 0x802: its correct value is not known)"},
		{"p 41aa p", "p 2:41ab", "mmm", "mmm", false, nil, "+0x12 want 41aa0000 got 41ab0000 record\n+0x12 span\n? +0x12 (a record for words that were inserted before opcode 0x802: its correct value is not known)"},
		{"p s2 p", "p s3", "mmmm", "mmmm", false, nil, "+0x0 span\n+0x0 span"},
		{"p s2 p", "p s3", "mmmm", "mmmm", false, moved(4, 0, 1, 2, 3), ""},
		{"p 2:41aa p", "p 41aa p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), ""},
		{"p 2:41aa p", "p 41aa p", "mmmm", "mmm", false, moved(3, 0, -1, 1, 2), ""},
		{"p 2:41aa p", "p 41ab p", "mmmm", "mmm", false, moved(3, 0, -1, 1, 2), "+0x10 want 41aa0000 got 41ab0000 record"},
		{"p 2:41aa p p", "p 41aa p p", "mmmmm", "mmmm", false, moved(4, 0, 1, 2, 3, -1), "+0x10 span\n+0x0 span"},
		{"p 2:41aa p p", "p 41aa p p", "mmmmm", "mmmm", false, short(moved(4, 0, 1, 2, 3, -1), 1), "+0x0 span"},
		{"p 2:41aa p p", "p 41aa p p", "mmmmm", "mmmm", false, short(moved(4, 0, 1, 2, 3, -1), 2), "+0x10 span"},
		{"p 2:01aabb p", "p 41aabb p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), ""},
		{"p 2:01aabb p", "p 42aabb p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), "+0x10 want 01aabb00000000000000000000000000 got 42aabb00 record"},
		{"p 2:01aabb p", "p 41aabc p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), "+0x10 want 01aabb00000000000000000000000000 got 41aabc00 record"},
		{"p 3:01aabb p", "p 41aabb p", "mmmmm", "mmm", false, moved(3, 0, 1, -1, -1, 2), "+0x10 want 01aabb00000000000000000000000000 got 41aabb00 record"},
		{"p 01aabb p", "p 2:41aabb p", "mmm", "mmmm", false, moved(4, 0, 1, 3), "+0x12 want 01aabb00000000000000000000000000 got 41aabb00 record"},
		{"p 01aabb p", "p 2:01aabb p", "mmm", "mmmm", false, moved(4, 0, 1, 3), ""},
		{"p 01aabb p", "p 2:01aabb p", "mmm", "mmmm", false, moved(4, 0, 2, 3), ""},
		{"p 01aabb p", "p 2:01aabb p", "mmm", "mmmm", false, nil, "+0x12 span\n+0x12 span\n+0x0 span\n? +0x12 (a record for words that were inserted before opcode 0x802: its correct value is not known)"},
		{"p 2:02aabb p", "p 42aabb p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), ""},
		{"p 2:02aabb p", "p 02aabb p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), ""},
		{"p 2:02aabb p", "p 02aabc p", "mmmm", "mmm", false, moved(3, 0, 1, -1, 2), "+0x10 want 02aabb0000000000000000000000000000000000000000000000000000000000 got 02aabc0000000000000000000000000000000000000000000000000000000000 record"},

		// Words that were put in or omitted.
		{"p p", "p s1 p", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p p", "p p p", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p p", "p p p", "mm", "mnm", false, nil, "+0x0 span"},
		{"p p", "p 0111 p", "mm", "mnm", false, moved(3, 0, 2), "? +0x10 (a record for words that were inserted before opcode 0x918: its correct value is not known)"},
		{"p p", "2:0111000af8000000000000f8 p", "me", "mem", false, moved(3, 0, 2), ""},
		{"p p", "2:0111000af8000000000000f9 p", "me", "mem", false, moved(3, 0, 2), "+0x12 want 0111000af8000000000000f800000000 got 0111000af8000000000000f900000000 (the record of inserted words)"},
		{"p p", "2:0112 p", "mm", "mem", false, moved(3, 0, 2), "+0x12 want 0111000af8000000000000f800000000 got 01120000000000000000000000000000 (the record of inserted words)"},
		{"p p", "2:0111ff p", "mm", "mxm", false, moved(3, 0, 2), ""},
		{"p p", "2:0112ff p", "mm", "mxm", false, moved(3, 0, 2), "+0x12 want 0111 got 0112ff00000000000000000000000000 (the record of inserted words)"},
		{"p p p", "p p", "mmm", "mm", false, moved(2, 0, -1, 1), ""},
		{"p 41aa p", "p p", "mmm", "mm", false, moved(2, 0, -1, 1), ""},
		{"p 41aa 41bb p", "p 41bb p", "mmmm", "mmm", false, moved(3, 0, -1, 1, 2), ""},
		{"p 41aa 41bb p", "p 41aa p", "mmmm", "mmm", false, moved(3, 0, -1, 1, 2), "+0x10 want 41bb0000 got 41aa0000 record"},
		{"p 41aa 41bb", "p 41aa p", "mmm", "mmm", false, moved(3, 0, 1), ""},
		{"p 41aa p", "p 41aa p", "mmm", "mmm", false, moved(3, 0, 1), ""},

		// Notes.
		{"p 31aa p", "p 31aa p", "mm", "mm", false, nil, ""},
		{"p 31aa p", "p 31ab p", "mm", "mm", false, nil, "+0x10 want 31aa0000000000000000000000000000 got 31ab0000000000000000000000000000 record"},
		{"p 31aa p", "31aa p p", "mm", "mm", false, nil, "+0x10 (a note of the capsule is before another word than in the input)"},
		{"p 31aa p", "p p 31aa", "mm", "mm", false, same(moved(2, 0, 1)), "+0x10 (a note of the capsule is before another word than in the input)"},
		{"p 31aa p", "p p", "mm", "mm", false, nil, "+0x10 (a note of the capsule is missing)"},
		{"p p", "p 31aa p", "mm", "mm", false, nil, "+0x10 (a note of the capsule that is not the input's)"},
		{"p p", "p 31aa p", "mm", "mm", false, moved(2, 0, 1), "+0x10 (a note of the capsule that is not the input's)"},
		{"p 31aa 31bb p", "p 31bb 31aa p", "mm", "mm", false, nil, "+0x10 want 31aa0000000000000000000000000000 got 31bb0000000000000000000000000000 record\n+0x20 want 31bb0000000000000000000000000000 got 31aa0000000000000000000000000000 record"},
		{"p 31aa 31bb p", "p 31aa p", "mm", "mm", false, nil, "+0x20 (a note of the capsule is missing)"},
		{"p 31aa p 31bb", "p 31aa 31bb p", "mm", "mm", false, nil, "+0x20 (a note of the capsule is before another word than in the input)"},
		{"p 31aa p", "p s1 31aa p", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p 31aa p", "p 31aa s1 p", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p 31aa p", "31aa p s1 p", "mm", "mnm", false, moved(3, 0, 2), "+0x10 (a note of the capsule is before another word than in the input)"},
		{"p 31aa p", "p s1 p 31aa", "mm", "mnm", false, moved(3, 0, 2), "+0x12 (a note of the capsule is before another word than in the input)"},
		{"p p 31aa", "p s1 p 31aa", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p p 31aa", "31aa p s1 p", "mm", "mnm", false, moved(3, 0, 2), ""},
		{"p 31aa p", "p 32aa p", "mm", "mm", false, nil, "+0x10 want 31aa0000000000000000000000000000 got 32aa000000000000000000000000000000000000000000000000000000000000 record"},

		// Capsules of 12.8, whose forms later ones don't keep.
		{"p 41aa p", "p 41ab p", "mmm", "mmm", true, nil, "+0x10 want 41aa0000 got 41ab0000 record"},
		{"p p", "420a020e p", "cm", "cm", true, nil, ""},
		{"p p", "420a020e p", "cm", "cm", false, nil, "+0x10 span"},
		{"p p", "420a020f p", "cm", "cm", true, nil, "+0x10 want 420a020e got 420a020f (the record of inserted words)"},
		{"p p p", "2:420a020e p", "mcm", "mcm", true, nil, "+0x12 span\n+0x12 span"},
		{"41aa p", "p p", "mm", "mm", true, nil, ""},
		{"41aa p", "p p", "mm", "mm", false, nil, "+0x0 span"},
		{"01aa p", "p p", "mm", "mm", true, nil, "+0x0 span"},
		{"2:41aa p", "p p p", "mmm", "mmm", true, nil, "+0x0 span\n+0x0 span"},
		{"p 2:41aa", "p p p", "mmm", "mmm", true, nil, "+0x0 span\n+0x0 span"},
		{"p p", "p s1", "ml", "ml", true, nil, ""},
		{"p p", "p s1", "ml", "ml", false, nil, "+0x0 span"},
		{"p p", "p s1", "mm", "mm", true, nil, "+0x0 span"},
		{"p p", "p s1", "mb", "mb", true, nil, "+0x0 span"},
		{"p p", "p s1", "me", "me", true, nil, "+0x0 span"},
		{"p p p", "p s1 p", "mlm", "mlm", true, nil, "+0x0 span"},
		{"p p p", "p s2", "mln", "mln", true, moved(3, 0, 1, 2), ""},
		{"p p p", "p s2", "mln", "mln", true, nil, ""},
		{"2:41aa p", "420a020e p", "cmm", "cm", true, moved(2, 0, -1, 1), ""},
		{"2:41aa p", "420a020e p", "cmm", "cm", false, moved(2, 0, -1, 1), "+0x10 want 41aa0000 got 420a020e record"},
		{"2:01aa p", "420a020e p", "cmm", "cm", true, moved(2, 0, -1, 1), "+0x10 want 01aa0000000000000000000000000000 got 420a020e record"},
		{"p 020000000000000000000000000000000000000000000000000000000080", "p 020000000000000000000000000000000000000000000000000000000080", "mm", "mm", true, nil, ""},
		{"p 020000000000000000000000000000000000000000000000000000000080", "p 0200000000000000000000000000000000000000000000000000000000", "md", "md", true, nil, "? +0x10 want 0200000000000000000000000000000000000000000000000000000000800000 got 0200000000000000000000000000000000000000000000000000000000000000 (a load's record, one bit of which 12.8 writes differently: when is not known)"},
		{"p 020000000000000000000000000000000000000000000000000000000080", "p 0200000000000000000000000000000000000000000000000000000000", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000800000 got 0200000000000000000000000000000000000000000000000000000000000000 record"}, // no load
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 020000000000000000000000000000000000000000000000000000000080", "md", "md", true, nil, "? +0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000800000 (a load's record, one bit of which 12.8 writes differently: when is not known)"},
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 020000000000000000000000000000000000000000000000000000000080", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000800000 record"}, // no load
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 020000000000000000000000000000000000000000000000000000000080", "mm", "mm", false, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000800000 record"},
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 0200000000000000000000000000000000000000000000000000000000c0", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000c00000 record"},
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 020000000000000000000000000000000000000000000000000000000040", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000400000 record"},
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 02000000000000000000000000000000000000000000000000000000008001", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000800100 record"},
		{"p 0200000000000000000000000000000000000000000000000000000000", "p 020000000000000000000000000000000000000000000000000000000180", "mm", "mm", true, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000001800000 record"},
		{"p 01", "p 020000000000000000000000000000000000000000000000000000000080", "mm", "mm", true, nil, "+0x10 want 01000000000000000000000000000000 got 0200000000000000000000000000000000000000000000000000000000800000 record"},
		{"p 020000000000000000000000000000000000000000000000000000000080", "p 0200000000000000000000000000000000000000000000000000000000", "md", "md", false, nil, "+0x10 want 0200000000000000000000000000000000000000000000000000000000800000 got 0200000000000000000000000000000000000000000000000000000000000000 record"}, // not of the first form
		{"p 01", "p 0100000080", "mm", "mm", true, nil, "+0x10 want 01000000000000000000000000000000 got 01000000800000000000000000000000 record"},
	} {
		c, a := capsuled(t, x.in, x.out, x.sassIn, x.sassOut, x.first, x.words)
		Compare(c.Applied, a)
		if got := about(c); got != x.want {
			t.Errorf("%d: %s against %s:\n%s\nwant\n%s", i, x.out, x.in, got, x.want)
		}
	}
}

// about is said of a capsule of f.
func about(c *check) string {
	return strings.NewReplacer("code.bytes in: .text.f+", "+", " symbol f", "", " (a node with another span than in the input)", " span", " (a record that is not the input's)", " record").Replace(said.Lines(&c.Verdict))
}
