package inputs

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/lto"
)

// Set is the inputs of a link as far as they have been added.
type Set struct {
	// Objects are linked, in this order.
	Objects []engine.Input
	// Unlinked are cubins that are not linked, and yet have to fit the target.
	Unlinked []engine.Input
	// Registered are the names by which the host registers what it links; a
	// name that is a path stands for a file without a host object.
	Registered []Registration
	// Lost says what nvlink drops silently, and what became of it here.
	Lost []engine.Diagnostic
	// Compiler compiles PTX and LTO IR; nil refuses them.
	Compiler Compiler
	// Whole is the output where link-time optimization left nothing to link.
	Whole []byte

	cmd     *cmdline.Command
	reader  *Reader
	target  container.Arch
	virtual bool

	host       engine.HostUse
	incomplete bool // the references of some object are not known
	objects    int  // host objects that have been read
	runtimes   int  // kernels that the device runtime launches
	limited    bool // it was told that an object limits where the output runs
	opened     bool // a file with device code has been looked into, linked or not

	archives     []string // added so far
	devrt        runtime
	unread       []engine.Input  // objects whose functions aren't noted yet
	defined      map[string]bool // functions, for what cudadevrt is asked for
	wanted       map[string]bool
	modules      []lto.Module // LTO IR, compiled when all inputs are known
	irAt         int          // how many objects are before the last of it
	optimized    bool
	runtimeGiven bool     // the device runtime is among the inputs
	compiled     bool     // with -dlto: an input that is no LTO IR
	variables    []string // what the host refers to besides kernels
	ignoredCode  string   // a file whose device code is ignored
	leftOut      string   // the last fatbinary whose code is no object
}

// Registration is a line of the registration file: the identifier that nvcc
// gave a translation unit, or the path of a file that has none.
type Registration struct {
	ID   string
	Path string
}

// New returns an empty Set for a command.
func New(cmd *cmdline.Command, reader *Reader) *Set {
	s := &Set{cmd: cmd, reader: reader, defined: make(map[string]bool), wanted: make(map[string]bool)}
	s.target, _ = container.ParseArch(cmd.Options.Arch)
	_, s.virtual = cmd.Virtual()
	return s
}

// HostUse returns what the host refers to; nil where it isn't known or isn't
// asked for, so that nothing is removed.
func (s *Set) HostUse() *engine.HostUse {
	c := s.cmd
	if s.incomplete || s.objects == 0 || c.Given(cmdline.IgnoreHostInfo) || c.Given(cmdline.KernelsUsed) || c.Given(cmdline.VariablesUsed) ||
		len(s.host.Kernels)+len(s.host.InternalKernels) == s.runtimes {
		return nil
	}
	return &s.host
}

// Add adds a file of the command line. A fatal message among those it returns
// ends the link.
func (s *Set) Add(name string) []engine.Diagnostic {
	data, err := s.reader.Read(name)
	if err != nil {
		return cmdline.CannotOpen(name).Messages
	}
	if s.cmd.Optimizes() && strings.HasSuffix(name, ".ltoir") {
		return s.addIR(name, data)
	}
	j := cmdline.Judge(s.cmd.Release, name, data)
	switch j.Use {
	case cmdline.Linked:
		if isExecutable(data) {
			return s.addExecutable(name)
		}
		if err := s.checkTarget(name, data); err != nil {
			return err
		}
		return append(s.limits(name, data), s.addDevice(name, data)...)
	case cmdline.HostFile:
		if s.cmd.Failed {
			return afterError(name, "internal")
		}
		return s.addHost(&s.reader.parts(name).objects[0], false)
	case cmdline.ArchiveFile:
		if s.cmd.Failed {
			return afterError(name, "internal")
		}
		return s.addArchive(name)
	case cmdline.FatbinFile:
		if s.cmd.Failed {
			return afterError(name, "fatbinary")
		}
		return s.addFatbin(name, data)
	case cmdline.PTXFile:
		return s.addPTX(name, data)
	case cmdline.Ignored:
		s.noteIgnored(name, data)
	}
	return j.Messages
}

// afterError is how a host object, an archive or a fatbinary ends the link where an error has been told:
// nvlink takes it for one of the file's own (11.8.89, 12.4.131, 13.0.88, 13.5.37).
func afterError(name, what string) []engine.Diagnostic {
	return fatal(name, "elfLink %s error", what)
}

// addDevice adds a device object: a cubin.
func (s *Set) addDevice(name string, data []byte) []engine.Diagnostic {
	if s.unneeded(name) {
		s.Unlinked = append(s.Unlinked, engine.Input{Name: name, Data: data})
		return nil
	}
	if said := s.late(); said != nil {
		s.Unlinked = append(s.Unlinked, engine.Input{Name: name, Data: data})
		return said
	}
	s.incomplete, s.opened = true, true
	s.Registered = append(s.Registered, Registration{Path: name})
	s.link(name, data)
	return append(s.notIR(name), s.noHostCode(name)...)
}

// noHostCode is what 13.5 remarks where a registration file is asked for.
func (s *Set) noHostCode(name string) []engine.Diagnostic {
	if !s.cmd.Release.RemarksHost() || !s.cmd.Given(cmdline.RegisterLinkBinaries) {
		return nil
	}
	return []engine.Diagnostic{{Severity: engine.Info, Kind: engine.NoInput, File: name,
		Text: fmt.Sprintf("Input '%s' has no host code, which could cause later host link error if there is a reference to it", name)}}
}

// link adds an object.
func (s *Set) link(name string, data []byte) {
	in := engine.Input{Name: name, Data: data}
	s.Objects, s.unread = append(s.Objects, in), append(s.unread, in)
}

// noteFunctions notes which functions an object defines and wants.
func (s *Set) noteFunctions(in *engine.Input) {
	f, err := cubin.Open(in.Name, in.Data)
	if err != nil || f.Symtab() == nil {
		return // the engine tells
	}
	t := f.Symtab()
	for i := 1; i < t.Len(); i++ {
		sym, ok := t.At(i)
		if !ok || sym.Type() != cuda.STTFunc || sym.Binding() == cuda.STBLocal {
			continue
		}
		name := strings.Clone(t.Name(&sym))
		switch {
		case sym.Shndx != cuda.SHNUndef:
			s.defined[name] = true
		case !engine.DriverDefines(s.cmd.Release.String(), name):
			s.wanted[name] = true
		}
	}
}

// wantsFunctions reports whether a function is called that no object defines.
func (s *Set) wantsFunctions() bool {
	for i := range s.unread {
		s.noteFunctions(&s.unread[i])
	}
	s.unread = nil
	for name := range s.wanted {
		if !s.defined[name] {
			return true
		}
	}
	return false
}

func fatal(file, format string, args ...any) []engine.Diagnostic {
	return []engine.Diagnostic{{Severity: engine.Fatal, Kind: engine.Malformed, File: file, Text: fmt.Sprintf(format, args...)}}
}

// noCode is the warning about an object without code for the target.
func (s *Set) noCode(name string) []engine.Diagnostic {
	if s.cmd.Given(cmdline.SuppressArchWarning) {
		return nil
	}
	return s.warn(name, "SM Arch ('%s') not found in '%s'", s.cmd.Options.Arch, name)
}

// warn warns of a file that doesn't fit the target. Where warnings are errors nothing is linked.
func (s *Set) warn(name, format string, args ...any) []engine.Diagnostic {
	d, said := s.cmd.Warn(engine.WrongArch, format, args...)
	if !said {
		return nil
	}
	d.File = name
	s.cmd.Failed = s.cmd.Failed || d.Severity == engine.Error
	return []engine.Diagnostic{d}
}

// lost notes what nvlink drops silently. With --as-nvlink it is dropped
// here too.
func (s *Set) lost(file, what string) (drop bool) {
	d := engine.Diagnostic{Severity: engine.Info, Kind: engine.Lost, File: file, Text: what + ", which nvlink drops silently: linked"}
	if drop = s.cmd.AsNvlink; drop {
		d.Severity, d.Text = engine.Warning, what+": dropped, as nvlink does"
	}
	s.Lost = append(s.Lost, d)
	return drop
}

// noteIgnored remembers a file whose device code is ignored for its name.
func (s *Set) noteIgnored(name string, data []byte) {
	if s.ignoredCode != "" || len(data) == 0 {
		return
	}
	switch container.Identify(data) {
	case container.DeviceCode, container.Fatbinary:
		if strings.HasSuffix(name, ".o") { // 11.8 takes it for a host object without device code
			s.incomplete = true
		}
		s.ignoredCode = fmt.Sprintf("'%s' has device code, but nvlink ignores files of that name", name)
	case container.SharedObject:
		o, err := container.ReadObject(name, data, container.NewBudget(len(data)))
		if err == nil && len(o.Relocatable) > 0 {
			s.ignoredCode = fmt.Sprintf("'%s' is a shared object: its device code is linked already", name)
		}
	}
}

// Finish ends the adding. Where nothing at all would be linked though a file
// holds device code, that is an error, unless --as-nvlink is given.
func (s *Set) Finish() []engine.Diagnostic {
	if said := s.optimize(); said != nil || s.Whole != nil {
		return said
	}
	if len(s.Objects) > 0 || s.ignoredCode == "" || s.virtual {
		return nil
	}
	if s.cmd.AsNvlink {
		s.Lost = append(s.Lost, engine.Diagnostic{Severity: engine.Warning, Kind: engine.Lost, Text: "the image is empty: " + s.ignoredCode})
		return nil
	}
	return []engine.Diagnostic{{Severity: engine.Fatal, Kind: engine.Lost, Text: "nothing is linked: " + s.ignoredCode + "; --as-nvlink makes the empty image that nvlink makes"}}
}
