//go:build unix

package lto

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

func script(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// What nvJitLink is asked: its options in the order of its manual, what is kept only where the program is whole.
func TestQuestion(t *testing.T) {
	modules := []Module{{Name: "a", Data: []byte("1")}, {Name: "b", Data: []byte("2"), Bare: true}}
	for _, c := range []struct {
		p      Program
		output string
		want   string
	}{
		{Program{Arch: "sm_90"}, "-ptx", "-arch=sm_90 -lto -ptx"},
		{Program{Arch: "sm_75"}, "", "-arch=sm_75 -lto"},
		{Program{Arch: "sm_90", Partial: true, Kernels: []string{"k"}, Variables: []string{"v"}, Trim: true}, "-ptx", "-arch=sm_90 -lto -ptx -r"},
		{Program{Arch: "sm_90", Partial: true, Kernels: []string{"k"}}, "", "-arch=sm_90 -lto -kernels-used=k"},
		{Program{Arch: "sm_90", Kernels: []string{"k", "l*"}, Variables: []string{"v"}, Trim: true}, "-ptx", "-arch=sm_90 -lto -ptx -kernels-used=k -kernels-used=l* -variables-used=v"},
		{Program{Arch: "sm_90", Trim: true, Xnvvm: []string{"-x", "-y"}, Ofc: "max"}, "-ptx", "-arch=sm_90 -lto -ptx -optimize-unused-variables -Xnvvm=-x -Xnvvm=-y -Ofc=max"},
	} {
		c.p.Modules = modules
		q := c.p.question(c.output)
		if got := strings.Join(q.Options, " "); got != c.want || q.PTX != (c.output != "") {
			t.Errorf("%q, PTX %v, want %q", got, q.PTX, c.want)
		}
		if len(q.Inputs) != 2 || q.Inputs[0].Kind != nvjitlink.Fatbin || q.Inputs[1].Kind != nvjitlink.LTOIR || q.Inputs[0].Name != "a" || string(q.Inputs[1].Data) != "2" {
			t.Errorf("inputs %+v", q.Inputs)
		}
	}
}

func TestDefinesFunctions(t *testing.T) {
	for text, want := range map[string]bool{
		"":                           false,
		".func f\n(\n)\n{\n ret;\n}": true,
		".func f\n(\n)\n;\n":         false,
		".visible .func (.param .b32 r) f\n(\n)\n{\n": true,
		".weak .func f\n()\n{":                        true,
		".extern .func f\n()\n;\n.entry k()\n{":       false,
		".visible .entry k()\n{\n}":                   false,
		".func f\n;\n.func g\n{\n":                    true,
		" .func f\n{\n":                               false,
		".func f":                                     false,
	} {
		if got := DefinesFunctions([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What can't be done is said before anybody is asked.
func TestMissing(t *testing.T) {
	none := &Tools{release: "12.4", missing: "why"}
	for _, ask := range []func() error{
		func() error { _, err := none.Optimize(t.Context(), &Program{}); return err },
		func() error { _, _, err := none.Link(t.Context(), &Program{}, nil); return err },
	} {
		var fault *Error
		if err := ask(); !errors.As(err, &fault) || *fault != (Error{Reason: "why"}) {
			t.Errorf("%v", err)
		}
	}
	none.Close()
	_, _, err := none.Assemble(t.Context(), &Job{Name: "in"})
	var fault *Error
	if !errors.As(err, &fault) || fault.Name != "in" || !strings.HasPrefix(err.Error(), "in: no ptxas of 12.4 is found ") {
		t.Errorf("%v", err)
	}
	old := &Tools{release: "12.4", library: new(nvjitlink.Linker)}
	_, err = old.Optimize(t.Context(), &Program{Partial: true})
	if !errors.As(err, &fault) || !strings.HasSuffix(err.Error(), "nvJitLink has it from 13.0 on, and this is 12.4") {
		t.Errorf("%v", err)
	}
	for release, want := range map[string]bool{"12.9": false, "13.0": true, "14.1": true, "": false, "x.1": false} {
		if got := (&Tools{release: release}).CanMix(); got != want {
			t.Errorf("%q: %v", release, got)
		}
	}
}

// ptxas gets the text as lto.ptx and writes elf.o, in a folder of its own.
func TestAssemble(t *testing.T) {
	dir := t.TempDir()
	good := script(t, filepath.Join(dir, "good"), `echo "said $*"; cat lto.ptx >&2; pwd > `+dir+`/where; cp lto.ptx elf.o`)
	tools := &Tools{release: "13.0", ptxas: good}
	for whole, want := range map[bool]string{false: "-m64 -arch=sm_90 -c -O1 lto.ptx -o elf.o", true: "-m64 -arch=sm_90 -O1 lto.ptx -o elf.o"} {
		cubin, said, err := tools.Assemble(t.Context(), &Job{Name: "in", Text: []byte("text"), Arch: "sm_90", Whole: whole, Options: []string{"-O1"}})
		if err != nil || string(cubin) != "text" || said != "said "+want+"\ntext" {
			t.Errorf("%q, %q, %v", cubin, said, err)
		}
	}
	where, err := os.ReadFile(filepath.Join(dir, "where"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.TrimSpace(string(where))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder stays: %v", err)
	}
	tools.ptxas = script(t, filepath.Join(dir, "bad"), `echo " no "; exit 3`)
	_, said, err := tools.Assemble(t.Context(), &Job{Name: "in", Arch: "sm_90"})
	if said != " no \n" || err == nil || err.Error() != "in: ptxas 13.0 refuses it: no" {
		t.Errorf("%q, %v", said, err)
	}
	tools.ptxas = script(t, filepath.Join(dir, "nothing"), "")
	if _, _, err := tools.Assemble(t.Context(), &Job{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no output: %v", err)
	}
	tools.ptxas = filepath.Join(dir, "none")
	if _, _, err := tools.Assemble(t.Context(), &Job{}); err == nil || errors.As(err, new(*Error)) {
		t.Errorf("no program: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tools.ptxas = good
	if _, _, err := tools.Assemble(ctx, &Job{}); err == nil {
		t.Error("it was ended before it began")
	}
}

// A ptxas is one of the release that is wanted: the first of the folders, then of their bin, then of the path.
func TestFindPtxas(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", filepath.Join(dir, "path")+":/bin:/usr/bin")
	version := func(release string) string {
		return `[ "$1" = --version ] && echo "Cuda compilation tools, release ` + release + `, V` + release + `.1"`
	}
	onPath := script(t, filepath.Join(dir, "path", "ptxas"), version("13.0"))
	script(t, filepath.Join(dir, "old", "ptxas"), version("12.4"))
	script(t, filepath.Join(dir, "mute", "ptxas"), "echo nothing")
	script(t, filepath.Join(dir, "half", "ptxas"), "echo release 13.0")
	script(t, filepath.Join(dir, "fails", "ptxas"), version("13.0")+"; exit 1")
	witness := script(t, filepath.Join(dir, "w", "13.0", "ptxas"), version("13.0"))
	bin := script(t, filepath.Join(dir, "kit", "bin", "ptxas"), version("13.0"))
	if err := os.Mkdir(filepath.Join(dir, "kit", "nvvm"), 0o755); err != nil {
		t.Fatal(err)
	}
	unset := func(string) string { return "" }
	set := func(name string) string {
		return map[string]string{"TWINLINK_WITNESS": filepath.Join(dir, "w")}[name]
	}
	in := func(names ...string) (list []string) {
		for _, n := range names {
			list = append(list, filepath.Join(dir, n))
		}
		return list
	}
	for _, c := range []struct {
		p    Places
		want string
	}{
		{Places{Ptxas: "given", Release: "1.0"}, "given"},
		{Places{Release: "13.0", Options: nvjitlink.Options{Getenv: unset}}, onPath},
		{Places{Release: "13.0", Options: nvjitlink.Options{Getenv: set}}, witness},
		{Places{Release: "13.0", Folders: in("old", "mute", "half", "fails", "kit/nvvm"), Options: nvjitlink.Options{Getenv: set}}, bin},
		{Places{Release: "12.4", Folders: in("old")}, filepath.Join(dir, "old", "ptxas")},
		{Places{Release: "11.8", Folders: in("old"), Options: nvjitlink.Options{Getenv: set}}, ""},
	} {
		if got := c.p.ptxas(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p.Folders, got, c.want)
		}
	}
	// Below a Go module the witness folder beside go.mod counts.
	if err := os.MkdirAll(filepath.Join(dir, "m", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m", "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	beside := script(t, filepath.Join(dir, "m", ".witness", "13.0", "ptxas"), version("13.0"))
	t.Chdir(filepath.Join(dir, "m", "deep"))
	if got := (&Places{Release: "13.0", Options: nvjitlink.Options{Getenv: unset}}).ptxas(); got != beside {
		t.Errorf("%q, want %q", got, beside)
	}
}

// A library is a file, or is in a folder by its first number; with Auto it may be missing.
func TestFindLibrary(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"named.so", "lib64/libnvJitLink.so.13", "folder/lib/libnvJitLink.so.12"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("folder/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("odd/libnvJitLink.so.13", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, release, want string
	}{
		{"named.so", "13.0", "named.so"}, {"lib64", "13.2", "lib64/libnvJitLink.so.13"}, {"folder/lib", "12.4", "folder/lib/libnvJitLink.so.12"},
		{"lib64", "12.4", ""}, {"none", "13.0", ""}, {"odd", "13.0", ""},
	} {
		lib, err := library(c.path, c.release)
		if lib.Path != c.want || (err == nil) != (c.want != "") || c.want != "" && lib.Release != c.release {
			t.Errorf("%s: %+v, %v", c.path, lib, err)
		}
	}
	p := Places{With: Auto, Release: "12.4", Folders: []string{"none", "folder/bin"}}
	if lib, err := p.library(); err != nil || lib.Path != filepath.Join("folder", "lib", "libnvJitLink.so.12") {
		t.Errorf("%+v, %v", lib, err)
	}
	p = Places{With: Auto, Release: "13.0", Folders: []string{"folder"}}
	if lib, err := p.library(); err != nil || lib.Path != filepath.Join("lib64", "libnvJitLink.so.13") {
		t.Errorf("%+v, %v", lib, err)
	}
	if _, err := Find(Places{With: "none", Release: "13.0", Ptxas: "p"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	nothing := nvjitlink.Options{Getenv: func(string) string { return "" }}
	t.Setenv("PATH", dir)
	tools, err := Find(Places{With: Auto, Release: "99.9", Ptxas: "p", Options: nothing})
	if err != nil || tools.library != nil || tools.missing == "" || tools.ptxas != "p" || tools.release != "99.9" {
		t.Errorf("%+v, %v", tools, err)
	}
	tools, err = Find(Places{With: "named.so", Release: "13.0", Ptxas: "p"})
	if err != nil || tools.library == nil || tools.missing != "" {
		t.Errorf("%+v, %v", tools, err)
	}
	tools.Close()
	if !slices.Equal([]int{major("13.2"), major("9"), major("x")}, []int{13, 9, 0}) {
		t.Error("first numbers")
	}
}
