package repro

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// inFolder makes the working folder one with these files.
func inFolder(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCollect(t *testing.T) {
	inFolder(t, "a.cubin", "d/a.cubin", "lib/libx.a", "out/o")
	elsewhere := filepath.Join(t.TempDir(), "a.cubin")
	if err := os.WriteFile(elsewhere, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	args, files := Collect([]string{"verify", "--output=d/a.cubin", "-Llib", "-lx", elsewhere, "a.cubin", "a.cubin", "-o", "/out/o", "--report=out/o", "-arch=sm_90", "none"},
		[]string{"lib/libx.a", "lib/liby.a"})
	want := []string{"verify", "--output=d/a.cubin", "-Llib", "-lx", "a.cubin", "1/a.cubin", "1/a.cubin", "-o", "o", "--report=out/o", "-arch=sm_90", "none"}
	if !slices.Equal(args, want) {
		t.Errorf("command line %q\nwant %q", args, want)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"d/a.cubin", "a.cubin", "1/a.cubin", "lib/libx.a"}) {
		t.Errorf("files %q", names)
	}
}

func TestRoundTrip(t *testing.T) {
	inFolder(t, "d/a.cubin")
	run := &Run{Schema: Schema, Version: "v", Args: []string{"dump", "d/a.cubin"}, Status: 3, Stdout: []byte("o"), Stderr: []byte("e")}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := Write(w, run, []File{{"d/a.cubin", "d/a.cubin"}}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two packs of one run differ")
	}
	if err := os.WriteFile("p.zip", first.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	back, err := Unpack("p.zip", dir)
	if err != nil {
		t.Fatal(err)
	}
	if back.Status != 3 || string(back.Stdout) != "o" || string(back.Stderr) != "e" || !slices.Equal(back.Args, run.Args) {
		t.Errorf("run %+v", back)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "d/a.cubin")); err != nil || string(data) != "d/a.cubin" {
		t.Errorf("file %q, %v", data, err)
	}
}

// TestHostilePacks: nothing is written outside the folder.
func TestHostilePacks(t *testing.T) {
	good := `{"schema":"twinlink.repro/1"}`
	for name, parts := range map[string]map[string]string{
		"no command":    {"files/a": ""},
		"other schema":  {"repro.json": `{"schema":"x"}`},
		"no JSON":       {"repro.json": "{"},
		"goes up":       {"repro.json": good, "files/../../a": ""},
		"absolute":      {"repro.json": good, "files//a": ""},
		"other member":  {"repro.json": good, "a": ""},
		"folder's name": {"repro.json": good, "files/": ""},
	} {
		t.Run(name, func(t *testing.T) {
			inFolder(t)
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for part, text := range parts {
				if err := add(z, part, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile("p.zip", b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Unpack("p.zip", "inner/folder")
			var bad *Error
			if !errors.As(err, &bad) {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat("a"); err == nil {
				t.Error("a file outside the folder")
			}
		})
	}
}
