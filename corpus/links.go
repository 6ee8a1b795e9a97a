package corpus

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

//go:embed testdata/links/manifest.json testdata/links/*/*.ptx testdata/links/*/*/*
var linkFiles embed.FS

//go:embed testdata/mercury/manifest.json testdata/mercury/*/*.ptx testdata/mercury/*/*/*
var mercuryFiles embed.FS

// Program is a set of modules and the links made of them.
type Program struct {
	Name    string
	About   string
	Reaches []string // what a linker meets in it, in words of README.md
	Sources []Source
	Cases   []Case
}

// Source is one PTX module.
type Source struct {
	Name string // file name
	Text []byte
}

// Case is one recorded run of nvlink.
type Case struct {
	Program string
	Name    string
	Release string // of nvlink: "11.8", "12.4" or "13.0"
	Arch    string // as in -arch: "sm_90a"
	Inputs  []Input
	Args    []string // all arguments, input names among them
	Exit    int
	Stderr  string
	Output  []byte // the linked cubin; nil if there was none or it may not be committed
	SHA256  string // of the linked cubin in hex, "" if nvlink wrote none
}

// Input is one file the run read.
type Input struct {
	Name    string // as the arguments name it
	Data    []byte // nil for a file of NVIDIA's, which Witness then names
	Witness string // e.g. "libcudadevrt.a/sm_90"
	SHA256  string // of a witness file
	Release string // of the ptxas or, for another link's output, the nvlink that made it
	Arch    string
	Flags   []string // of that ptxas
}

// ID names the case in the whole corpus.
func (c Case) ID() string { return c.Program + "/" + c.Name }

// Complete reports whether all inputs are in the corpus.
func (c Case) Complete() bool {
	for _, in := range c.Inputs {
		if in.Data == nil {
			return false
		}
	}
	return true
}

// Linked reports whether nvlink wrote a cubin.
func (c Case) Linked() bool { return c.SHA256 != "" }

// once is a corpus read when it is first asked for. It isn't a variable that
// holds a function, since the linker keeps all that such a one needs.
type once struct {
	sync.Once
	list []Program
	err  error
}

//go:embed testdata/cases/manifest.json testdata/cases/*/*.ptx testdata/cases/*/*/*
var behaviourFiles embed.FS

//go:embed testdata/first/manifest.json testdata/first/*/*.ptx testdata/first/*/*/*
var firstFiles embed.FS

var links, mercury, behaviours, first once

func (o *once) load(files fs.FS, folder string) ([]Program, error) {
	o.Do(func() {
		if files, o.err = fs.Sub(files, folder); o.err == nil {
			o.list, o.err = Load(files)
		}
	})
	return o.list, o.err
}

// Load reads links of this form from their folder.
func Load(files fs.FS) ([]Program, error) {
	text, err := fs.ReadFile(files, "manifest.json")
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	var list []Program
	for _, e := range m.Programs {
		p, err := loadProgram(files, e)
		if err != nil {
			return nil, fmt.Errorf("corpus: program %s: %w", e.Name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// Links returns the links for sm_50 to sm_90a, in the manifest's order. The bytes are shared: callers must not change
// them.
func Links() ([]Program, error) { return links.load(linkFiles, "testdata/links") }

// Mercury returns the links for sm_100 and up. The bytes are shared: callers must not change them.
func Mercury() ([]Program, error) { return mercury.load(mercuryFiles, "testdata/mercury") }

// Behaviours returns links that show one behaviour of nvlink each, for any architecture: what a link of real code
// showed is kept as the smallest program of ours that shows it too. The bytes are shared: callers must not change them.
func Behaviours() ([]Program, error) { return behaviours.load(behaviourFiles, "testdata/cases") }

// First returns links of objects of 12.8 and 12.9 for sm_100 and up. What is recorded is what nvJitLink of the release
// made, as there was no nvlink to ask: .note.nv.tkinfo names that.
func First() ([]Program, error) { return first.load(firstFiles, "testdata/first") }

// CasesOf returns the cases of programs, in their order.
func CasesOf(programs []Program) []Case {
	var list []Case
	for _, p := range programs {
		list = append(list, p.Cases...)
	}
	return list
}

// Cases returns the cases of all programs of Links.
func Cases() ([]Case, error) {
	programs, err := Links()
	if err != nil {
		return nil, err
	}
	return CasesOf(programs), nil
}

func loadProgram(files fs.FS, e manifest.Program) (Program, error) {
	p := Program{Name: e.Name, About: e.About, Reaches: e.Reaches}
	for _, s := range e.Sources {
		text, err := fs.ReadFile(files, path.Join(e.Name, s))
		if err != nil {
			return p, err
		}
		p.Sources = append(p.Sources, Source{Name: s, Text: text})
	}
	outputs := map[string][]byte{}
	for _, ce := range e.Cases {
		c, err := loadCase(files, e.Name, ce, outputs)
		if err != nil {
			return p, fmt.Errorf("case %s: %w", ce.Name, err)
		}
		outputs[ce.Name] = c.Output
		p.Cases = append(p.Cases, c)
	}
	return p, nil
}

func loadCase(files fs.FS, program string, e manifest.Case, outputs map[string][]byte) (Case, error) {
	c := Case{Program: program, Name: e.Name, Release: e.Release, Arch: e.Arch, Args: e.Args, Exit: e.Exit, SHA256: e.SHA256}
	for _, in := range e.Inputs {
		i := Input{Name: in.Name, Witness: in.Witness, SHA256: in.SHA256, Release: or(in.Release, e.Release), Arch: or(in.Arch, e.Arch), Flags: in.Flags}
		switch {
		case in.File != "":
			data, err := fs.ReadFile(files, path.Join(program, in.File))
			if err != nil {
				return c, err
			}
			i.Data = data
		case in.Case != "":
			data, ok := outputs[in.Case]
			if !ok || data == nil {
				return c, fmt.Errorf("input %s: no output of case %s before this one", in.Name, in.Case)
			}
			i.Data = data
		case in.Witness == "":
			return c, fmt.Errorf("input %s: neither file, case nor witness", in.Name)
		}
		c.Inputs = append(c.Inputs, i)
	}
	if e.Stderr != "" {
		text, err := fs.ReadFile(files, path.Join(program, e.Stderr))
		if err != nil {
			return c, err
		}
		c.Stderr = string(text)
	}
	if e.Output != "" {
		data, err := fs.ReadFile(files, path.Join(program, e.Output))
		if err != nil {
			return c, err
		}
		c.Output = data
	}
	return c, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
