package container

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ar makes an archive with the machine's ar; its members' names are long.
func ar(t *testing.T, flags string, members map[string][]byte, order ...string) string {
	t.Helper()
	if _, err := exec.LookPath("ar"); err != nil {
		t.Skip("SKIPPED: no ar here (Debian: package binutils)")
	}
	folder := t.TempDir()
	for name, data := range members {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("ar", append([]string{flags, "lib.a"}, order...)...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ar: %s: %s", err, out)
	}
	return filepath.Join(folder, "lib.a")
}

func names(f *File, cut string) []string {
	var list []string
	for i := range f.Members {
		list = append(list, strings.TrimPrefix(f.Members[i].Name(), cut))
	}
	return list
}

func TestArchive(t *testing.T) {
	members := map[string][]byte{
		"a.o":                            load(t, "13.0-part.o"),
		"a_name_longer_than_sixteen.o":   load(t, "13.0-part.o"),
		"text":                           []byte("no device code"),
		"another_name_of_many_letters.f": load(t, "11.8-lz4.fatbin"),
	}
	want := []string{":a.o:sm_75", ":a.o:sm_120", ":a.o:compute_120",
		":a_name_longer_than_sixteen.o:sm_75", ":a_name_longer_than_sixteen.o:sm_120", ":a_name_longer_than_sixteen.o:compute_120",
		":another_name_of_many_letters.f:sm_80", ":another_name_of_many_letters.f:compute_75"}
	for _, flags := range []string{"rcs", "rcT", "rcST"} {
		name := ar(t, flags, members, "a.o", "a_name_longer_than_sixteen.o", "text", "another_name_of_many_letters.f")
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(name, data, Options{Read: os.ReadFile})
		if err != nil {
			t.Fatalf("ar %s: %s", flags, err)
		}
		if diff := cmp.Diff(want, names(f, name)); diff != "" {
			t.Errorf("ar %s: %s", flags, diff)
		}
		if len(f.Skipped) != 1 || !errors.Is(f.Skipped[0], &Error{Kind: Unrecognized}) {
			t.Errorf("ar %s: skipped %v", flags, f.Skipped)
		}
	}
}

// member writes an archive's member by hand.
func member(name, size string, content string) string {
	return fmt.Sprintf("%-16s%-12d%-6d%-6d%-8o%-10s`\n%s", name, 0, 0, 0, 0o644, size, content)
}

func TestArchiveFaults(t *testing.T) {
	nested := member("in/", "8", archiveMagic)
	for range MaxDepth {
		inner := archiveMagic + nested
		nested = member("in/", fmt.Sprint(len(inner)), inner)
	}
	for name, c := range map[string]struct {
		text string
		kind ErrorKind
	}{
		"size that is no number": {archiveMagic + member("a/", "x", ""), BadHeader},
		"negative size":          {archiveMagic + member("a/", "-1", ""), BadHeader},
		"size past the end":      {archiveMagic + member("a/", "9", "12345678"), OutOfBounds},
		"enormous size":          {archiveMagic + member("a/", "9999999999", ""), OutOfBounds},
		"cut header":             {archiveMagic + "a/   ", OutOfBounds},
		"no end mark":            {archiveMagic + strings.Replace(member("a/", "0", ""), "`", "'", 1), BadHeader},
		"long name":              {archiveMagic + member("/99", "0", ""), BadHeader},
		"BSD name":               {archiveMagic + member("#1/99", "4", "abcd"), BadHeader},
		"too deep":               {archiveMagic + nested, TooDeep},
	} {
		if _, err := Open("f.a", []byte(c.text), Options{}); !errors.Is(err, &Error{Kind: c.kind}) {
			t.Errorf("%s: got %v, want %q", name, err, c.kind)
		}
	}
}

// A thin archive that names itself ends at the greatest depth.
func TestThinCycle(t *testing.T) {
	text := []byte(thinMagic)
	text = append(text, member("self.a/", "68", "")...)
	_, err := Open("self.a", text, Options{Read: func(string) ([]byte, error) { return text, nil }})
	if !errors.Is(err, &Error{Kind: TooDeep}) {
		t.Errorf("got %v", err)
	}
	f, err := Open("self.a", text, Options{})
	if err != nil || len(f.Skipped) != 1 || !errors.Is(f.Skipped[0], &Error{Kind: Missing}) {
		t.Errorf("without a reader: %v, skipped %v", err, f.Skipped)
	}
}

// A member of any size ends where it says, and the next begins at the even place after it.
func TestArchiveSizes(t *testing.T) {
	text := archiveMagic
	sizes := []int{0, 1, 2, 3, 61, 64, 5}
	for i, size := range sizes {
		text += member(fmt.Sprint("m", i, "/"), fmt.Sprint(size), strings.Repeat("x", size)+"\n"[:size%2])
	}
	list, err := ReadArchive("f.a", []byte(text), nil, NewBudget(len(text)))
	if err != nil || len(list) != len(sizes) {
		t.Fatalf("%d members, %v", len(list), err)
	}
	for i, e := range list {
		if e.Name != fmt.Sprint("m", i) || string(e.Data) != strings.Repeat("x", sizes[i]) {
			t.Errorf("member %d is %s of %d bytes, want %d", i, e.Name, len(e.Data), sizes[i])
		}
	}
}

// The file of a thin archive's member has the size that the archive says.
func TestThinSizes(t *testing.T) {
	text := thinMagic + member("a/", "4", "")
	for content, right := range map[string]bool{"": false, "abc": false, "abcd": true, "abcde": false} {
		list, err := ReadArchive("f.a", []byte(text), func(string) ([]byte, error) { return []byte(content), nil }, NewBudget(len(text)))
		if err != nil || len(list) != 1 {
			t.Fatalf("%d members, %v", len(list), err)
		}
		if (list[0].Err == nil) != right {
			t.Errorf("%q for a member of 4 bytes: %v", content, list[0].Err)
		}
	}
}
