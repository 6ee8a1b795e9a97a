package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

func setFor(t *testing.T, release string, args ...string) *Set {
	t.Helper()
	r, _ := cmdline.ParseRelease(release)
	cmd, err := cmdline.Parse(r, append([]string{"-arch=sm_75", "a.cubin", "-o", "out"}, args...), given{}.read)
	if err != nil {
		t.Fatal(err)
	}
	return New(cmd, NewReader(given{}.read))
}

// What a host object refers to adds up; of one that doesn't list its kernels nothing is known, and the kernels that the
// device runtime launches are counted apart.
func TestRefer(t *testing.T) {
	some := &container.References{ListsKernels: true, Kernels: []string{"k"}, InternalKernels: []string{"i", "j"}, Variables: []string{"v"}, InternalVariables: []string{"w"}, Constants: []string{"c"}, InternalConstants: []string{"d"}}
	unlisted := &container.References{Kernels: []string{"x"}, Variables: []string{"x"}}
	for _, c := range []struct {
		name       string
		of         *container.References
		incomplete bool
		kernels    []string
		internal   []string
		variables  []string
		runtimes   int
	}{
		{"a.o", some, false, []string{"k"}, []string{"i", "j"}, []string{"v", "w", "c", "d"}, 0},
		{"libcudadevrt.a:a.o", some, false, []string{"k"}, []string{"i", "j"}, []string{"v", "w", "c", "d"}, 3},
		{"a.o", nil, true, nil, nil, nil, 0},
		{"a.o", unlisted, true, nil, nil, nil, 0},
	} {
		s := setFor(t, "13.0")
		s.refer(c.name, &container.Object{References: c.of})
		if s.objects != 1 || s.incomplete != c.incomplete || s.runtimes != c.runtimes || !slices.Equal(s.host.Kernels, c.kernels) || !slices.Equal(s.host.InternalKernels, c.internal) || !slices.Equal(s.variables, c.variables) {
			t.Errorf("%s: %+v, runtimes %d, variables %v", c.name, s.host, s.runtimes, s.variables)
		}
		if c.of == some {
			if s.refer("b.o", &container.Object{References: some}); s.objects != 2 || len(s.host.Kernels) != 2 || len(s.host.InternalKernels) != 4 || len(s.variables) != 8 || s.runtimes != c.runtimes {
				t.Errorf("%s twice: %+v", c.name, s.host)
			}
		}
	}
}

// Of several identifiers nvlink 12.4 registers the first alone where it linked one fatbinary.
func TestRegister(t *testing.T) {
	for _, c := range []struct {
		release string
		ids     []string
		linked  int
		want    int
	}{
		{"12.4", []string{"a"}, 1, 1}, {"12.4", []string{"a", "b"}, 1, 1}, {"12.4", []string{"a", "b"}, 2, 2}, {"12.4", nil, 1, 0},
		{"13.0", []string{"a"}, 1, 1}, {"13.0", []string{"a", "b"}, 1, 2}, {"13.0", []string{"a", "b"}, 2, 2},
	} {
		s := setFor(t, c.release)
		if s.register(&container.Object{ModuleIDs: c.ids}, c.linked); len(s.Registered) != c.want || c.want > 0 && s.Registered[0] != (Registration{ID: "a"}) {
			t.Errorf("%s, %v, %d linked: %v", c.release, c.ids, c.linked, s.Registered)
		}
	}
}

// The first file whose device code is ignored is told, and only where nothing is linked.
func TestIgnored(t *testing.T) {
	part := partObject(t)
	device := embedded(t, part)
	g := given{"a.elf": device, "b.elf": device, "empty.elf": {}, "c.cubin": device, "o.o": device}
	const told = "nvlink fatal   : nothing is linked: 'FILE' has device code, but nvlink ignores files of that name; --as-nvlink makes the empty image that nvlink makes"
	for args, want := range map[string]string{
		"-arch=sm_75 a.elf b.elf": "a.elf", "-arch=sm_75 b.elf a.elf": "b.elf", "-arch=sm_75 empty.elf b.elf": "b.elf",
		"-arch=sm_75 a.elf c.cubin": "", "-arch=compute_75 a.elf": "", "-arch=sm_75 empty.elf": "",
	} {
		s, said := g.add(t, "13.0", args)
		var expected []string
		if want != "" {
			expected = []string{strings.Replace(told, "FILE", want, 1)}
		}
		if diff := cmp.Diff(expected, said); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
		if s.incomplete != strings.Contains(args, ".cubin") {
			t.Errorf("%s: what the host refers to is unknown: %v", args, s.incomplete)
		}
	}
	s := setFor(t, "11.8")
	if s.noteIgnored("o.o", device); !s.incomplete || !strings.HasPrefix(s.ignoredCode, "'o.o' has") {
		t.Errorf("%v, %q", s.incomplete, s.ignoredCode)
	}
}

func TestIsExecutable(t *testing.T) {
	data := make([]byte, 64)
	data[16], data[17] = byte(cuda.ETExec), byte(cuda.ETExec>>8)
	for n, want := range map[int]bool{64: true, 18: true, 17: false, 16: false, 0: false} {
		if got := isExecutable(data[:n]); got != want {
			t.Errorf("%d bytes: %v", n, got)
		}
	}
	data[17] ^= 1
	if isExecutable(data) {
		t.Error("another type")
	}
}

// Members that have no device code are lost silently from us; of the others each is told.
func TestMembers(t *testing.T) {
	object := partObject(t)
	section := strings.Index(string(object), "__nv_relfatbin\x00")
	plain := slices.Clone(object)
	copy(plain[section:], ".nv_fatbin\x00") // device code that is linked already
	thin := func(name string) []byte {
		return append([]byte("!<thin>\n"), header(name, 100)...)
	}
	g := given{
		"text.a": archive("x", []byte("text"), "h.o", plain, "p.o", object),
		"in.a":   archive("in.a", archive("h.o", plain, "p.o", object)),
		"thin.a": thin("gone.o"),
	}
	const told = ", which nvlink drops silently: linked"
	for args, want := range map[string][]string{
		"-arch=sm_75 text.a": {"nvlink info    : 'text.a:p.o' comes after a member that is not an ELF file" + told},
		"-arch=sm_75 in.a":   {"nvlink info    : 'in.a:in.a:p.o' is in a nested archive" + told},
		"-arch=sm_75 thin.a": {"nvlink fatal   : Could not open input file 'gone.o'", "nvlink fatal   : elfLink internal error"},
	} {
		s, said := g.add(t, "13.0", args)
		if diff := cmp.Diff(want, said); diff != "" || len(s.Objects) != len(want)%2 {
			t.Errorf("%s: %d objects; %s", args, len(s.Objects), diff)
		}
	}
	for _, c := range []struct {
		p    part
		want bool
	}{
		{part{}, true}, {part{host: &container.Object{}}, false}, {part{host: &container.Object{Segment: true}}, false},
		{part{host: &container.Object{Relocatable: []container.Fatbin{{}}}}, false}, {part{host: &container.Object{Segment: true, Relocatable: []container.Fatbin{{}}}}, true},
	} {
		if got := c.p.carries(); got != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

// A library that is skipped is reported, in the folder where it is, and as an error under -Werror; the first that fits counts.
func TestSkippedLibrary(t *testing.T) {
	whole := archive("p.o", partObject(t))
	g := given{"one/libx.a": []byte("nothing"), "two/libx.a": whole, "three/libx.a": whole, "in/libx.a": archive("x", []byte("text!!"), "p.o", partObject(t))}
	look := func(release string, args ...string) (string, []engine.Diagnostic, bool) {
		r, _ := cmdline.ParseRelease(release)
		cmd, err := cmdline.Parse(r, append([]string{"-arch=sm_75", "-lx", "-o", "out", "a.cubin"}, args...), g.read)
		if err != nil {
			t.Fatal(err)
		}
		path, said := New(cmd, NewReader(g.read)).Library("x")
		return path, said, cmd.Failed
	}
	for _, c := range []struct {
		args     string
		path     string
		severity engine.Severity
		failed   bool
	}{
		{"-Lone -Lnone -Ltwo -Lthree", "two/libx.a", engine.Warning, false},
		{"-Lnone -Lone -Lthree -Ltwo -Werror", "", engine.Error, true},
		{"-Lthree/ -Ltwo", "three/libx.a", 0, false},
		{"-Lin", "in/libx.a", 0, false},
		{"-Lone", "", engine.Warning, false},
		{"-Lnone", "", 0, false},
	} {
		path, said, failed := look("13.0", strings.Fields(c.args)...)
		if path != c.path || failed != c.failed || (len(said) > 0) != (c.severity != 0) {
			t.Errorf("%s: %q, %v, %v", c.args, path, said, failed)
		} else if len(said) > 0 && (said[0].Severity != c.severity || said[0].File != "one/libx.a" || said[0].Kind != engine.BadOption) {
			t.Errorf("%s: %+v", c.args, said[0])
		}
	}
	if path, said, _ := look("13.0", "-Lone", "-Ltwo", "-disable-infos"); path != "two/libx.a" || said != nil {
		t.Errorf("%q, %v", path, said)
	}
	dir := t.TempDir()
	for _, name := range []string{"b/libx.a", "c/libx.a", "c/liby.a"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := &cmdline.Preview{Inputs: []string{"in"}, Libraries: []string{"x", "none", "y"}, LibraryPaths: []string{dir + "/a", dir + "/b/", dir + "/c"}}
	if got := Files(p); !slices.Equal(got, []string{"in", dir + "/b/libx.a", dir + "/c/liby.a"}) {
		t.Errorf("%q", got)
	}
}
