package container

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unpackAll(t *testing.T, name string) [][]byte {
	t.Helper()
	data := load(t, name)
	f, err := Open(name, data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all [][]byte
	for i := range f.Members {
		content, err := f.Members[i].Data(NewBudget(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, content)
	}
	return all
}

// A release's fatbinary unpacks to what the same release stores unpacked; PTX
// without the line of comment that fatbinary puts before it.
func TestUnpack(t *testing.T) {
	for _, pair := range [][2]string{{"11.8-plain.fatbin", "11.8-lz4.fatbin"}, {"13.0-plain.fatbin", "13.0-zstd.fatbin"}} {
		if diff := cmp.Diff(unpackAll(t, pair[0]), unpackAll(t, pair[1])); diff != "" {
			t.Errorf("%s and %s: %s", pair[0], pair[1], diff)
		}
	}
	members := unpackAll(t, "13.0-zstd.fatbin")
	if !IsDevice(members[0]) || !bytes.Contains(members[1], []byte(".visible .entry count()")) {
		t.Error("not the cubin and the PTX that went in")
	}
}

// facts is what a listing shows of a member.
type facts struct {
	Name, Place, Compression, Identifier, Options string
	Debug, Mercury                                bool
}

func TestListing(t *testing.T) {
	want := map[string][]facts{
		"11.8-lz4.fatbin": {
			{Name: "f:sm_80", Place: "fatbin 0 member 0", Compression: "lz4", Identifier: "prog.cu"},
			{Name: "f:compute_75", Place: "fatbin 0 member 1", Compression: "lz4", Identifier: "prog.cu", Options: "-v"},
		},
		"13.0-zstd.fatbin": {
			{Name: "f:sm_80", Place: "fatbin 0 member 0", Compression: "zstd", Identifier: "prog.cu"},
			{Name: "f:compute_75", Place: "fatbin 0 member 1", Compression: "zstd", Identifier: "prog.cu", Options: "-v"},
		},
		"13.0-part.o": {
			{Name: "f:sm_75", Place: "__nv_relfatbin fatbin 0 member 0", Compression: "zstd"},
			{Name: "f:sm_120", Place: "__nv_relfatbin fatbin 0 member 1", Compression: "zstd", Mercury: true},
			{Name: "f:compute_120", Place: "__nv_relfatbin fatbin 0 member 2", Compression: "zstd", Options: "--compile-only  "},
		},
	}
	for name, list := range want {
		f, err := Open("f", load(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []facts
		for i := range f.Members {
			m := &f.Members[i]
			x := facts{Name: m.Name(), Place: m.Place(), Compression: m.Compression(), Identifier: m.Identifier, Debug: m.Debug(), Mercury: m.Mercury()}
			if m.Kind == PTX {
				x.Options = string(bytes.TrimRight(m.Options, "\x00"))
			}
			got = append(got, x)
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// change returns the file with one byte range replaced.
func change(data []byte, at int, with ...byte) []byte {
	return append(append(append([]byte(nil), data[:at]...), with...), data[at+len(with):]...)
}

// Each fault is an error of its kind at its place; the first piece's header
// begins at 16.
func TestFaults(t *testing.T) {
	plain, lz, zs := load(t, "13.0-plain.fatbin"), load(t, "11.8-lz4.fatbin"), load(t, "13.0-zstd.fatbin")
	for name, c := range map[string]struct {
		data   []byte
		kind   ErrorKind
		offset uint64
	}{
		"cut":                 {plain[:10], Unrecognized, 0},
		"cut in a member":     {plain[:200], OutOfBounds, 8},
		"version":             {change(plain, 4, 2), BadHeader, 4},
		"short header":        {change(plain, 6, 8), BadHeader, 6},
		"member's header":     {change(plain, 20, 32), BadHeader, 20},
		"member's size":       {change(plain, 24, 0xff, 0xff, 0xff), OutOfBounds, 24},
		"a and f":             {change(plain, 16+42, 0x30), BadHeader, 56},
		"two compressions":    {change(zs, 16+41, 0xa0), BadHeader, 56},
		"packed size":         {change(zs, 32, 0xff, 0xff), OutOfBounds, 32},
		"name":                {change(zs, 48, 0xff, 0xff), OutOfBounds, 48},
		"four gigabytes":      {change(zs, 16+56, 0, 0, 0, 0, 1), OverBudget, 88},
		"four gigabytes, lz4": {change(lz, 16+56, 0, 0, 0, 0, 1), BadCompression, 88},
		"larger by one":       {change(zs, 16+56, 0xc9), BadCompression, 88},
		"packed bytes":        {change(lz, 88, 0, 0, 0, 0), BadCompression, 88},
		"garbage behind":      {append(append([]byte(nil), plain...), 1, 2, 3), OutOfBounds, uint64(len(plain))},
	} {
		f, err := Open("f", c.data, Options{})
		if err == nil {
			_, err = f.Members[0].Data(NewBudget(len(c.data)))
		}
		var fault *Error
		if !errors.As(err, &fault) || fault.Kind != c.kind || fault.Offset != c.offset {
			t.Errorf("%s: got %v, want %q at 0x%x", name, err, c.kind, c.offset)
		}
	}
}

// The flags of a member say for what it is: the variant of its architecture shows in its name.
func TestVariants(t *testing.T) {
	plain := load(t, "13.0-plain.fatbin")
	for flags, want := range map[byte]Arch{0x00: {SM: 80}, 0x10: {SM: 80, Variant: 'a'}, 0x20: {SM: 80, Variant: 'f'}} {
		f, err := Open("f", change(plain, 16+42, flags), Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := &f.Members[0]
		if m.Arch != want || m.Name() != "f:sm_"+want.String() {
			t.Errorf("flags %#x: %s, %v, want %v", flags, m.Name(), m.Arch, want)
		}
	}
}

// A frame of zstd that says the size that the header says is refused by the
// budget before a byte is unpacked.
func TestBudget(t *testing.T) {
	data := load(t, "13.0-zstd.fatbin")
	f, err := Open("f", data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Members[0].Data(&Budget{Bytes: f.Members[0].Size - 1}); !errors.Is(err, &Error{Kind: OverBudget}) {
		t.Errorf("one byte too few: %v", err)
	}
	b := &Budget{Bytes: f.Members[0].Size}
	if _, err := f.Members[0].Data(b); err != nil || b.Bytes != 0 {
		t.Errorf("just enough: %v, %d left", err, b.Bytes)
	}
	if _, err := Open("f", data, Options{Budget: &Budget{Members: 2}}); !errors.Is(err, &Error{Kind: OverBudget}) {
		t.Errorf("two visits for a file of two members: %v", err)
	}
	if _, err := Open("f", data, Options{Budget: &Budget{Members: 3}}); err != nil {
		t.Errorf("three visits: %v", err)
	}
}
