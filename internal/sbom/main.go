// Command sbom writes the bill of materials of a Go program as CycloneDX 1.6:
// the modules that the linker put into it, as Go recorded them in the file.
//
//	go run ./internal/sbom PROGRAM FILE.cdx.json
//
// The same program gives the same bytes: no time, no serial number.
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(materials(info), cdx.SpecVersion1_6); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// materials lists what a program was built of: its own module is the subject,
// the standard library and the other modules are the components.
func materials(info *buildinfo.BuildInfo) *cdx.BOM {
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	subject := component(&info.Main, cdx.ComponentTypeApplication)
	bom.Metadata = &cdx.Metadata{Component: &subject}
	list := []cdx.Component{component(&debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}, cdx.ComponentTypeLibrary)}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component(m, cdx.ComponentTypeLibrary))
	}
	bom.Components = &list
	uses := make([]string, len(list))
	for i := range list {
		uses[i] = list[i].BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: subject.BOMRef, Dependencies: &uses}}
	return bom
}

func component(m *debug.Module, kind cdx.ComponentType) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
	c := cdx.Component{BOMRef: url, Type: kind, Name: m.Path, Version: m.Version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
		// Go's h1 is the SHA-256 of the list of a module's files with theirs.
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}
