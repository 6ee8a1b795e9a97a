package inputs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/lto"
)

// A file is read once, whether that works or not; what is kept is as if read.
func TestReader(t *testing.T) {
	reads := map[string]int{}
	r := NewReader(func(name string) ([]byte, error) {
		reads[name]++
		return given{"a": []byte("text")}.read(name)
	})
	if r.Has("a") || r.Has("b") {
		t.Error("a file is there before it is read")
	}
	r.Keep("b", []byte("kept"))
	for range 2 {
		if data, err := r.Read("a"); string(data) != "text" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if data, err := r.Read("b"); string(data) != "kept" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if _, err := r.Read("gone"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if f := r.parts("a"); len(f.objects) != 1 || f.objects[0].name != "a" || f.objects[0].host != nil || !f.parsed {
			t.Errorf("%+v", f)
		}
		if f := r.parts("gone"); f.parsed || f.err == nil || f.objects != nil {
			t.Errorf("%+v", f)
		}
	}
	if reads["a"] != 1 || reads["b"] != 0 || reads["gone"] != 1 || !r.Has("a") || !r.Has("b") || !r.Has("gone") {
		t.Error(reads)
	}
}

// Every file adds to what all may hold unpacked.
func TestSpend(t *testing.T) {
	r := NewReader(given{}.read)
	one, two := container.NewBudget(10), container.NewBudget(1000)
	if b := r.spend(make([]byte, 10)); *b != *one {
		t.Errorf("%+v, want %+v", b, one)
	}
	if b := r.spend(make([]byte, 1000)); b.Bytes != one.Bytes+two.Bytes || b.Members != one.Members+two.Members {
		t.Errorf("%+v", b)
	}
}

// Members of archives in an archive count, as deep as they may lie; what is wrong with an inner one ends the outer one.
func TestNestedArchives(t *testing.T) {
	text := []byte("text")
	nest := func(n int, data []byte) []byte {
		for range n {
			data = archive("in.a", data)
		}
		return data
	}
	r := NewReader(given{
		"l.a":    archive("one", text, "in.a", archive("two", text, "three", text), "four", text),
		"bad.a":  archive("one", text, "in.a", append(archive("two", text), 'x'), "four", text),
		"deep.a": nest(container.MaxDepth+1, archive("last", text)),
	}.read)
	names := func(f *file) string {
		var list []string
		for i := range f.objects {
			p := &f.objects[i]
			if p.nested != (strings.Count(p.name, ":") > 1) || p.named || p.host != nil {
				t.Errorf("%+v", p)
			}
			list = append(list, p.name)
		}
		return strings.Join(list, " ")
	}
	if f := r.parts("l.a"); f.fault != nil || names(f) != "l.a:one l.a:in.a:two l.a:in.a:three l.a:four" {
		t.Errorf("%s, %v", names(f), f.fault)
	}
	if f := r.parts("bad.a"); f.fault == nil || names(f) != "bad.a:one" {
		t.Errorf("%s, %v", names(f), f.fault)
	}
	// The innermost is a member as any other.
	if f := r.parts("deep.a"); f.fault != nil || len(f.objects) != 1 || strings.Count(f.objects[0].name, ":in.a") != container.MaxDepth+1 {
		t.Errorf("%s, %v", names(f), f.fault)
	}
}

// Two names are one file where the system says so; names that are no files are alike only as texts.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, b, other := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "other")
	for _, name := range []string{a, other} {
		if err := os.WriteFile(name, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(a, b); err != nil {
		t.Skip(err)
	}
	gone := filepath.Join(dir, "gone")
	for _, c := range []struct {
		a, b string
		want bool
	}{{a, a, true}, {a, b, true}, {b, a, true}, {a, other, false}, {a, gone, false}, {gone, a, false}, {gone, gone, true}, {gone, gone + "2", false}} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

// What no compiler is given for is refused with a way to have it compiled, and LTO IR is handed on alone, without the
// fatbinary around it.
func TestUncompiled(t *testing.T) {
	g := ltoFiles(t)
	for _, c := range []struct{ args, want string }{
		{"-arch=sm_75 13a.compute.fatbin", "nvlink fatal   : input file '13a.compute.fatbin': PTX for compute_75, to be compiled for sm_75, is not supported by twinlink: --lto-with=auto compiles it with a ptxas of 13.0"},
		{"-arch=sm_75 -dlto -nvvmpath=x --lto-with=auto 13a.lto.fatbin", "nvlink fatal   : input file '13a.lto.fatbin': LTO IR is not supported by twinlink: --lto-with="},
		{"-arch=sm_75 13a.lto.fatbin", "nvlink fatal   : LTO objects found, use -dlto"},
		{"-arch=sm_75 -dlto -nvvmpath=x --lto-with=auto b.ltoir", "nvlink fatal   : 'b.ltoir' is no LTO IR"},
	} {
		if _, said := g.add(t, "13.0", c.args); len(said) == 0 || !strings.HasPrefix(said[0], c.want) {
			t.Errorf("%s: %q", c.args, said)
		}
	}
	var kept []lto.Module
	for _, args := range []string{"-arch=sm_75 -dlto -nvvmpath=x --lto-with=auto 13a.lto.fatbin", "-arch=sm_75 -dlto -nvvmpath=x --lto-with=auto a.ltoir"} {
		kept = append(kept, keptOf(t, g, args)...)
	}
	if len(kept) != 2 || kept[0].Bare || kept[1].Bare || string(kept[0].Data) != string(kept[1].Data) || string(kept[1].Data) != string(g["a.ltoir"]) {
		t.Errorf("%d modules of %d and %d bytes", len(kept), len(kept[0].Data), len(kept[1].Data))
	}
}
