package main

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"path/filepath"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The test's own program is a Go program like any other.
func TestEveryModuleIsListed(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	read := func() []byte {
		file := filepath.Join(t.TempDir(), "a.cdx.json")
		if err := write(program, file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := read()
	if !bytes.Equal(text, read()) {
		t.Error("two runs differ")
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if bom.SpecVersion != cdx.SpecVersion1_6 || bom.Metadata.Component.Name != "github.com/twinlink/twinlink" {
		t.Errorf("version %s of %s", bom.SpecVersion, bom.Metadata.Component.Name)
	}
	listed := map[string]cdx.Component{}
	for _, c := range *bom.Components {
		listed[c.Name] = c
	}
	if len(info.Deps) == 0 || len(listed) != len(info.Deps)+1 || listed["std"].Version == "" {
		t.Fatalf("%d components of %d modules and the standard library", len(listed), len(info.Deps))
	}
	for _, m := range info.Deps {
		c := listed[m.Path]
		if c.Version != m.Version || c.PackageURL != "pkg:golang/"+m.Path+"@"+m.Version || c.Hashes == nil {
			t.Errorf("%s %s is listed as %+v", m.Path, m.Version, c)
		}
	}
}

func TestNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	if err := write("main.go", file); err == nil {
		t.Error("a text has a bill of materials")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file is left behind")
	}
}
