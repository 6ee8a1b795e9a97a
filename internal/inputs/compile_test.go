package inputs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/lto"
)

// told is a Compiler that writes down what it is asked for.
type told struct {
	calls []string
	text  string // of Optimize
	says  string // of Assemble and Link
	fails error
}

func (c *told) program(what string, p *lto.Program) {
	var names []string
	for _, m := range p.Modules {
		names = append(names, fmt.Sprintf("%s bare=%v", m.Name, m.Bare))
	}
	line := fmt.Sprintf("%s %s modules=%v partial=%v trim=%v", what, p.Arch, names, p.Partial, p.Trim)
	for _, l := range []struct {
		name string
		list []string
	}{{"kernels", p.Kernels}, {"variables", p.Variables}, {"xnvvm", p.Xnvvm}, {"ofc", strings.Fields(p.Ofc)}} {
		if len(l.list) > 0 {
			line += fmt.Sprintf(" %s=%v", l.name, l.list)
		}
	}
	for _, o := range p.Objects {
		line += " object=" + o.Name
	}
	c.calls = append(c.calls, line)
}

func (c *told) Optimize(_ context.Context, p *lto.Program) ([]byte, error) {
	c.program("optimize", p)
	return []byte(c.text), c.fails
}

func (c *told) Assemble(_ context.Context, j *lto.Job) ([]byte, string, error) {
	c.calls = append(c.calls, fmt.Sprintf("assemble %s %s whole=%v options=%v", j.Name, j.Arch, j.Whole, j.Options))
	return []byte("cubin of " + j.Name), c.says, c.fails
}

func (c *told) Link(_ context.Context, p *lto.Program, options []string) ([]byte, string, error) {
	c.program("link", p)
	c.calls = append(c.calls, fmt.Sprintf("  options=%v", options))
	return []byte("image"), c.says, c.fails
}

// ltoFiles are fatbinaries of nvcc with PTX, LTO IR and SASS, a device runtime of no members and bare LTO IR.
func ltoFiles(t *testing.T) given {
	t.Helper()
	g := given{"libcudadevrt.a": []byte("!<arch>\n")}
	for _, release := range []string{"12.4", "13.0"} {
		for _, name := range []string{"a.compute", "a.lto", "b.lto", "b.sm"} {
			data, err := os.ReadFile(filepath.Join("../../cmd/twinlink/testdata/lto", release+"-"+name+".fatbin"))
			if err != nil {
				t.Fatal(err)
			}
			g[release[:2]+name+".fatbin"] = data
		}
	}
	f, err := container.Open("a", g["13a.lto.fatbin"], container.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g["cudadevrt/b.fatbin"], g["l.a"] = g["13b.sm.fatbin"], archive("cudadevrt.o", code(string(g["13b.sm.fatbin"]), "_a\x00"))
	g["a.ltoir"] = f.Members[0].Alone()
	g["b.ltoir"] = []byte("no IR")
	return g
}

// What is handed to the compilers is in testdata/compile.txt, what becomes of what they reproduce, and what is said.
func TestCompile(t *testing.T) {
	g := ltoFiles(t)
	run := func(c *told, release, args string) string {
		r, _ := cmdline.ParseRelease(release)
		cmd, err := cmdline.Parse(r, append(strings.Fields(strings.ReplaceAll(args, "-dlto", "-dlto -nvvmpath=x --lto-with=auto")), "-o", "out"), g.read)
		if err != nil {
			return err.Error()
		}
		s := New(cmd, NewReader(g.read))
		s.Compiler = c
		lines := []string{}
		for _, name := range cmd.Inputs {
			list := s.Add(name)
			if c.fails == nil { // what a compiler says is of no file of the command line
				placed(t, name, list)
			}
			for _, d := range list {
				lines = append(lines, d.String())
			}
		}
		for _, d := range append(s.Lost, s.Finish()...) {
			lines = append(lines, d.String())
		}
		lines = append(lines, c.calls...)
		if s.Whole != nil {
			lines = append(lines, "whole "+string(s.Whole))
		}
		for i := range s.Objects {
			lines = append(lines, "object "+s.Objects[i].Name)
		}
		return strings.Join(lines, "\n")
	}
	var got strings.Builder
	for _, c := range compilations {
		fmt.Fprintf(&got, "> %s %s", c.release, c.args)
		for _, given := range []string{c.text, c.says} {
			if given != "" {
				fmt.Fprintf(&got, " %q", given)
			}
		}
		if c.fails != nil {
			fmt.Fprintf(&got, " %v", c.fails)
		}
		fmt.Fprintf(&got, "\n%s\n", run(&told{text: c.text, says: c.says, fails: c.fails}, c.release, c.args))
	}
	if *updateCompile {
		if err := os.WriteFile("testdata/compile.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/compile.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Error(d)
	}
}

var updateCompile = flag.Bool("update-compile", false, "write testdata/compile.txt anew")

type compilation struct {
	release, args string
	text, says    string
	fails         error
}

var errRefused = errors.New("refused")

var compilations = []compilation{
	{release: "13.0", args: "-arch=sm_75 13a.compute.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -g -maxrregcount=32 -Xptxas=-v 13a.compute.fatbin", says: "ptxas info : x\n"},
	{release: "12.4", args: "-arch=sm_75 -g 12a.compute.fatbin"},
	{release: "13.0", args: "-arch=sm_75 13a.compute.fatbin", fails: errRefused},
	{release: "13.0", args: "-arch=sm_75 13a.compute.fatbin", says: "ptxas error : x\n", fails: errRefused},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin 13b.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin 13b.lto.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -emit-ptx 13a.lto.fatbin 13b.lto.fatbin", text: "PTX"},
	{release: "13.0", args: "-arch=sm_75 -dlto -kernels-used=run -variables-used=v -Xnvvm=-x -Ofc=mid 13a.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto -variables-used=v 13a.lto.fatbin libcudadevrt.a"},
	{release: "12.4", args: "-arch=sm_75 -dlto -g 12a.lto.fatbin 12b.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto -g 13a.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin libcudadevrt.a", fails: errRefused},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin libcudadevrt.a", fails: &lto.Error{Name: "x"}},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin 13b.sm.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin 13b.sm.fatbin", text: ".version 8.0\n.visible .func f()\n{\nret;\n}\n"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13b.sm.fatbin 13a.lto.fatbin", says: "warning one\nother\n warning two\n"},
	{release: "13.0", args: "-arch=sm_75 -dlto -w 13b.sm.fatbin 13a.lto.fatbin", says: "warning one\n"},
	{release: "13.0", args: "-arch=sm_75 -dlto -g -maxrregcount=32 -Xptxas=-v 13b.sm.fatbin 13a.lto.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13b.sm.fatbin 13a.lto.fatbin", fails: errRefused},
	{release: "13.0", args: "-arch=sm_75 -dlto -emit-ptx 13b.sm.fatbin 13a.lto.fatbin", text: "PTX"},
	{release: "13.0", args: "-arch=sm_75 -dlto --preserve-relocs 13b.sm.fatbin 13a.lto.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto --force-partial-lto 13a.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto --force-partial-lto 13a.lto.fatbin 13b.sm.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -r 13a.lto.fatbin libcudadevrt.a"},
	{release: "12.4", args: "-arch=sm_75 -dlto -r 12a.lto.fatbin libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13b.sm.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -disable-infos 13b.sm.fatbin"},
	{release: "12.4", args: "-arch=sm_75 -dlto -w 12b.sm.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -disable-infos 13b.sm.fatbin 13a.lto.fatbin", says: "warning one\n"},
	{release: "13.0", args: "-arch=sm_75 -dlto -Werror 13b.sm.fatbin"},
	// nvlink 13.0.88 and 13.5.37 remark of none of these.
	{release: "13.0", args: "-arch=sm_75 -dlto -keep-system-libraries cudadevrt/b.fatbin 13a.lto.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -keep-system-libraries l.a 13a.lto.fatbin"},
	{release: "13.0", args: "-arch=sm_75 -dlto -keep-system-libraries 13a.lto.fatbin l.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto a.ltoir libcudadevrt.a"},
	{release: "13.0", args: "-arch=sm_75 -dlto b.ltoir"},
	{release: "13.0", args: "-arch=sm_75 -dlto 13a.lto.fatbin libcudadevrt.a 13b.sm.fatbin"},
}

// keptOf is the LTO IR of files of a command line.
func keptOf(t *testing.T, g given, args string) []lto.Module {
	t.Helper()
	r, _ := cmdline.ParseRelease("13.0")
	cmd, err := cmdline.Parse(r, append(strings.Fields(args), "-o", "out"), g.read)
	if err != nil {
		t.Fatal(err)
	}
	s := New(cmd, NewReader(g.read))
	s.Compiler = &told{}
	for _, name := range cmd.Inputs {
		if said := s.Add(name); said != nil {
			t.Fatal(said)
		}
	}
	if !s.opened || s.irAt != 0 {
		t.Errorf("opened %v, IR at %d", s.opened, s.irAt)
	}
	return s.modules
}
