package repro

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func packed(t *testing.T, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		if err := add(z, parts[i], []byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "p.zip")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// What is wrong with a pack is told with its name and the member's.
func TestErrors(t *testing.T) {
	good := `{"schema":"twinlink.repro/1"}`
	for _, c := range []struct {
		parts     []string
		part, why string
	}{
		{[]string{"stdout", ""}, "repro.json", "is missing"},
		{[]string{"repro.json", "{"}, "repro.json", "unexpected end of JSON input"},
		{[]string{"repro.json", `{"schema":"x"}`}, "repro.json", `schema "x", want "twinlink.repro/1"`},
		{[]string{"repro.json", good, "files/../a", ""}, "files/../a", "not a file of a run"},
		{[]string{"repro.json", good, "filesa", ""}, "filesa", "not a file of a run"},
	} {
		name := packed(t, c.parts...)
		run, err := Unpack(name, t.TempDir())
		var bad *Error
		if run != nil || !errors.As(err, &bad) || bad.File != name || bad.Part != c.part || bad.Why != c.why {
			t.Errorf("%v: %v", c.parts, err)
			continue
		}
		if want := name + ": " + c.part + ": " + c.why; err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	none := filepath.Join(t.TempDir(), "none.zip")
	if _, err := Unpack(none, t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a pack that isn't there: %v", err)
	}
	if err := os.WriteFile(none, []byte("no zip"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Unpack(none, t.TempDir())
	if want := none + ": zip: not a valid zip file"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	var bad *Error
	if !errors.As(err, &bad) || bad.Part != "" {
		t.Errorf("%v", err)
	}
}

// A member whose bytes aren't what the directory says is refused, and so is more than a pack may hold.
func TestDamagedMember(t *testing.T) {
	name := packed(t, "repro.json", `{"schema":"twinlink.repro/1"}`, "files/a", "some text")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("files/a")) + len("files/a")
	data[at+1] ^= 0x55
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var bad *Error
	if _, err := Unpack(name, dir); !errors.As(err, &bad) || bad.Part != "files/a" {
		t.Errorf("%v", err)
	}
	z, err := zip.OpenReader(packed(t, "a", "12345678", "b", "9"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	u := &unpacker{pack: "p", left: 8}
	if data, err := u.read(z.File[0]); err != nil || string(data) != "12345678" || u.left != 0 {
		t.Errorf("%q, %v, %d left", data, err, u.left)
	}
	if _, err := u.read(z.File[1]); !errors.As(err, &bad) || bad.Error() != "p: b: more than 4294967296 bytes unpacked" {
		t.Errorf("%v", err)
	}
}

func TestContent(t *testing.T) {
	inFolder(t, "d/a.cubin")
	run := &Run{Schema: Schema, Version: "v", Tools: []string{"nvlink"}, Args: []string{"x"}, Status: 2, Stdout: []byte("out"), Stderr: []byte("err")}
	var b bytes.Buffer
	if err := Write(&b, run, []File{{"d/a.cubin", "e/b"}}); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		if f.Modified.Year() > 1980 || f.Method != zip.Deflate {
			t.Errorf("%s: %v, method %d", f.Name, f.Modified, f.Method)
		}
	}
	if want := []string{"repro.json", "stdout", "stderr", "files/e/b"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	text, err := fs.ReadFile(z, "repro.json")
	want := "{\n  \"schema\": \"twinlink.repro/1\",\n  \"version\": \"v\",\n  \"tools\": [\n    \"nvlink\"\n  ],\n  \"args\": [\n    \"x\"\n  ],\n  \"status\": 2\n}\n"
	if err != nil || string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	if err := Write(&b, run, []File{{"missing", "b"}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that isn't there: %v", err)
	}
	if err := Write(full{}, run, nil); err == nil || err.Error() != "full" {
		t.Errorf("no room: %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// Every form in which a command line names a file.
func TestForms(t *testing.T) {
	inFolder(t, "a", "b/a", "lib/x", "1/a")
	up := t.TempDir()
	if err := os.WriteFile(filepath.Join(up, "a"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want, files string }{
		{"-o a", "-o a", ""},
		{"-o " + up + "/a b/a", "-o a b/a", "b/a"},
		{"-o", "-o", ""},
		{"-o -", "-o -", ""},
		{"-o /dev/null a", "-o /dev/null a", "a"},
		{"--report=-", "--report=-", ""},
		{"--out-sass=" + up + "/a", "--out-sass=a", ""},
		{"-time " + up + "/t --time " + up + "/t", "-time t --time t", ""},
		{"-dot-file=" + up + "/t --dot-file " + up + "/t", "-dot-file=t --dot-file t", ""},
		{"-register-link-binaries=" + up + "/t --register-link-binaries=" + up + "/t", "-register-link-binaries=t --register-link-binaries=t", ""},
		{"--output-file " + up + "/t -output-file " + up + "/t", "--output-file t -output-file t", ""},
		{"-L" + up, "-L" + filepath.Base(up), ""},
		{"-L a", "-L a", "a"},
		{"-L", "-L", ""},
		{"-La", "-La", ""},
		{"-Lnone", "-Lnone", ""},
		{"lib " + up, "lib " + filepath.Base(up), ""},
		{"--x=" + up + "/a", "--x=a", "a"},
		{"x=" + up + "/a", "x=" + up + "/a", ""},
		{"--x=lib", "--x=lib", ""},
		{"b/../a ./a a", "a 1/a 2/a", "a 1/a 2/a"},
		{"a 1/a " + up + "/a", "a 1/a 2/a", "a 1/a 2/a"},
		{"a a b/a a", "a a b/a a", "a b/a"},
	} {
		args, files := Collect(strings.Fields(c.args), nil)
		var names []string
		for _, f := range files {
			names = append(names, f.Name)
		}
		if got := strings.Join(args, " "); got != c.want || strings.Join(names, " ") != c.files {
			t.Errorf("%s: %q with %q, want %q with %q", c.args, got, names, c.want, c.files)
		}
	}
	if _, files := Collect([]string{"a"}, []string{"a", "lib", "none", "b/a"}); len(files) != 2 || files[1] != (File{"b/a", "b/a"}) {
		t.Errorf("%v", files)
	}
}
