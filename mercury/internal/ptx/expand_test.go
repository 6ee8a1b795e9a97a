package ptx

import (
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"ret;", []string{"ret;"}},
		{"ld<//.ca>.b32", []string{"ld.b32", "ld.ca.b32"}},
		{"<a/b> <c/d>", []string{"a c", "b c", "a d", "b d"}},
		{"x<//, <1/2>>", []string{"x", "x, 1", "x", "x, 2"}},
		{"a < b", []string{"a < b"}},
	} {
		if got := Expand(test.line); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
}

// Of a line with more choices than are written out, each part is there.
func TestExpandSome(t *testing.T) {
	all := Expand("<a/b/c/d/e>.<0/1/2>.<x/y/z>.<u/v>")
	if len(all) != Most {
		t.Fatalf("%d lines, want %d", len(all), Most)
	}
	for _, part := range strings.Fields("a. b. c. d. e. .0. .1. .2. .x. .y. .z. .u .v") {
		if !slices.ContainsFunc(all, func(l string) bool { return strings.Contains(l+".", part) }) {
			t.Errorf("no %s in %q", part, all)
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(all)))) < Most*3/4 {
		t.Errorf("the same twice: %q", all)
	}
}

func TestModule(t *testing.T) {
	text, ends := Module("9.0", "sm_100a", []string{"mov.u32 %x0, 1;", "add.u32 %x0, %a0, %u1;"})
	lines := strings.Split(text, "\n")
	for i, want := range []string{"mov.u32 %x0, 1;", "add.u32 %x0, %a0, %u1;"} {
		at := slices.Index(lines, want) + 1
		if at <= 0 || at >= ends[i] || i > 0 && at < ends[i-1] {
			t.Errorf("line %d at %d, kernels end at %v", i, at, ends)
		}
	}
	if !strings.Contains(text, "ld.global.b32 %a0") || strings.Contains(text, "%A0, [") {
		t.Error("a kernel loads what its line names, and nothing else")
	}
}
