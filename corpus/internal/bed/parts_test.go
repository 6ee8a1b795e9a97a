package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// TestParts makes links over parts alone, of two programs: all agree, and what is
// kept of one has the part and the inputs it was made of.
func TestParts(t *testing.T) {
	for _, r := range []string{"13.0", "13.5"} {
		nvidiatest.Need(t, r, nvidia.Nvlink, nvidia.Ptxas)
	}
	root := t.TempDir()
	var folders []string
	for name, texts := range map[string][]string{"one": {caller, callee}, "two": {other}} {
		folder := filepath.Join(root, name)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if err := os.WriteFile(filepath.Join(folder, name+number(i)+".ptx"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		folders = append(folders, folder)
	}
	slices.Sort(folders)
	b := &bed{
		seed: 7, n: 40, workers: 2, variants: 8, perFamily: 10, largest: 1 << 20, parts: 1, pairs: 2,
		releases: []string{"13.0", "13.5"}, archs: []string{"sm_80"}, pool: map[string][]*object{},
	}
	o, err := b.run(t.Context(), t.TempDir(), folders)
	if err != nil {
		t.Fatal(err)
	}
	s := o.Sums["all\tsm_90a- parts"]
	if s == nil || s.Same < 10 {
		t.Fatalf("%+v, skipped %v", o.Sums, o.Skipped)
	}
	for n := range b.n {
		p := b.draw(n)
		if p == nil {
			continue
		}
		if err := b.join(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if len(p.parted) < 2 {
			continue
		}
		dir := t.TempDir()
		l := &link{plan: p, ours: &answer{who: "twinlink"}}
		if err := l.save(dir); err != nil {
			t.Fatal(err)
		}
		for _, in := range append(p.objects, p.parted...) {
			if _, err := os.Stat(filepath.Join(dir, in.Name)); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(p.options(), "over a part") {
			t.Errorf("options of a link with a part: %q", p.options())
		}
		return
	}
	t.Error("no link had a part of two inputs")
}

// TestDrawPart wants parts of linkers that know all their inputs, and no part
// where there is none.
func TestDrawPart(t *testing.T) {
	b := &bed{releases: []string{"12.4", "13.0", "13.5"}, linkers: []string{"12.4", "13.0", "13.5"}}
	older, same := 0, 0
	for n := range 200 {
		p := &plan{release: "13.5", arch: "sm_80", objects: []*object{{Release: "12.4"}, {Release: "13.0"}, {Release: "12.4"}}}
		b.drawPart(splitmix.New(uint64(n)), p)
		q := p.part
		switch {
		case q == nil || q.count < 1 || q.from+q.count > len(p.objects):
			t.Fatalf("link %d: part %+v", n, q)
		case q.release == "13.0":
			older++
		case q.release == "13.5":
			same++
		default:
			t.Errorf("link %d: %s is to read an object of 13.0", n, q.release)
		}
	}
	if older < 10 || same < 100 {
		t.Errorf("%d parts by the older release, %d by the same", older, same)
	}
	p := &plan{release: "12.0", arch: "sm_80", objects: []*object{{Release: "12.0"}}}
	if b.drawPart(splitmix.New(1), p); p.part != nil {
		t.Errorf("a part by %s for a link of 12.0", p.part.release)
	}
}

// TestFlags wants single options and pairs, and none that a release lacks.
func TestFlags(t *testing.T) {
	pairs, seen := 0, map[string]bool{}
	for n := range 2000 {
		flags := drawFlags(splitmix.New(uint64(n)), "11.8")
		if len(flags) > 1 {
			pairs++
		}
		for _, f := range flags {
			seen[f] = true
		}
	}
	if pairs < 100 || !seen["-ewp"] || seen["-pic=true"] || seen["-sanitize=memcheck"] {
		t.Errorf("%d pairs, %v", pairs, seen)
	}
}

func TestLowered(t *testing.T) {
	for _, c := range [][3]string{
		{"// x\n.version 9.0\n.target sm_75\n", "12.4", "// x\n.version 8.4\n.target sm_75\n"},
		{".version 7.8\n", "11.8", ".version 7.8\n"}, {".version 6.3\n", "11.8", ".version 6.3\n"}, {".version 9.0\n", "99.9", ".version 9.0\n"}, {"no version", "11.8", "no version"},
	} {
		if got := string(lowered([]byte(c[0]), c[1])); got != c[2] {
			t.Errorf("%q for %s: %q", c[0], c[1], got)
		}
	}
}
