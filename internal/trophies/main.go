// Command trophies makes links that NVIDIA's own tools get wrong, and shows what
// "twinlink verify" says of them.
//
//	make trophies
//
// nvJitLink 12.9 to 13.5, given two definitions of one function, returns success and
// drops one; nvlink refuses. nvlink 13.0's -r gives static shared arrays of two objects
// one place; that of 13.0 and 13.5 loses every reference to a constant of another object. nvlink 11.8 to 13.5 leaves pointers zero that an object has to a function
// or a variable which an object before it defines as well. nvlink 11.8 to 13.4 stores
// equal constants once where it is told of host code, as nvcc tells it, and the code
// reads on where they would have been. nvlink 13.4 and 13.5 place the dynamic shared
// memory of a kernel by the alignment of one of its arrays. nvlink 13.5 names other static
// kernels in EXTERNS of objects of an older ptxas for sm_100 and up. nvlink 11.8 to 13.5 leaves a function out of a kernel's
// stack that a pointer may lead to. All are made afresh where the tools are
// installed, see internal/nvidia and
// internal/nvjitlink; else the images in testdata are shown, which -update recorded.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

//go:embed testdata
var recorded embed.FS

// arch is what a file is made for.
func arch(name string) string {
	if strings.HasPrefix(name, "names") {
		return "-arch=sm_100"
	}
	return "-arch=sm_90"
}

// shop makes the files in a folder.
type shop struct {
	ctx      context.Context
	dir      string
	twinlink string
	update   bool
	tools    *nvidia.Toolset // nil: none
	inputs   map[string]nvidia.File
}

func main() {
	dir := flag.String("o", "", "folder for the files; default: a temporary one")
	twinlink := flag.String("twinlink", "bin/twinlink", "the program")
	update := flag.Bool("update", false, "record the images in internal/trophies/testdata")
	flag.Parse()
	if err := run(*dir, *twinlink, *update); err != nil {
		fmt.Fprintln(os.Stderr, "trophies:", err)
		os.Exit(1)
	}
}

func run(dir, twinlink string, update bool) error {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "trophies")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	s := &shop{ctx: context.Background(), dir: dir, twinlink: twinlink, update: update, inputs: map[string]nvidia.File{}}
	if tools, err := nvidia.Find(s.ctx, nvidia.Options{}); err == nil {
		s.tools = tools
	}
	for _, name := range []string{"scale1", "scale2", "tile1", "tile2", "table1", "table2", "gain1", "gain2", "gain3", "far1", "far2", "wide1", "wide2", "names", "stack1", "stack2"} {
		if err := s.compile(name); err != nil {
			return err
		}
	}
	for _, show := range []func() error{s.definitions, s.tiles, s.tables, s.fars, s.wide, s.names, s.stacks, s.gains} {
		if err := show(); err != nil {
			return err
		}
	}
	return nil
}

// ptxas is the release that compiles a source: none newer than what links it.
func ptxas(name string) string {
	switch strings.TrimRight(name, "123") {
	case "wide":
		return "13.5" // older ones don't write alignments down
	case "tile", "far", "gain", "names":
		return "13.0"
	}
	return "12.4"
}

// compile makes a cubin of a source, or takes the recorded one.
func (s *shop) compile(name string) error {
	source, err := recorded.ReadFile("testdata/" + name + ".ptx")
	if err != nil {
		return err
	}
	file := name + ".cubin"
	output, made := []byte(nil), false
	if s.tools != nil {
		res, err := s.tools.Assemble(s.ctx, ptxas(name), []string{arch(name)}, nvidia.File{Name: name + ".ptx", Data: source})
		if made = err == nil && res.Outcome == nvidia.Success; made {
			output = res.Output
		}
	}
	if err := s.keep(file, output, made); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(s.dir, file))
	s.inputs[file] = nvidia.File{Name: file, Data: data}
	return err
}

// take copies a recorded file.
func (s *shop) take(name string) error {
	data, err := recorded.ReadFile("testdata/" + name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, name), data, 0o666)
}

// keep writes what was made now, or takes the recorded file in its place.
func (s *shop) keep(name string, output []byte, made bool) error {
	if made {
		return s.write(name, output)
	}
	return s.take(name)
}

func (s *shop) write(name string, data []byte) error {
	if s.update {
		if err := os.WriteFile(filepath.Join("internal/trophies/testdata", name), data, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.dir, name), data, 0o666)
}

func (s *shop) read(names ...string) (list []nvidia.File) {
	for _, name := range names {
		list = append(list, s.inputs[name])
	}
	return list
}

// definitions links two definitions of scale with nvJitLink.
func (s *shop) definitions() error {
	inputs := s.read("scale1.cubin", "scale2.cubin")
	for _, release := range []string{"12.9", "13.5"} {
		name := "scale-" + release + ".cubin"
		output, made := s.jitlink(release, inputs...)
		if err := s.keep(name, output, made); err != nil {
			return err
		}
		s.head("nvJitLink "+release+" links two definitions of scale, and drops one", made)
		if err := s.verify(name, "scale1.cubin", "scale2.cubin"); err != nil {
			return err
		}
	}
	return nil
}

// tiles links two objects with a shared array each in two steps.
func (s *shop) tiles() error {
	inputs := s.read("tile1.cubin", "tile2.cubin")
	output, made := s.twoSteps(inputs)
	if err := s.keep("tiles.cubin", output, made); err != nil {
		return err
	}
	s.head("nvlink 13.0 links in two steps, -r first: both shared arrays have the same offset", made)
	return s.verify("tiles.cubin", "tile1.cubin", "tile2.cubin")
}

func (s *shop) twoSteps(inputs []nvidia.File) ([]byte, bool) {
	part, ok := s.link("13.0", []string{"-r"}, inputs...)
	if !ok {
		return nil, false
	}
	return s.link("13.0", nil, nvidia.File{Name: "part.cubin", Data: part})
}

// fars links an object that takes the address of a constant of another with -r, and then both.
func (s *shop) fars() error {
	inputs := s.read("far1.cubin", "far2.cubin")
	for _, release := range []string{"13.0", "13.5"} {
		name := "fars-" + release + ".cubin"
		output, made := s.link(release, []string{"-r"}, inputs[0])
		if made {
			var ok bool
			if output, ok = s.link(release, nil, nvidia.File{Name: "part.cubin", Data: output}, inputs[1]); !ok {
				return fmt.Errorf("nvlink %s doesn't link its own -r output", release)
			}
		}
		if err := s.keep(name, output, made); err != nil {
			return err
		}
		s.head("nvlink "+release+" links in two steps, -r first: the address of the other object's constant is all ones", made)
		if err := s.verify(name, "far1.cubin", "far2.cubin"); err != nil {
			return err
		}
	}
	return nil
}

// wide links kernels that name two dynamic shared arrays, and others that name one.
func (s *shop) wide() error {
	inputs := s.read("wide1.cubin", "wide2.cubin")
	made := false
	for i, name := range []string{"wide-13.5.cubin", "wide-right.cubin"} {
		output, ok := s.link("13.5", nil, inputs[i])
		made = made || ok
		if err := s.keep(name, output, ok); err != nil {
			return err
		}
	}
	s.head("nvlink 13.5 places two dynamic shared arrays by the alignment of only the last one", made)
	if err := s.verify("wide-13.5.cubin", "wide1.cubin"); err != nil {
		return err
	}
	output, made := s.jitlink("13.5", inputs[0])
	if err := s.keep("wide-nvjitlink-13.5.cubin", output, made); err != nil {
		return err
	}
	s.head("nvJitLink 13.5 does the same", made)
	return s.verify("wide-nvjitlink-13.5.cubin", "wide1.cubin")
}

// names links an object whose EXTERNS lists three static kernels.
func (s *shop) names() error {
	inputs := s.read("names.cubin")
	output, made := s.link("13.5", nil, inputs[0])
	if err := s.keep("names-13.5.cubin", output, made); err != nil {
		return err
	}
	s.head("nvlink 13.5 names another static kernel in EXTERNS than the object does", made)
	return s.verify("names-13.5.cubin", "names.cubin")
}

// jitlink makes a link with a release's nvJitLink, if it is there.
func (s *shop) jitlink(release string, inputs ...nvidia.File) ([]byte, bool) {
	lib, err := nvjitlink.Release(nvjitlink.Options{}, release)
	if err != nil {
		return nil, false
	}
	q := nvjitlink.Question{Options: []string{arch(inputs[0].Name)}}
	for _, in := range inputs {
		q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
	}
	l := nvjitlink.New(lib, nvjitlink.Options{})
	defer l.Close()
	res, err := l.Link(s.ctx, q)
	return res.Output, err == nil && res.Outcome == nvjitlink.Linked
}

// gains links three objects with a constant array each, two of them equal, as nvcc
// links them: nvlink is told which kernels host code calls.
func (s *shop) gains() error {
	inputs := s.read("gain1.cubin", "gain2.cubin", "gain3.cubin")
	output, made := s.link("13.0", []string{"-kernels-used=" + called}, inputs...)
	if err := s.keep("gains.cubin", output, made); err != nil {
		return err
	}
	s.head("nvlink 13.0 stores equal constants once: two kernels read other data than theirs", made)
	return s.verify("gains.cubin", "-kernels-used="+called, "gain1.cubin", "gain2.cubin", "gain3.cubin")
}

// called are the kernels that host code calls.
const called = "left,right,mono"

// link makes a link with a release's nvlink, if it is there.
func (s *shop) link(release string, options []string, inputs ...nvidia.File) ([]byte, bool) {
	if s.tools == nil {
		return nil, false
	}
	res, err := s.tools.Link(s.ctx, release, append([]string{arch(inputs[0].Name)}, options...), inputs)
	if err != nil || res.Outcome != nvidia.Success {
		return nil, false
	}
	return res.Output, true
}

// tables links a table of pointers after an object that defines what they point to
// as well.
func (s *shop) tables() error {
	inputs := s.read("table1.cubin", "table2.cubin")
	for _, release := range []string{"12.4", "13.5"} {
		name := "tables-" + release + ".cubin"
		output, made := s.link(release, nil, inputs...)
		if err := s.keep(name, output, made); err != nil {
			return err
		}
		s.head("nvlink "+release+" leaves the pointers zero that the second object has, and the function out", made)
		if err := s.verify(name, "table1.cubin", "table2.cubin"); err != nil {
			return err
		}
	}
	return nil
}

// stacks makes a kernel's stack too small: that deep's address is taken is forgotten with the definition that lost.
func (s *shop) stacks() error {
	inputs := s.read("stack1.cubin", "stack2.cubin")
	made := false
	for i, name := range []string{"stacks-13.5.cubin", "stacks-right.cubin"} {
		output, ok := s.link("13.5", nil, inputs[i], inputs[1-i])
		made = made || ok
		if err := s.keep(name, output, ok); err != nil {
			return err
		}
	}
	s.head("nvlink 13.5 leaves a function out of the stack of a kernel that calls it by a pointer", made)
	return s.verify("stacks-13.5.cubin", "stack1.cubin", "stack2.cubin")
}

func (s *shop) head(what string, made bool) {
	how := "recorded"
	if made {
		how = "made now"
	}
	fmt.Printf("\n=== %s (%s)\n\n", what, how)
}

// verify runs the program, which must reject the file; options stand among the inputs.
func (s *shop) verify(output string, inputs ...string) error {
	args := append([]string{"verify", "--no-nvlink", arch(output), "--output", output}, inputs...)
	fmt.Printf("$ twinlink verify %s --output %s %s\n\n", arch(output), output, strings.Join(inputs, " "))
	program, err := filepath.Abs(s.twinlink)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(s.ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, os.Stdout, os.Stderr
	err = cmd.Run()
	if err == nil {
		return fmt.Errorf("%s: verify accepts a wrong link", output)
	}
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		return err
	}
	return nil
}
