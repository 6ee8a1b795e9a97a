package inputs

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/lto"
)

// Compiler compiles what is given to a link uncompiled; *lto.Tools is one.
type Compiler interface {
	Optimize(ctx context.Context, p *lto.Program) (ptx []byte, err error)
	Assemble(ctx context.Context, j *lto.Job) (cubin []byte, said string, err error)
	Link(ctx context.Context, p *lto.Program, options []string) (image []byte, said string, err error)
}

// ltoName is what nvlink calls the object that it makes of all LTO IR.
const ltoName = "lto.cubin"

// compile makes an object of PTX, as nvlink does with a ptxas of its own.
func (s *Set) compile(name string, m *container.Member) []engine.Diagnostic {
	if s.Compiler == nil {
		d := cmdline.Unsupported("input file '%s': PTX for compute_%s, to be compiled for %s,", name, m.Arch, s.cmd.Options.Arch)
		d.Text += ": " + "--lto-with=auto compiles it with a ptxas of " + s.cmd.Release.String()
		d.File = name
		return []engine.Diagnostic{d}
	}
	text, err := m.Data(s.reader.budget)
	if err != nil {
		return append(fatal(name, "%s", err), fatal(name, "elfLink fatbinary error")...)
	}
	job := &lto.Job{Name: name, Text: text, Arch: s.cmd.Options.Arch, Options: s.ptxasOptions()}
	if !m.Bare() {
		job.Options = append(strings.Fields(strings.ReplaceAll(string(m.Options), "\x00", " ")), job.Options...)
	}
	cubin, said := s.assemble(job)
	if cubin != nil {
		s.link(name, cubin)
	}
	return said
}

// assemble returns nil where ptxas refuses; what it printed comes first.
func (s *Set) assemble(job *lto.Job) ([]byte, []engine.Diagnostic) {
	cubin, printed, err := s.Compiler.Assemble(context.Background(), job)
	var said []engine.Diagnostic
	for line := range strings.Lines(printed) {
		said = append(said, engine.Diagnostic{Severity: engine.Plain, File: job.Name, Text: strings.TrimSuffix(line, "\n")})
	}
	if err != nil {
		if printed == "" {
			said = append(said, fatal(job.Name, "%s", err)...)
		}
		return nil, append(said, fatal(job.Name, "elfLink fatbinary error")...)
	}
	return cubin, said
}

// ptxasOptions are those that nvlink hands on.
func (s *Set) ptxasOptions() []string {
	c := s.cmd
	var list []string
	if c.Given(cmdline.Debug) {
		list = append(list, "-g")
		if c.Release.Cuda13() {
			list = append(list, "--verbose-tkinfo=false") // no names of temporary files in the note
		}
	}
	for _, id := range [...]cmdline.ID{cmdline.MaxRegCount, cmdline.DeviceStackProtector, cmdline.SplitCompile, cmdline.SplitCompileExtended, cmdline.OfastCompile} {
		if c.Given(id) {
			list = append(list, "-"+cmdline.Table[id].Short+"="+c.Value(id))
		}
	}
	return append(list, c.Values(cmdline.Xptxas)...)
}

// keepIR keeps LTO IR until all inputs are known.
func (s *Set) keepIR(name string, m *container.Member) []engine.Diagnostic {
	if s.Compiler == nil {
		d := cmdline.Unsupported("input file '%s': LTO IR", name)
		d.Text, d.File = d.Text+": "+cmdline.CompilerHint(s.cmd.Release), name
		return []engine.Diagnostic{d}
	}
	module := lto.Module{Name: name, Data: m.Stored, Bare: m.Bare()}
	if !module.Bare {
		module.Data = m.Alone()
	}
	s.opened = true
	s.modules = append(s.modules, module)
	s.irAt = len(s.Objects)
	return nil
}

// addIR adds a file of LTO IR.
func (s *Set) addIR(name string, data []byte) []engine.Diagnostic {
	f, err := container.Open(name, data, container.Options{Budget: s.reader.spend(data)})
	if err != nil || len(f.Members) != 1 || f.Members[0].Kind != container.NVVM {
		return append(fatal(name, "'%s' is no LTO IR", name), fatal(name, "elfLink internal error")...)
	}
	if said := s.late(); said != nil {
		return said
	}
	s.incomplete = true
	s.Registered = append(s.Registered, Registration{Path: name})
	return s.keepIR(name, &f.Members[0])
}

// notIR is what -dlto remarks of each object that is compiled already, but of none whose path, of which a member's name is
// a part, is the device runtime's: --keep-system-libraries changes nothing of that.
func (s *Set) notIR(name string) []engine.Diagnostic {
	if !s.cmd.Optimizes() || s.optimized || inDevrt(name) {
		return nil
	}
	s.compiled = true
	return []engine.Diagnostic{{Severity: engine.Info, Kind: engine.BadOption, File: name, Text: "requested LTO but '" + name + "' not built for LTO so doing partial LTO"}}
}

// optimize compiles all LTO IR together. Where there is nothing else the result
// is the image; else it is an object that is where the last of the IR stood.
func (s *Set) optimize() []engine.Diagnostic {
	if !s.cmd.Optimizes() || s.optimized {
		return nil
	}
	s.optimized = true
	if len(s.modules) == 0 {
		d, said := s.cmd.Warn(engine.BadOption, "Ignoring -dlto option because no LTO objects found")
		if !said {
			return nil
		}
		s.cmd.Failed = s.cmd.Failed || d.Severity == engine.Error
		return []engine.Diagnostic{d}
	}
	whole := len(s.Objects) == 0 && !s.compiled && !s.cmd.Given(cmdline.ForcePartialLTO)
	p := s.program(whole)
	switch {
	case len(s.Objects) == 0 && s.cmd.Given(cmdline.ForcePartialLTO):
		// The library omits functions that only another link would call.
		return []engine.Diagnostic{cmdline.Unsupported("option '--force-partial-lto' where all inputs are LTO IR")}
	case s.cmd.Given(cmdline.RelocatableLink) && s.cmd.Release.Cuda13():
		return []engine.Diagnostic{cmdline.Unsupported("option '-r' with link-time optimization")}
	case whole && !s.runtimeGiven && !s.cmd.Given(cmdline.EmitPTX):
		return fatal("", "expected libcudadevrt object")
	case len(s.Objects) > 0 && s.irAt == len(s.Objects) && !s.cmd.Given(cmdline.EmitPTX):
		return s.linkMixed(p)
	}
	text, err := s.Compiler.Optimize(context.Background(), p)
	if err != nil {
		return s.notOptimized(err)
	}
	if !whole && lto.DefinesFunctions(text) {
		return []engine.Diagnostic{cmdline.Unsupported("LTO IR that defines functions, before objects that are compiled already,")}
	}
	if s.cmd.Given(cmdline.EmitPTX) {
		s.Whole = text
		return nil
	}
	cubin, said := s.assemble(&lto.Job{Name: ltoName, Text: text, Arch: p.Arch, Whole: whole, Options: s.ptxasOptions()})
	switch {
	case cubin == nil:
	case whole:
		s.Whole = cubin
		slices.Reverse(s.Registered) // as nvlink has it
	default:
		s.link(ltoName, cubin)
		last := len(s.Objects) - 1
		s.Objects = slices.Insert(s.Objects[:last], s.irAt, s.Objects[last])
	}
	return said
}

// linkMixed has the library link LTO IR and the objects before it: its PTX alone
// would lack functions that the objects call.
func (s *Set) linkMixed(p *lto.Program) []engine.Diagnostic {
	c := s.cmd
	for _, id := range [...]cmdline.ID{
		cmdline.PreserveRelocs, cmdline.ForceRela, cmdline.ReserveNullPointer, cmdline.DisableSmemReservation, cmdline.SuppressDebugInfo,
		cmdline.DumpCallgraph, cmdline.DumpCallgraphNoDemangle, cmdline.Verbose, cmdline.WarningAsError, cmdline.ExtraWarnings,
	} {
		if c.Given(id) {
			return []engine.Diagnostic{cmdline.Unsupported("option '--%s' with LTO IR after objects that are compiled already", cmdline.Table[id].Name)}
		}
	}
	for i := range s.Objects {
		p.Objects = append(p.Objects, lto.Module{Name: s.Objects[i].Name, Data: s.Objects[i].Data})
	}
	var options []string
	for _, o := range s.ptxasOptions() {
		switch {
		case o == "-g" || strings.HasPrefix(o, "-maxrregcount="):
			options = append(options, o)
		case o == "--verbose-tkinfo=false":
		default:
			options = append(options, "-Xptxas="+o)
		}
	}
	image, printed, err := s.Compiler.Link(context.Background(), p, options)
	if err != nil {
		return s.notOptimized(err)
	}
	s.Whole = image
	var said []engine.Diagnostic
	for line := range strings.Lines(printed) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "warning ") && !c.NoWarnings {
			said = append(said, engine.Diagnostic{Severity: engine.Plain, Text: "nvlink " + line})
		}
	}
	return said
}

func (s *Set) notOptimized(err error) []engine.Diagnostic {
	var fault *lto.Error
	name := ""
	if errors.As(err, &fault) {
		name = fault.Name
	}
	return append(fatal(name, "%s", err), fatal(name, "elfLink linker library load error")...)
}

// program says what is compiled. Only a whole program is cut to what the host
// refers to.
func (s *Set) program(whole bool) *lto.Program {
	c := s.cmd
	p := &lto.Program{Arch: c.Options.Arch, Modules: s.modules, Partial: !whole, Xnvvm: c.Values(cmdline.Xnvvm)}
	if c.Given(cmdline.Debug) && !c.Release.Cuda13() {
		p.Xnvvm = append(p.Xnvvm, "-g")
	}
	if c.Given(cmdline.OfastCompile) {
		p.Ofc = c.Value(cmdline.OfastCompile)
	}
	if c.Given(cmdline.KernelsUsed) || c.Given(cmdline.VariablesUsed) {
		p.Kernels, p.Variables, p.Trim = c.Values(cmdline.KernelsUsed), c.Values(cmdline.VariablesUsed), true
	} else if use := s.HostUse(); use != nil {
		p.Kernels = slices.Concat(use.Kernels, use.InternalKernels)
		p.Variables, p.Trim = s.variables, true
	}
	return p
}
