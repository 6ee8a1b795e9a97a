package inputs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/hostelf"
)

// sections makes a host object of sections, a name and its content by turns.
func sections(typ uint16, list ...string) []byte {
	var of []hostelf.Section
	for pair := range slices.Chunk(list, 2) {
		of = append(of, hostelf.Section{Name: pair[0], Data: []byte(pair[1])})
	}
	return hostelf.Encode(typ, of...)
}

func fatbinFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "container", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What nvlink drops with exit status 0 and silently, each kind of it: here
// it is linked and said; an object that can't be distinguished from one that is
// linked elsewhere is an error; with --as-nvlink it is dropped, with a warning.
// By runs of nvlink 11.8.89, 12.4.131 and 13.0.88 on such files.
func TestLosses(t *testing.T) {
	fat := fatbinFile(t, "13.0-plain.fatbin")
	two := string(fat) + string(fat)
	merged := sections(hostelf.Object, "__nv_relfatbin", two, ".nvFatBinSegment", strings.Repeat("\x00", 24), "__nv_module_id", "_a\x00_b\x00")
	cubin := deviceCode(t, fat)
	executable := slices.Clone(cubin)
	executable[16] = cuda.ETExec
	executables := slices.Clone(fat)
	executables[strings.Index(string(fat), "\x7fELF")+16] = cuda.ETExec
	bsd := archive("p.o", append([]byte("a_rather_long_name.o"), partObject(t)...))
	copy(bsd[8:], "#1/20           ")
	g := given{
		"bsd.a":    bsd,
		"empty.a":  archive("none", []byte{}, "p.o", partObject(t)),
		"merged.o": merged,                                                  // of ld -r
		"cubins.a": archive("c.cubin", cubin),                               // an archive of cubins
		"fats.a":   archive("f.fatbin", fat),                                // an archive of fatbinaries
		"text.a":   archive("README", []byte("text"), "p.o", partObject(t)), // first member no ELF file
		"nested.a": archive("in.a", archive("p.o", partObject(t))),
		"lib.so":   sections(hostelf.Shared, "__nv_relfatbin", string(fat), ".nvFatBinSegment", strings.Repeat("\x00", 24)),
		"c.elf":    cubin, // a name that nvlink doesn't know
		"x.cubin":  executable,
		"x.fatbin": executables,
		"c.ptx":    fatbinFile(t, "prog.ptx"),
	}
	const told = ", which nvlink drops silently: linked"
	for _, c := range []struct {
		file, arch    string
		linked, loose int // objects, without and with --as-nvlink
		said          string
		warned        string
	}{
		{"merged.o", "sm_80", 2, 1, "nvlink info    : 'merged.o' has 2 fatbinaries: all but the first" + told,
			"nvlink warning : 'merged.o' has 2 fatbinaries: all but the first: dropped, as nvlink does"},
		{"cubins.a", "sm_80", 1, 0, "nvlink info    : 'cubins.a:c.cubin' is a cubin in an archive" + told,
			"nvlink warning : 'cubins.a:c.cubin' is a cubin in an archive: dropped, as nvlink does"},
		{"fats.a", "sm_80", 1, 0, "nvlink info    : 'fats.a:f.fatbin' is a fatbinary in an archive" + told,
			"nvlink warning : 'fats.a:f.fatbin' is a fatbinary in an archive: dropped, as nvlink does"},
		{"text.a", "sm_75", 1, 0, "nvlink info    : 'text.a:p.o' comes after a member that is not an ELF file" + told,
			"nvlink warning : 'text.a:p.o' comes after a member that is not an ELF file: dropped, as nvlink does"},
		{"empty.a", "sm_75", 1, 0, "nvlink info    : 'empty.a:p.o' comes after a member that is not an ELF file" + told,
			"nvlink warning : 'empty.a:p.o' comes after a member that is not an ELF file: dropped, as nvlink does"},
		{"bsd.a", "sm_75", 1, 0, "nvlink info    : 'bsd.a:a_rather_long_name.o' has a BSD long name" + told,
			"nvlink warning : 'bsd.a:a_rather_long_name.o' has a BSD long name: dropped, as nvlink does"},
		{"nested.a", "sm_75", 1, 0, "nvlink info    : 'nested.a:in.a:p.o' is in a nested archive" + told,
			"nvlink warning : 'nested.a:in.a:p.o' is in a nested archive: dropped, as nvlink does"},
		{"lib.so", "sm_80", 0, 0, "nvlink fatal   : nothing is linked: 'lib.so' is a shared object: its device code is linked already; --as-nvlink makes the empty image that nvlink makes",
			"nvlink warning : the image is empty: 'lib.so' is a shared object: its device code is linked already"},
		{"x.cubin", "sm_90", 0, 0, "nvlink fatal   : 'x.cubin' is an executable, not an object, which nvlink 13.0 ignores silently: compile with ptxas -c, or link its objects, or give --as-nvlink",
			"nvlink warning : 'x.cubin' is an executable, not an object: dropped, as nvlink does"},
		{"x.fatbin", "sm_80", 0, 0, "nvlink fatal   : 'x.fatbin' is an executable, not an object, which nvlink 13.0 ignores silently: compile with ptxas -c, or link its objects, or give --as-nvlink",
			"nvlink warning : 'x.fatbin' is an executable, not an object: dropped, as nvlink does"},
		{"c.ptx", "sm_89", 0, 0, "nvlink fatal   : 'c.ptx' is PTX, which nvlink 13.0 ignores silently: compile it with ptxas -c, or give --as-nvlink",
			"nvlink warning : 'c.ptx' is PTX: dropped, as nvlink does"},
		// Of this nvlink compiles and links (sm_90 to sm_121).
		{"c.ptx", "sm_90", 0, 0, "nvlink fatal   : input file 'c.ptx': PTX for compute_75, to be compiled for sm_90, is not supported by twinlink: --lto-with=auto compiles it with a ptxas of 13.0",
			"nvlink fatal   : input file 'c.ptx': PTX for compute_75, to be compiled for sm_90, is not supported by twinlink: --lto-with=auto compiles it with a ptxas of 13.0"},
		{"c.elf", "sm_80", 0, 0, "nvlink fatal   : nothing is linked: 'c.elf' has device code, but nvlink ignores files of that name; --as-nvlink makes the empty image that nvlink makes",
			"nvlink warning : the image is empty: 'c.elf' has device code, but nvlink ignores files of that name"},
	} {
		s, said := g.add(t, "13.0", "-arch="+c.arch+" "+c.file)
		if diff := cmp.Diff([]string{c.said}, said); diff != "" || len(s.Objects) != c.linked {
			t.Errorf("%s: %d objects, want %d; said %s", c.file, len(s.Objects), c.linked, diff)
		}
		s, said = g.add(t, "13.0", "--as-nvlink -arch="+c.arch+" "+c.file)
		// What is dropped beside the warning is dropped once: Finish may repeat it.
		if len(said) == 0 || said[0] != c.warned && said[len(said)-1] != c.warned || len(s.Objects) != c.loose {
			t.Errorf("%s: with --as-nvlink %d objects, want %d; said %q, want %q", c.file, len(s.Objects), c.loose, said, c.warned)
		}
	}
}

// deviceCode is the cubin in a fatbinary that isn't compressed.
func deviceCode(t *testing.T, fat []byte) []byte {
	t.Helper()
	at := strings.Index(string(fat), "\x7fELF")
	if at < 0 {
		t.Fatal("no cubin in the fatbinary")
	}
	size := binary.LittleEndian.Uint64(fat[24:])
	return fat[at : at+int(size)]
}

// A file that can't be read ends the link with an error that names file, member,
// offset and value.
func TestBadFiles(t *testing.T) {
	o := partObject(t)
	at := strings.Index(string(o), "\x50\xed\x55\xba")
	broken := func(off int, with ...byte) []byte {
		b := append([]byte(nil), o...)
		copy(b[at+off:], with)
		return b
	}
	lying := archive("p.o", o)
	copy(lying[8+48:], "9999999999")
	cut := archive("p.o", o)
	for name, c := range map[string]struct {
		file string
		data []byte
		want []string // parts of what is said
	}{
		"archive with a size beyond its end": {"l.a", lying, []string{"unexpected archive format", "l.a: out of bounds at offset 0x38: value 0x2540be3ff"}},
		"archive that is cut":                {"l.a", cut[:len(cut)-100], []string{"l.a: out of bounds at offset 0x38"}},
		"fatbinary longer than its section":  {"l.a", archive("p.o", broken(8, 0xff, 0xff, 0xff)), []string{"Could not find fatbin in 'l.a:p.o'", "value 0xffffff"}},
		"member longer than its fatbinary":   {"p.o", broken(16+8, 0xff, 0xff, 0xff), []string{"'p.o'", "a member is longer than the fatbinary"}},
		"member with two compressions":       {"p.o", broken(16+41, 0xa0), []string{"compressed in two ways"}},
		"four gigabytes":                     {"p.o", broken(16+56, 0, 0, 0, 0, 1), []string{"p.o:sm_75: over budget at offset", "value 0x100000000"}},
	} {
		_, said := given{c.file: c.data}.add(t, "13.0", "-arch=sm_75 "+c.file)
		text := strings.Join(said, "\n")
		for _, part := range c.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: said %q, want %q", name, text, part)
			}
		}
		if !strings.Contains(text, "nvlink fatal") {
			t.Errorf("%s: no fatal error: %q", name, text)
		}
	}
}

// All that nvlink says of an archive whose first header has no end mark, by release; what is wrong with it we add to
// the first line.
func TestBadArchive(t *testing.T) {
	bad := []byte("!<arch>\n" + strings.Repeat("x", 80))
	for release, first := range map[string]string{"11.8": "Memory allocation failure", "12.4": "Memory allocation failure", "13.0": "unexpected archive format", "13.5": "unexpected archive format"} {
		_, said := given{"bad.a": bad}.add(t, release, "-arch=sm_75 bad.a")
		if len(said) != 2 || !strings.HasPrefix(said[0], "nvlink fatal   : "+first) || said[1] != "nvlink fatal   : elfLink internal error" {
			t.Errorf("%s: %q", release, said)
		}
	}
}

// A member of a kind that nobody knows is not chosen, and nothing is said of it
// but that there is no code for the target.
func TestUnknownKind(t *testing.T) {
	o := partObject(t)
	at := strings.Index(string(o), "\x50\xed\x55\xba")
	o = append([]byte(nil), o...)
	o[at+16] = 77
	_, said := given{"p.o": o}.add(t, "13.0", "-arch=sm_75 p.o")
	if diff := cmp.Diff([]string{"nvlink warning : SM Arch ('sm_75') not found in 'p.o'"}, said); diff != "" {
		t.Error(diff)
	}
}

// Objects of other machines, classes and byte orders have no device code for
// nvlink; what the host refers to is then unknown.
func TestForeignObjects(t *testing.T) {
	for name, at := range map[string]struct {
		off   int
		value byte
	}{"32 bits": {4, 1}, "big endian": {5, 2}} {
		o := append([]byte(nil), partObject(t)...)
		o[at.off] = at.value
		s, said := given{"p.o": o}.add(t, "13.0", "-arch=sm_75 p.o")
		if len(s.Objects) != 0 || len(said) != 0 {
			t.Errorf("%s: %d objects, said %q", name, len(s.Objects), said)
		}
	}
	o := append([]byte(nil), partObject(t)...)
	o[18] = 183 // AArch64
	if s, said := (given{"p.o": o}).add(t, "13.0", "-arch=sm_75 p.o"); len(s.Objects) != 1 || said != nil {
		t.Errorf("AArch64: %d objects, said %q", len(s.Objects), said)
	}
}

// A member that can't be read ends the link; those after it aren't looked at.
func TestArchiveEnds(t *testing.T) {
	o := partObject(t)
	at := strings.Index(string(o), "\x50\xed\x55\xba")
	bad := append([]byte(nil), o...)
	copy(bad[at+16+8:], []byte{0xff, 0xff, 0xff})
	for _, c := range []struct {
		data  []byte
		fatal int // in how many members
		kept  int
	}{
		{archive("p.o", o, "q.o", o), 0, 2},
		{archive("p.o", o, "q.o", bad), 1, 1},
		{archive("p.o", bad, "q.o", o), 1, 0},
		{archive("p.o", bad, "q.o", bad), 1, 0},
	} {
		s, said := given{"l.a": c.data}.add(t, "13.0", "-arch=sm_75 l.a")
		fatal := 0
		for _, line := range said {
			if strings.Contains(line, "a member is longer than the fatbinary") {
				fatal++
			}
		}
		if fatal != c.fatal || len(s.Objects) != c.kept {
			t.Errorf("%d members in error, want %d; %d objects, want %d: %q", fatal, c.fatal, len(s.Objects), c.kept, said)
		}
	}
}
