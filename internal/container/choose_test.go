package container

import (
	"strings"
	"testing"
)

// observed is what nvlink 13.0.88 (12.4.131 and 11.8.89 where they know the
// targets: the same) took from fatbinaries of these members, in this order; "-"
// is its warning that it found nothing.
var observed = []struct{ target, members, taken string }{
	{"89", "80 86", "86"}, {"89", "86 80", "86"}, {"89", "80 ptx89", "ptx89"}, {"89", "ptx80 80", "80"},
	{"89", "ptx89 89", "89"}, {"89", "87", "-"}, {"87", "86", "-"}, {"88", "87 86", "-"}, {"75", "70 72", "70"},
	{"90", "90 90a", "90a"}, {"90", "90a 90", "90a"}, {"90a", "90 ptx90a", "90"}, {"90", "ptx90a", "-"},
	{"90", "ptx90 ptx90a", "ptx90"}, {"90a", "ptx90 ptx90a", "ptx90a"}, {"90", "89 ptx80", "ptx80"},
	{"103", "100a", "-"}, {"103", "100 100f", "100f"}, {"103", "103f 103a", "103a"}, {"103a", "100f 103", "103"},
	{"103", "100a 103f", "103f"}, {"103", "ptx100a", "-"}, {"103", "ptx100 ptx100f", "ptx100f"}, {"103", "ptx103a", "-"},
	{"103", "ptx103a ptx103f", "ptx103f"}, {"103a", "ptx103f ptx103a", "ptx103a"}, {"103", "100 ptx100f", "100"},
	{"103", "100 ptx103", "ptx103"}, {"120", "ptx100f", "-"}, {"110", "ptx100f", "-"}, {"120", "ptx100 ptx90a", "ptx100"},
	{"100", "100a 100f", "100a"}, {"121", "120f 121", "121"}, {"110", "100", "-"}, {"120", "121", "-"}, {"75", "ptx80", "-"},
}

// observedStrict is what nvlink 13.1.115 to 13.5.37 took, each alike.
var observedStrict = []struct{ target, members, taken string }{
	{"90", "90a", "-"}, {"90", "90 90a", "90"}, {"90", "90a 90", "90"}, {"90", "90a 89", "-"}, {"90a", "90 90a", "90a"},
	{"120f", "120a 120", "120"}, {"120f", "120a 120f", "120f"}, {"120", "120a 121", "-"}, {"120", "120f 120a", "120f"}, {"100", "100a", "-"},
	{"120a", "120f 120a", "120a"}, {"121", "120a 120", "120"},
}

func TestChoose(t *testing.T) {
	testChoose(t, observed, 130)
	testChoose(t, observedStrict, 131)
}

func testChoose(t *testing.T, rows []struct{ target, members, taken string }, toolkit uint32) {
	t.Helper()
	for _, c := range rows {
		var list []Member
		for _, word := range strings.Fields(c.members) {
			m := Member{Kind: Cubin, Flags: flag64, Identifier: word}
			if rest, ok := strings.CutPrefix(word, "ptx"); ok {
				m.Kind, word = PTX, rest
			}
			m.Arch, _ = ParseArch(word)
			list = append(list, m)
		}
		target, ok := ParseArch(c.target)
		if !ok {
			t.Fatal(c.target)
		}
		got := "-"
		if m := Choose(list, target, toolkit); m != nil {
			got = m.Identifier
		}
		if got != c.taken {
			t.Errorf("sm_%s of %s: got %s, nvlink takes %s", c.target, c.members, got, c.taken)
		}
	}
}

// Of two that are alike nvlink takes the first.
func TestChooseFirst(t *testing.T) {
	list := []Member{{Kind: Cubin, Flags: flag64, Arch: Arch{SM: 90}}, {Kind: Cubin, Flags: flag64, Arch: Arch{SM: 90}}}
	if got := Choose(list, Arch{SM: 90}, 130); got != &list[0] {
		t.Error("not the first")
	}
	list[0].Flags = 0
	if got := Choose(list, Arch{SM: 90}, 130); got != &list[1] {
		t.Error("a member not for 64 bits is taken")
	}
}

func TestParseArch(t *testing.T) {
	for s, want := range map[string]string{"sm_90a": "90a", "compute_75": "75", "lto_100f": "100f", "120": "120"} {
		if a, ok := ParseArch(s); !ok || a.String() != want {
			t.Errorf("%s: got %s, %v", s, a, ok)
		}
	}
	for _, s := range []string{"", "sm_", "sm_a", "gpu_90", "sm_+90", "sm_90b", "sm_99999999999"} {
		if a, ok := ParseArch(s); ok {
			t.Errorf("%q is read as %s", s, a)
		}
	}
}

// For a virtual target no cubin counts, and of LTO IR for -dlto nothing else does: what is left is chosen as PTX is.
func TestChooseVirtual(t *testing.T) {
	tried := 0
	for _, c := range observed {
		target, _ := ParseArch(c.target)
		var ptx, ir, all []Member
		for k, word := range strings.Fields(c.members) {
			rest, isPTX := strings.CutPrefix(word, "ptx")
			arch, _ := ParseArch(rest)
			cubin := Member{Kind: Cubin, Flags: flag64, Arch: arch, Identifier: word}
			for range k + 1 {
				all = append(all, cubin, Member{Kind: PTX, Arch: arch, Identifier: "32 bits"}, Member{Kind: NVVM, Arch: arch, Identifier: "32 bits"})
			}
			if !isPTX {
				continue
			}
			m := Member{Kind: PTX, Flags: flag64, Arch: arch, Identifier: word}
			ptx, all = append(ptx, m), append(all, m)
			m.Kind, m.Identifier = NVVM, "lto"+word
			ir, all = append(ir, m), append(all, m)
		}
		want := ""
		if m := Choose(ptx, target, 130); m != nil {
			want = m.Identifier
			tried++
		}
		for what, got := range map[string]*Member{want: ChoosePTX(all, target), "lto" + want: ChooseLTO(ir, target), "lto" + want + " ": ChooseLTO(all, target)} {
			what = strings.TrimSpace(what)
			switch {
			case want == "" && got != nil:
				t.Errorf("sm_%s of %s: %s is taken", c.target, c.members, got.Identifier)
			case want != "" && (got == nil || got.Identifier != what):
				t.Errorf("sm_%s of %s: got %v, want %s", c.target, c.members, got, what)
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d rows have PTX that fits", tried)
	}
}

// A member is named by each of these words, and by none that is only a part of one.
func TestMemberWords(t *testing.T) {
	m := &Member{Path: "lib.a:part.o", Section: ".nv_fatbin", Identifier: "kernel.cu"}
	name := m.Name()
	parts := strings.Split(name, ":")
	words := append([]string{name, m.Section, "part.o", strings.Join(parts[1:], ":")}, parts...)
	for _, w := range words {
		if !matches(m, w) {
			t.Errorf("%q doesn't name %s", w, name)
		}
		for _, other := range []string{w + "x", "x" + w, w[:len(w)-1], w[1:]} {
			if matches(m, other) {
				t.Errorf("%q names %s", other, name)
			}
		}
	}
}
