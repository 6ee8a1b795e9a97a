package lto

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// Auto is the value of --lto-with that looks for the compilers.
const Auto = "auto"

// Places says where the compilers may be.
type Places struct {
	With    string // Auto, an nvJitLink, or a folder that holds one
	Ptxas   string // a ptxas; "" looks for it
	Release string // "13.0": both must be of it
	Folders []string
	// Folders are looked through first, with Auto: the toolkit's bin, the folder
	// of -nvvmpath. Then those where "make witness-all" puts the tools, and PATH.

	Options nvjitlink.Options
}

// Tools are compilers of one release. The zero Ptxas is none.
type Tools struct {
	release string
	library *nvjitlink.Linker
	ptxas   string
	missing string // why there is no library
}

// Find looks for the compilers. A compiler that isn't there is told when it is
// needed: a link of PTX does without nvJitLink.
func Find(p Places) (*Tools, error) {
	t := &Tools{release: p.Release}
	lib, err := p.library()
	switch {
	case err == nil:
		t.library = nvjitlink.New(lib, p.Options)
	case p.With != Auto:
		return nil, err
	default:
		t.missing = err.Error()
	}
	t.ptxas = p.ptxas()
	return t, nil
}

// Close ends the library's process.
func (t *Tools) Close() {
	if t.library != nil {
		t.library.Close()
	}
}

func (p *Places) library() (nvjitlink.SharedObject, error) {
	if p.With != Auto {
		return library(p.With, p.Release)
	}
	for _, f := range p.Folders {
		for _, at := range []string{f, filepath.Join(f, "..", "lib64"), filepath.Join(f, "..", "lib")} {
			if lib, err := library(at, p.Release); err == nil {
				return lib, nil
			}
		}
	}
	return nvjitlink.Release(p.Options, p.Release)
}

// library returns the nvJitLink that a path names, or that is in a folder. Of
// which release it is shows when it is asked.
func library(path, release string) (nvjitlink.SharedObject, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nvjitlink.SharedObject{}, err
	}
	if info.IsDir() {
		major, _, _ := strings.Cut(release, ".")
		path = filepath.Join(path, "libnvJitLink.so."+major)
		if info, err = os.Stat(path); err != nil {
			return nvjitlink.SharedObject{}, err
		}
	}
	if !info.Mode().IsRegular() {
		return nvjitlink.SharedObject{}, fmt.Errorf("%s is not a file", path)
	}
	return nvjitlink.SharedObject{Path: path, Release: release}, nil
}

// ptxas returns a ptxas of the release; "" where none is.
func (p *Places) ptxas() string {
	if p.Ptxas != "" {
		return p.Ptxas
	}
	getenv := p.Options.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	folders := append([]string(nil), p.Folders...)
	if w := getenv("TWINLINK_WITNESS"); w != "" {
		folders = append(folders, filepath.Join(w, p.Release))
	}
	if here, err := os.Getwd(); err == nil {
		for dir := here; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
				folders = append(folders, filepath.Join(dir, ".witness", p.Release))
				break
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	var candidates []string
	for _, f := range folders {
		candidates = append(candidates, filepath.Join(f, "ptxas"), filepath.Join(f, "..", "bin", "ptxas"))
	}
	if found, err := exec.LookPath("ptxas"); err == nil {
		candidates = append(candidates, found)
	}
	for _, c := range candidates {
		if releaseOf(c) == p.Release {
			return c
		}
	}
	return ""
}

// releaseOf asks a ptxas for its release, "13.0"; "" for none.
func releaseOf(ptxas string) string {
	if _, err := os.Stat(ptxas); err != nil {
		return ""
	}
	out, err := exec.Command(ptxas, "--version").Output()
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(out), "release ")
	release, _, ok2 := strings.Cut(rest, ",")
	if !ok || !ok2 {
		return ""
	}
	return release
}

// major is a release's first number.
func major(release string) int {
	text, _, _ := strings.Cut(release, ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
