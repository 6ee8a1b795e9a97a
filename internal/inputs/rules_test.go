package inputs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/hostelf"
)

// kinds are what messages are about, by their texts; the first that fits counts.
var kinds = []struct {
	text *regexp.Regexp
	kind engine.DiagKind
}{
	{regexp.MustCompile(`silently|dropped, as nvlink does|omitted, as with nvlink|^nothing is linked|^the image is empty`), engine.Lost},
	{regexp.MustCompile(`^SM Arch|does not match target`), engine.WrongArch},
	{regexp.MustCompile(`^requested LTO|^Ignoring -dlto`), engine.BadOption},
	{regexp.MustCompile(`has no host code`), engine.NoInput},
	{regexp.MustCompile(`is not supported by twinlink`), engine.Unsupported},
	{regexp.MustCompile(`^File '.*' not found|could not be read`), engine.NoInput},
}

// placed holds a message of a file of the command line against the rules for its fields: it is of the kind that its text
// has, and names the file, or the member, that its text names.
func placed(t *testing.T, added string, list []engine.Diagnostic) {
	t.Helper()
	for _, d := range list {
		if d.Severity == engine.Plain {
			continue // of a compiler
		}
		kind := engine.Malformed
		for _, k := range kinds {
			if k.text.MatchString(d.Text) {
				kind = k.kind
				break
			}
		}
		if d.Kind != kind && !(kind == engine.Malformed && d.Kind == engine.NoInput) {
			t.Errorf("%s: %q is of kind %d, want %d", added, d.Text, d.Kind, kind)
		}
		if d.Section != "" || d.Symbol != "" || d.Offset != 0 || d.Value != 0 {
			t.Errorf("%s: %+v has a place", added, d)
		}
		if added == "" || strings.HasPrefix(d.Text, "unexpected object") || strings.HasPrefix(d.Text, "Ignoring") || strings.HasPrefix(d.Text, "expected libcudadevrt") || kind == engine.Unsupported && d.File == "" {
			continue // of no file
		}
		if d.File != added && !strings.HasPrefix(d.File, added+":") {
			t.Errorf("%s: %q names %q", added, d.Text, d.File)
		}
		if i := strings.IndexByte(d.Text, '\''); i >= 0 && strings.HasPrefix(d.Text[i+1:], added) && !strings.HasPrefix(d.Text[i+1:], d.File+"'") {
			t.Errorf("%q names %q", d.Text, d.File)
		}
	}
}

// code is a host object as its sections have it.
func code(fatbins string, ids string) []byte {
	list := []string{"__nv_relfatbin", fatbins, ".nvFatBinSegment", strings.Repeat("\x00", 24)}
	if ids != "" {
		list = append(list, "__nv_module_id", ids)
	}
	return sections(hostelf.Object, list...)
}

// What is linked, registered and said of files: by release, target and options as nvlink's own runs have it (11.8.89, 12.4.131,
// 13.0.88, 13.5.37; see README of the corpus), each row for one rule.
func TestRules(t *testing.T) {
	part := partObject(t)
	fat := part[strings.Index(string(part), "\x50\xed\x55\xba"):]
	fat = fat[:16+binary.LittleEndian.Uint64(fat[8:])] // for sm_75 and sm_120
	cubin := embedded(t, part)
	ptx, err := os.ReadFile(filepath.Join("..", "container", "testdata", "prog.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	two := string(fat) + string(fat)
	g := given{
		"c.cubin": cubin, "f.fatbin": fat, "two.fatbin": []byte(two), "p.ptx": ptx, "p.o": part,
		"one.o": code(string(fat), "_a\x00"), "pair.o": code(two, "_a\x00_b\x00"), "first.o": code(string(fat), "_a\x00_b\x00"), "plain.o": code(string(fat), ""),
		"l.a": archive("one.o", code(string(fat), "_a\x00")), "pair.a": archive("pair.o", code(two, "_a\x00_b\x00")),
		"cudadevrt/c.cubin": cubin, "cudadevrt/f.fatbin": fat, "cudadevrt/one.o": code(string(fat), "_a\x00"),
		"cudadevrt/l.a": archive("one.o", code(string(fat), "_a\x00")), "libcudadevrt.a": archive("one.o", code(string(fat), "_a\x00")),
		"none.fatbin": {}, "text.ptx": []byte("text"),
	}
	const missing = "nvlink warning : SM Arch ('sm_80') not found in 'FILE'"
	const left = "nvlink warning : 'FILE' is omitted, as with nvlink: its path contains 'cudadevrt', and WHY"
	const before, unneeded = "it comes before all other device code", "nothing calls the device runtime; --keep-system-libraries links it"
	leave := func(file, why string) string { return strings.NewReplacer("FILE", file, "WHY", why).Replace(left) }
	id := func(list ...string) (all []Registration) {
		for _, s := range list {
			all = append(all, Registration{ID: s})
		}
		return all
	}
	path := func(list ...string) (all []Registration) {
		for _, s := range list {
			all = append(all, Registration{Path: s})
		}
		return all
	}
	for _, c := range []struct {
		release, args string
		linked        string
		registered    []Registration
		said          []string
	}{
		// Fatbinaries of an object: with a warning for each without code, but in an archive.
		{"13.0", "-arch=sm_75 one.o", "one.o", id("_a"), nil},
		{"13.0", "-arch=sm_80 one.o", "", id("_a"), []string{strings.Replace(missing, "FILE", "one.o", 1)}},
		{"13.0", "-arch=sm_80 pair.o", "", id("_a", "_b"), []string{strings.Replace(missing, "FILE", "pair.o", 1), strings.Replace(missing, "FILE", "pair.o", 1), "nvlink info    : 'pair.o' has 2 fatbinaries: all but the first, which nvlink drops silently: linked"}},
		{"13.0", "-arch=sm_80 l.a", "", id("_a"), nil},
		{"12.4", "-arch=sm_80 -w one.o", "", id("_a"), nil},
		{"13.0", "-arch=sm_80 -w one.o", "", id("_a"), []string{strings.Replace(missing, "FILE", "one.o", 1)}},
		{"13.0", "-arch=sm_80 -disable-infos one.o", "", id("_a"), nil},
		{"13.0", "-arch=sm_80 -Werror one.o p.o", "", id("_a"), []string{"nvlink error   : SM Arch ('sm_80') not found in 'one.o'", "nvlink fatal   : elfLink internal error"}},
		{"13.0", "-arch=sm_80 -Werror one.o l.a", "", id("_a"), []string{"nvlink error   : SM Arch ('sm_80') not found in 'one.o'", "nvlink fatal   : elfLink internal error"}},
		{"13.0", "-arch=sm_80 -Werror one.o f.fatbin", "", id("_a"), []string{"nvlink error   : SM Arch ('sm_80') not found in 'one.o'", "nvlink fatal   : elfLink fatbinary error"}},
		// Identifiers: before 13.0 one for an object, and a path for one that has none.
		{"13.0", "-arch=sm_75 pair.o", "pair.o pair.o", id("_a", "_b"), []string{"nvlink info    : 'pair.o' has 2 fatbinaries: all but the first, which nvlink drops silently: linked"}},
		{"12.4", "-arch=sm_75 --as-nvlink pair.o", "", id("_a"), []string{"nvlink error   : Uncompress failed", "nvlink fatal   : elfLink fatbinary error", "nvlink warning : 'pair.o' has 2 fatbinaries: all but the first: dropped, as nvlink does"}},
		{"13.0", "-arch=sm_75 --as-nvlink pair.o", "pair.o", id("_a", "_b"), []string{"nvlink warning : 'pair.o' has 2 fatbinaries: all but the first: dropped, as nvlink does"}},
		{"13.0", "-arch=sm_75 first.o", "first.o", id("_a", "_b"), nil},
		{"13.0", "-arch=sm_75 plain.o", "plain.o", path("plain.o"), nil},
		{"13.0", "-arch=sm_80 plain.o", "", nil, []string{strings.Replace(missing, "FILE", "plain.o", 1)}},
		{"12.4", "-arch=sm_80 plain.o", "", id("(null)"), []string{strings.Replace(missing, "FILE", "plain.o", 1)}},
		// Cubins and fatbinaries.
		{"13.0", "-arch=sm_75 c.cubin f.fatbin", "c.cubin f.fatbin", path("c.cubin", "f.fatbin"), nil},
		{"13.0", "-arch=sm_80 f.fatbin", "", nil, []string{strings.Replace(missing, "FILE", "f.fatbin", 1)}},
		{"12.4", "-arch=sm_80 f.fatbin", "", id("(null)"), []string{strings.Replace(missing, "FILE", "f.fatbin", 1)}},
		{"13.0", "-arch=sm_75 two.fatbin", "two.fatbin two.fatbin", path("two.fatbin"), []string{"nvlink info    : 'two.fatbin' has 2 fatbinaries: all but the first, which nvlink drops silently: linked"}},
		{"13.5", "-arch=sm_75 --register-link-binaries=r c.cubin f.fatbin p.o", "c.cubin f.fatbin", nil, nil},
		{"11.8", "-arch=sm_75 -m32 c.cubin", "", nil, []string{"nvlink fatal   : Input file 'c.cubin' size does not match target '-m32'"}},
		{"12.4", "-arch=compute_70 c.cubin", "", nil, []string{"nvlink fatal   : Input file 'c.cubin' arch does not match target 'compute_70'"}},
		{"13.0", "-arch=compute_75 c.cubin", "c.cubin", path("c.cubin"), nil},
		{"13.0", "-arch=compute_90 c.cubin", "c.cubin", path("c.cubin"), nil},
		// The device runtime, by its path.
		{"13.0", "-arch=sm_75 cudadevrt/c.cubin", "", nil, []string{leave("cudadevrt/c.cubin", unneeded)}},
		{"13.0", "-arch=sm_75 cudadevrt/f.fatbin", "", nil, []string{leave("cudadevrt/f.fatbin", unneeded)}},
		{"13.0", "-arch=sm_75 cudadevrt/one.o cudadevrt/f.fatbin", "", nil, []string{leave("cudadevrt/one.o", unneeded)}},
		{"13.0", "-arch=sm_75 cudadevrt/l.a one.o", "one.o", id("_a"), []string{leave("cudadevrt/l.a", before)}},
		{"13.0", "-arch=sm_75 one.o cudadevrt/l.a", "one.o", id("_a"), []string{leave("cudadevrt/l.a:one.o", unneeded)}},
		{"13.0", "-arch=sm_75 -keep-system-libraries libcudadevrt.a one.o", "one.o", id("_a"), []string{leave("libcudadevrt.a", before)}},
		{"13.0", "-arch=sm_75 libcudadevrt.a one.o", "one.o", id("_a"), nil},
		{"13.0", "-arch=sm_75 one.o libcudadevrt.a", "one.o", id("_a"), nil},
		{"13.0", "-arch=sm_75 -keep-system-libraries one.o libcudadevrt.a", "one.o libcudadevrt.a:one.o", id("_a", "_a"), nil},
		// PTX is compiled up to 12.x, and ignored later.
		{"12.4", "-arch=sm_75 p.ptx", "", path("p.ptx"), []string{"nvlink fatal   : input file 'p.ptx': PTX for compute_75, to be compiled for sm_75, is not supported by twinlink: --lto-with=auto compiles it with a ptxas of 12.4"}},
		{"12.4", "-arch=sm_75 text.ptx", "", nil, []string{"nvlink fatal   : Could not open input file 'text.ptx'"}},
		{"13.0", "-arch=sm_75 --as-nvlink p.ptx c.cubin", "c.cubin", path("c.cubin"), []string{"nvlink warning : 'p.ptx' is PTX: dropped, as nvlink does"}},
		{"13.0", "-arch=sm_75 p.ptx", "", nil, []string{"nvlink fatal   : 'p.ptx' is PTX, which nvlink 13.0 ignores silently: compile it with ptxas -c, or give --as-nvlink"}},
	} {
		s, said := g.add(t, c.release, c.args)
		name := c.release + " " + c.args
		if got := strings.Join(s.names(), " "); got != c.linked && !strings.Contains(c.args, "register-link") {
			t.Errorf("%s: linked %q, want %q", name, got, c.linked)
		}
		if strings.Contains(c.args, "register-link") {
			const host = "nvlink info    : Input 'FILE' has no host code, which could cause later host link error if there is a reference to it"
			for _, file := range []string{"c.cubin", "f.fatbin"} {
				if !slices.Contains(said, strings.Replace(host, "FILE", file, 1)) {
					t.Errorf("%s: said %q", name, said)
				}
			}
			continue
		}
		if diff := cmp.Diff(c.registered, s.Registered); diff != "" {
			t.Errorf("%s: registered: %s", name, diff)
		}
		if diff := cmp.Diff(c.said, said); diff != "" {
			t.Errorf("%s: said: %s", name, diff)
		}
	}
}
