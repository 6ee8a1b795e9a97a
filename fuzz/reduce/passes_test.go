package reduce

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// asked lists what one pass asks about a case when no answer is the wanted one.
func asked(t *testing.T, c *Case, pass func(*reducer) bool) (list []*Case) {
	t.Helper()
	r := &reducer{ctx: t.Context(), want: "never", best: c, asked: map[string]bool{}, key: func(_ context.Context, c *Case) string {
		list = append(list, c)
		return ""
	}}
	if pass(r) || r.best != c || r.stats != (Stats{Asked: len(list)}) {
		t.Errorf("something is taken, or counted otherwise: %+v of %d", r.stats, len(list))
	}
	return list
}

// edit is a case of one module with a change.
func edit(t *testing.T, change func(d *cubin.Editor) error) *Case {
	t.Helper()
	d := draft(t, sample(t).Inputs[1].Data)
	err := change(d)
	if err == nil {
		err = d.Layout()
	}
	data, encodeErr := d.Encode()
	if err = errors.Join(err, encodeErr); err != nil {
		t.Fatal(err)
	}
	return &Case{Release: "13.0", Options: []string{"-arch=sm_90"}, Inputs: []File{{"m.cubin", data}}}
}

func draft(t *testing.T, data []byte) *cubin.Editor {
	t.Helper()
	d, err := cubin.Decode("m", data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// records is the first section with relocations of a file, and their offsets with addends.
func records(t *testing.T, data []byte) (section int, list []string) {
	t.Helper()
	d := draft(t, data)
	for s := 1; s < d.NumSections(); s++ {
		if cubin.IsRelocs(d.Part(s).Type) {
			rel, err := d.Relocs(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rel {
				list = append(list, fmt.Sprintf("%d+%d", r.Off, r.Addend))
			}
			return s, list
		}
	}
	t.Fatal("no relocations")
	return 0, nil
}

// withRecords has in its first section with relocations n of them, with the addends 0, 1, 0, 3, 0 ….
func withRecords(t *testing.T, n int) *Case {
	return edit(t, func(d *cubin.Editor) error {
		for s := 1; s < d.NumSections(); s++ {
			if d.Part(s).Type != cuda.SHTRela {
				continue
			}
			list, err := d.Relocs(s)
			if err != nil || len(list) == 0 {
				continue
			}
			var many []cubin.Reloc
			for i := range n {
				r := list[0]
				r.Off, r.Addend = uint64(i), int64(i%2*i)
				many = append(many, r)
			}
			return d.SetRelocs(s, many)
		}
		return errors.New("no relocations")
	})
}

// Records are omitted by half first, then by fewer, in the end one by one.
func TestRelocs(t *testing.T) {
	c := withRecords(t, 5)
	section, all := records(t, c.Inputs[0].Data)
	if !slices.Equal(all, []string{"0+0", "1+1", "2+0", "3+3", "4+0"}) {
		t.Fatalf("%v", all)
	}
	var got []string
	for _, q := range asked(t, c, (*reducer).relocs) {
		if s, left := records(t, q.Inputs[0].Data); s == section && len(left) < len(all) {
			got = append(got, strings.Join(left, " "))
		}
	}
	want := []string{"3+3 4+0", "0+0 1+1 2+0", "1+1 2+0 3+3 4+0", "0+0 2+0 3+3 4+0", "0+0 1+1 3+3 4+0", "0+0 1+1 2+0 4+0", "0+0 1+1 2+0 3+3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Addends become zero one by one, those that are zero stay as they are.
func TestValues(t *testing.T) {
	c := withRecords(t, 5)
	var got []string
	for _, q := range asked(t, c, (*reducer).values) {
		_, list := records(t, q.Inputs[0].Data)
		got = append(got, strings.Join(list, " "))
	}
	if want := []string{"0+0 1+0 2+0 3+3 4+0", "0+0 1+1 2+0 3+0 4+0"}; !slices.Equal(got[:min(2, len(got))], want) {
		t.Errorf("%q, want %q first", got, want)
	}
}

// Every symbol but the first is omitted alone, the last one first.
func TestSymbols(t *testing.T) {
	c := edit(t, func(*cubin.Editor) error { return nil })
	names := func(data []byte) (list []string) {
		d := draft(t, data)
		syms, err := d.Symbols(d.Symtab())
		if err != nil {
			t.Fatal(err)
		}
		for i := range syms {
			list = append(list, fmt.Sprint(syms[i].Name, syms[i].Shndx, syms[i].Value))
		}
		return list
	}
	all := names(c.Inputs[0].Data)
	var want, got []string
	for k := len(all) - 1; k > 0; k-- {
		d := draft(t, c.Inputs[0].Data)
		if _, err := d.Drop(nil, map[int][]int{d.Symtab(): {k}}); err == nil && d.Layout() == nil {
			want = append(want, strings.Join(slices.Delete(slices.Clone(all), k, k+1), " "))
		}
	}
	for _, q := range asked(t, c, (*reducer).symbols) {
		got = append(got, strings.Join(names(q.Inputs[0].Data), " "))
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Of each function and each variable's data the bytes become zero, of a table each record is removed.
func TestBodies(t *testing.T) {
	c := edit(t, func(*cubin.Editor) error { return nil })
	d := draft(t, c.Inputs[0].Data)
	empty, shorter := 0, 0
	for s := 1; s < d.NumSections(); s++ {
		switch p := d.Part(s); {
		case cubin.IsInfo(p.Type):
			list, err := d.Info(s)
			if err != nil {
				t.Fatal(err)
			}
			shorter += len(list)
		case p.Type == cuda.SHTProgbits && strings.Trim(string(d.Data(s)), "\x00") != "", p.Type == cuda.SHTCudaGlobalInit && len(d.Data(s)) > 0:
			empty++
		}
	}
	var gotEmpty, gotShorter int
	for _, q := range asked(t, c, (*reducer).bodies) {
		n := draft(t, q.Inputs[0].Data)
		if n.NumSections() != d.NumSections() {
			t.Fatalf("%d sections", n.NumSections())
		}
		for s := 1; s < d.NumSections(); s++ {
			switch {
			case reflect.DeepEqual(n.Data(s), d.Data(s)):
			case cubin.IsInfo(d.Part(s).Type):
				gotShorter++
			case len(n.Data(s)) == len(d.Data(s)) && strings.Trim(string(n.Data(s)), "\x00") == "":
				gotEmpty++
			default:
				t.Errorf("section %d is %x", s, n.Data(s))
			}
		}
	}
	if gotEmpty != empty || gotShorter != shorter || empty == 0 || shorter == 0 {
		t.Errorf("%d emptied, want %d; %d without a record, want %d", gotEmpty, empty, gotShorter, shorter)
	}
}

// A section goes with its symbols and with those that hang on it, and in a second question without those.
func TestSections(t *testing.T) {
	c := withRecords(t, 1)
	d := draft(t, c.Inputs[0].Data)
	rela, _ := records(t, c.Inputs[0].Data)
	text := int(d.Part(rela).Info)
	if got := family(d, text, true); !slices.Equal(got, []int{text}) {
		t.Errorf("alone: %v", got)
	}
	with := family(d, text, false)
	if len(with) < 2 || with[0] != text || !slices.Contains(with, rela) || slices.Contains(with[1:], text) {
		t.Errorf("%v, want %d first and %d", with, text, rela)
	}
	for _, k := range with[1:] {
		if p := d.Part(k); int(p.Info) != text || p.Flags&cuda.SHFInfoLink == 0 && !cubin.IsRelocs(p.Type) {
			t.Errorf("section %d doesn't hang on %d", k, text)
		}
	}
	in := symbolsOf(d, text)[d.Symtab()]
	syms, err := d.Symbols(d.Symtab())
	if err != nil {
		t.Fatal(err)
	}
	for k := range syms {
		if n, ok := syms[k].Section(); k > 0 && (ok && int(n) == text) != slices.Contains(in, k) {
			t.Errorf("symbol %d in section %d: %v", k, n, in)
		}
	}
	if got := symbolsOf(d, d.Symtab()); got != nil {
		t.Errorf("symbols in the symbol table: %v", got)
	}
	for _, q := range asked(t, c, (*reducer).sections) {
		n := draft(t, q.Inputs[0].Data)
		if n.NumSections() >= d.NumSections() || n.Symtab() == 0 {
			t.Errorf("%d sections of %d", n.NumSections(), d.NumSections())
		}
	}
}

// Options go one by one but for the target, inputs one by one as long as two are left.
func TestOptionsAndInputs(t *testing.T) {
	c := &Case{Release: "13.0", Options: []string{"-g", "-arch=sm_90", "-v", "-ar"}, Inputs: []File{{"a", []byte("1")}, {"b", []byte("2")}, {"c", []byte("3")}}}
	show := func(list []*Case) (text []string) {
		for _, q := range list {
			text = append(text, strings.Join(q.Args(), " "))
		}
		return text
	}
	if got, want := show(asked(t, c, (*reducer).options)), []string{"-arch=sm_90 -v -ar a b c -o out.cubin", "-g -arch=sm_90 -ar a b c -o out.cubin", "-g -arch=sm_90 -v a b c -o out.cubin"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, want := show(asked(t, c, (*reducer).inputs)), []string{"-g -arch=sm_90 -v -ar a b -o out.cubin", "-g -arch=sm_90 -v -ar a c -o out.cubin", "-g -arch=sm_90 -v -ar b c -o out.cubin"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	c.Inputs = c.Inputs[:1]
	if got := asked(t, c, (*reducer).inputs); len(got) != 0 {
		t.Errorf("the last input: %q", show(got))
	}
	// What is no cubin is kept as it is.
	for name, pass := range map[string]func(*reducer) bool{"sections": (*reducer).sections, "relocs": (*reducer).relocs, "symbols": (*reducer).symbols, "bodies": (*reducer).bodies, "values": (*reducer).values} {
		if got := asked(t, c, pass); len(got) != 0 {
			t.Errorf("%s: %q", name, show(got))
		}
	}
}

// A question is put once; those of a reduction end at the limit, and with the context.
func TestLimit(t *testing.T) {
	c := sample(t)
	n := 0
	same := func(context.Context, *Case) string { n++; return "same" }
	for _, limit := range []int{0, 1, 3} {
		n = 0
		small, stats := Reduce(t.Context(), c, same, limit)
		if stats != (Stats{limit, limit}) || n != limit+2 || (small == c) != (limit == 0) {
			t.Errorf("limit %d: %+v, %d times", limit, stats, n)
		}
	}
	r := &reducer{ctx: t.Context(), want: "same", best: c, asked: map[string]bool{}, key: same}
	if !r.try(c) || r.try(c) || r.try(nil) || r.stats != (Stats{1, 1}) {
		t.Errorf("%+v", r.stats)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r = &reducer{ctx: ended, want: "same", best: c, asked: map[string]bool{}, key: same}
	if r.try(c) || r.stats.Asked != 0 {
		t.Error("asked after the end")
	}
	if small, stats := Reduce(ended, c, same, 100); small != c || stats != (Stats{}) {
		t.Errorf("%+v", stats)
	}
}

// A command file has the tool's name first, then an argument a line; names of files that are there are inputs.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("a.cubin", "aa")
	put("b.cubin", "b")
	put("command", "nvlink 12.4\n-arch\nsm_80\na.cubin\n-o\nelsewhere\n-L\nsub/b.cubin\nb.cubin\n")
	c, err := Load(dir)
	want := &Case{"12.4", []string{"-arch", "sm_80", "-L", "sub/b.cubin"}, []File{{"a.cubin", []byte("aa")}, {"b.cubin", []byte("b")}}}
	if err != nil || !reflect.DeepEqual(c, want) || c.Size() != 3 || strings.Join(c.Args(), " ") != "-arch sm_80 -L sub/b.cubin a.cubin b.cubin -o out.cubin" {
		t.Errorf("%+v, %v", c, err)
	}
	for text, message := range map[string]string{
		"nvlink 12.4\n-v\n": dir + ": no input", "nvlink": `the first line is "nvlink", want "nvlink RELEASE"`, "ptxas 12.4\na.cubin": `the first line is "ptxas 12.4"`,
	} {
		put("command", text)
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	put("command", "nvlink 12.4\nfolder\na.cubin\n")
	var fault *fs.PathError
	if _, err := Load(dir); !errors.As(err, &fault) || !strings.HasSuffix(fault.Path, "folder") {
		t.Errorf("a folder as an input: %v", err)
	}
}

// Every part of a case is in its name, and what is saved is all there is.
func TestHash(t *testing.T) {
	base := func() *Case { return &Case{"13.0", []string{"-g"}, []File{{"a", []byte("1")}, {"b", []byte("2")}}} }
	seen := map[string]int{base().Hash(): -1}
	for i, change := range []func(*Case){
		func(c *Case) { c.Release = "12.4" }, func(c *Case) { c.Options = nil }, func(c *Case) { c.Inputs[0].Name = "c" }, func(c *Case) { c.Inputs[1].Data = []byte("3") },
		func(c *Case) { c.Inputs = c.Inputs[:1] }, func(c *Case) { c.Inputs[0].Data, c.Inputs[1].Data = []byte("12"), nil },
	} {
		c := base()
		change(c)
		if was, ok := seen[c.Hash()]; ok || len(c.Hash()) != 12 {
			t.Errorf("change %d is named as %d: %s", i, was, c.Hash())
		}
		seen[c.Hash()] = i
	}
	dir := filepath.Join(t.TempDir(), "deep", "er")
	for _, story := range []string{"", "why"} {
		if err := base().Save(dir, story); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "story.txt"))
		if string(text) != story || (err == nil) != (story != "") {
			t.Errorf("story %q: %q, %v", story, text, err)
		}
	}
	text, _ := os.ReadFile(filepath.Join(dir, "command"))
	if string(text) != "nvlink 13.0\n-g\na\nb\n-o\nout.cubin\n" {
		t.Errorf("%q", text)
	}
	if err := base().Save(filepath.Join(dir, "command"), ""); err == nil {
		t.Error("saved into a file")
	}
	if c := base(); c.with(0, []byte("1")) != nil || string(c.with(0, []byte("x")).Inputs[0].Data) != "x" || string(c.Inputs[0].Data) != "1" {
		t.Error("with")
	}
}
