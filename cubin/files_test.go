package cubin_test

import (
	"bytes"
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

var update = flag.Bool("update", false, "write the cubins of testdata anew")

// mercury returns the cubins of testdata by name.
func mercury(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d cubins in testdata, %v", len(names), err)
	}
	files := make(map[string][]byte)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	return files
}

// cubins returns all cubins at hand by name: those of ptxas and nvlink 11.8,
// 12.4 and 13.0 of corpus.Links, those of testdata. Equal ones come once.
func cubins(t testing.TB) map[string][]byte {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	files := mercury(t)
	seen := make(map[string]bool)
	add := func(name string, data []byte) {
		if data != nil && !seen[string(data)] {
			seen[string(data)] = true
			files[name] = data
		}
	}
	for _, c := range cases {
		for _, in := range c.Inputs {
			add(c.ID()+"/"+in.Name, in.Data)
		}
		add(c.ID(), c.Output)
	}
	return files
}

// each runs f for every cubin, by name, and wants there to be many.
func each(t *testing.T, f func(t *testing.T, name string, data []byte)) {
	files := cubins(t)
	if len(files) < 500 {
		t.Fatalf("only %d cubins", len(files))
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f(t, name, files[name])
	}
}

func decode(t testing.TB, name string, data []byte) *cubin.Editor {
	t.Helper()
	d, err := cubin.Decode(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func encode(t testing.TB, d *cubin.Editor) []byte {
	t.Helper()
	out, err := d.Encode()
	if err != nil {
		t.Fatalf("%s: %v", d.Name(), err)
	}
	return out
}

func layout(t testing.TB, d *cubin.Editor) []byte {
	t.Helper()
	if err := d.Layout(); err != nil {
		t.Fatalf("%s: %v", d.Name(), err)
	}
	return encode(t, d)
}

// same fails where two files differ, at their first difference.
func same(t testing.TB, name string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s: %d bytes instead of %d, first difference at 0x%x", name, len(got), len(want), i)
}

// TestMercuryFiles makes the cubins of testdata again.
func TestMercuryFiles(t *testing.T) {
	for _, release := range []string{"13.0", "13.5"} {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release, nvidia.Ptxas, nvidia.Nvlink)
			for _, arch := range []string{"sm_100", "sm_110"} {
				var inputs []nvidia.File
				for _, name := range []string{"mercury", "other"} {
					source, err := os.ReadFile("testdata/" + name + ".ptx")
					if err != nil {
						t.Fatal(err)
					}
					res, err := set.Assemble(context.Background(), release, []string{"-arch=" + arch}, nvidia.File{Name: name + ".ptx", Data: source})
					if err != nil || res.Outcome != nvidia.Success {
						t.Fatal(err, res)
					}
					compare(t, release+"-"+arch+"-"+name, res.Output)
					inputs = append(inputs, nvidia.File{Name: name + ".cubin", Data: res.Output})
				}
				res, err := set.Link(context.Background(), release, []string{"-arch=" + arch}, inputs)
				if err != nil || res.Outcome != nvidia.Success {
					t.Fatal(err, res)
				}
				compare(t, release+"-"+arch+"-linked", res.Output)
			}
		})
	}
}

func compare(t *testing.T, name string, data []byte) {
	t.Helper()
	path := "testdata/" + name + ".cubin"
	if *update {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, name, data, want)
}

// TestUnchanged wants an unchanged editor to encode to the file it was made of.
func TestUnchanged(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		same(t, name, encode(t, decode(t, name, data)), data)
	})
}

// TestLayoutOfTools wants the layout rule to be that of the tools.
func TestLayoutOfTools(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		same(t, name, layout(t, decode(t, name, data)), data)
	})
}

// TestRecords wants every section with a known content to be the same bytes
// once it was read into records and written from them.
func TestRecords(t *testing.T) {
	kinds := map[string]int{}
	each(t, func(t *testing.T, name string, data []byte) {
		d := decode(t, name, data)
		for i := 1; i < d.NumSections(); i++ {
			kind, err := rewrite(d, i)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			kinds[kind]++
		}
		same(t, name, layout(t, d), data)
	})
	for _, kind := range []string{"symbols", "relocs", "info", "callgraph", "prototypes", "tkinfo", "cuinfo"} {
		if kinds[kind] < 50 {
			t.Errorf("only %d sections of %s", kinds[kind], kind)
		}
	}
}

// rewrite reads section i into records and writes it from them.
func rewrite(d *cubin.Editor, i int) (kind string, err error) {
	switch t := d.Part(i).Type; {
	case cubin.IsSymbols(t):
		list, err := d.Symbols(i)
		if err == nil {
			err = d.SetSymbols(i, list)
		}
		return "symbols", err
	case cubin.IsRelocs(t):
		list, err := d.Relocs(i)
		if err == nil {
			err = d.SetRelocs(i, list)
		}
		return "relocs", err
	case cubin.IsInfo(t):
		list, err := d.Info(i)
		if err == nil {
			err = d.SetInfo(i, list)
		}
		return "info", err
	case cubin.IsCallgraph(t):
		groups, err := d.Callgraph(i)
		if err == nil {
			err = d.SetCallgraph(i, groups)
		}
		return "callgraph", err
	case cubin.IsPrototype(t):
		list, err := d.Pairs(i)
		if err == nil {
			err = d.SetPairs(i, list)
		}
		return "prototypes", err
	case t == cuda.SHTNote:
		return rewriteNotes(d, i)
	}
	return "", nil
}

func rewriteNotes(d *cubin.Editor, i int) (kind string, err error) {
	list, err := d.Notes(i)
	if err != nil {
		return "", err
	}
	for k := range list {
		n := &list[k]
		if tk, ok := n.Tkinfo(); ok {
			kind, n.Desc = "tkinfo", cubin.AppendTkinfo(nil, &tk)
		}
		if cu, ok := n.Cuinfo(); ok {
			kind, n.Desc = "cuinfo", cubin.AppendCuinfo(nil, cu)
		}
	}
	return kind, d.SetNotes(i, list)
}

// shortest returns the smallest cubin whose name has the prefix.
func shortest(t testing.TB, prefix string) (string, []byte) {
	t.Helper()
	best := ""
	files := cubins(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(name, prefix) && (best == "" || len(files[name]) < len(files[best])) {
			best = name
		}
	}
	if best == "" {
		t.Fatalf("no cubin named %s…", prefix)
	}
	return best, files[best]
}
