package cmdline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/engine"
)

// check says what is wrong with options taken together, in the order nvlink
// looks: the first fault ends it. 13.0 looks at what must be given before it
// looks at conflicts, older releases afterwards.
func (c *Command) check() error {
	steps := [...]func(*Command) error{(*Command).checkConflicts, (*Command).checkScript, (*Command).checkRequired}
	if c.Release.Cuda13() {
		steps = [...]func(*Command) error{(*Command).checkScript, (*Command).checkRequired, (*Command).checkConflicts}
	}
	for _, step := range steps {
		if err := step(c); err != nil || c.Mode == HostScript {
			return err
		}
	}
	if err := c.checkLTO(); err != nil {
		return err
	}
	c.warnPreserve()
	if c.Given(Fdcmpt) {
		return c.fail(engine.BadOption, "Unknown option '-fdcmpt'")
	}
	if err := c.checkAPI(); err != nil {
		return err
	}
	return c.checkSupported()
}

func (c *Command) conflict(a, b string) error {
	return c.fail(engine.BadOption, "Conflicting options '%s' and '%s'", a, b)
}

func (c *Command) checkConflicts() error {
	switch {
	case c.Given(SuppressDebugInfo) && !c.Given(Debug):
		return c.conflict("-suppress-debug-info", "no -g")
	case c.Given(DumpCallgraph) && c.Given(DumpCallgraphNoDemangle):
		return c.conflict("-dump-callgraph", "-dump-callgraph-no-demangle")
	case c.Given(UseHostInfo) && c.Given(IgnoreHostInfo):
		return c.conflict("-use-host-info", "-ignore-host-info")
	}
	if c.Given(UseHostInfo) && (c.Given(KernelsUsed) || c.Given(VariablesUsed)) {
		c.say(engine.Info, engine.BadOption, "ignore -use-host-info because -kernels-used or -variables-used is specified")
	}
	return nil
}

// checkScript is about -ghls, which needs nothing else.
func (c *Command) checkScript() error {
	if !c.Given(GenHostLinkerScript) {
		return nil
	}
	if len(c.Inputs) > 0 {
		return c.fail(engine.BadOption, "Input files are not allowed with -ghls option; use --help for more information")
	}
	c.Mode = HostScript
	return nil
}

// checkRequired is about what must be given; a virtual target makes no output.
func (c *Command) checkRequired() error {
	switch {
	case !c.Given(Arch):
		return c.fail(engine.BadOption, "Unknown arch name '(null)'")
	case !c.Given(OutputFile) && strings.HasPrefix(c.text(Arch), "sm_"):
		return c.fail(engine.BadOption, "Must specify output file with -o option")
	case len(c.Inputs) == 0:
		return c.fail(engine.NoInput, "No input files specified; use option --help for more information")
	}
	return nil
}

// checkLTO is about options of link-time optimization.
func (c *Command) checkLTO() error {
	if arch := c.text(Arch); strings.HasPrefix(arch, "lto_") {
		return c.fail(engine.BadOption, "Link target of '%s' is virtual target that is not JIT-able; use 'sm_' target instead", arch)
	}
	if c.Given(DLTO) || c.Given(LinkTimeOpt) {
		if !c.Given(NVVMPath) {
			return c.fail(engine.BadOption, "-nvvmpath should be specified with -lto")
		}
		if c.Given(ForcePartialLTO) && c.Given(ForceWholeLTO) {
			return c.conflict("-force-partial-lto", "-force-whole-lto")
		}
		return nil
	}
	for _, id := range [...]ID{NVVMLatest, ForcePartialLTO, ForceWholeLTO, EmitPTX} {
		if c.Given(id) {
			return c.conflict("-"+Table[id].Name, "no -dlto")
		}
	}
	if c.Given(OfastCompile) {
		return c.conflict("--Ofast-compile", "no -dlto")
	}
	return nil
}

func (c *Command) warnPreserve() {
	sm, ok := strings.CutPrefix(c.text(Arch), "sm_")
	if n, err := strconv.Atoi(strings.TrimRight(sm, "af")); !ok || err != nil || n < 90 || !c.Given(PreserveRelocs) {
		return
	}
	d, said := c.Warn(engine.BadOption, "Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as expected", c.text(Arch))
	if said {
		c.Messages = append(c.Messages, Message{Diagnostic: d})
		c.Failed = c.Failed || d.Severity == engine.Error
	}
}

// checkAPI is about --cuda-api-version N.N, which each function's attribute is
// held against.
func (c *Command) checkAPI() error {
	if !c.Given(CudaAPIVersion) {
		return nil
	}
	a, b, _ := strings.Cut(c.text(CudaAPIVersion), ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	switch {
	case err1 != nil || err2 != nil:
		return c.fail(engine.BadOption, "--cuda-api-version value cannot be parsed")
	case major != c.Release.Major():
		return c.fail(engine.BadOption, "--cuda-api-version major number must be == toolkit version")
	}
	c.Options.APIVersion = uint32(10*major + minor)
	return nil
}

// checkSupported refuses what would change the result and isn't implemented.
// What a file decides (-uidx) is the caller's to refuse, as is a
// virtual target.
func (c *Command) checkSupported() error {
	for i := range Table {
		if id := ID(i); c.refuses(id) {
			return c.refuse(id)
		}
	}
	return nil
}

// refuses reports whether an option stops the link: the row says so, the
// value matters, and nothing else is to decide.
func (c *Command) refuses(id ID) bool {
	switch {
	case !c.Given(id), Table[id].Effect == Compiled && c.Given(LTOWith):
		return false
	case Table[id].Effect != Refused && Table[id].Effect != Compiled:
		return false
	}
	switch id {
	case UidxFile:
		return false
	}
	return true
}

func (c *Command) refuse(id ID) error {
	hint := ""
	if Table[id].Effect == Compiled {
		hint = CompilerHint(c.Release)
	}
	return c.unsupported("option '--"+Table[id].Name+"'", hint)
}

func (c *Command) unsupported(what, hint string) error {
	d := Unsupported("%s", what)
	if hint != "" {
		d.Text += ": " + hint
	}
	c.Messages = append(c.Messages, Message{Diagnostic: d})
	return &Refusal{Messages: c.Messages, Exit: 1}
}

// CompilerHint says what link-time optimization needs.
func CompilerHint(r Release) string {
	switch {
	case r.Toolkit() < 120:
		return "there is no nvJitLink of " + r.String() + "; the first is of 12.0"
	case r.Cuda13():
		return compilerHint(r, "nvidia-nvjitlink")
	}
	return compilerHint(r, "nvidia-nvjitlink-cu12")
}

func compilerHint(r Release, wheel string) string {
	return fmt.Sprintf("--lto-with=auto or --lto-with=PATH takes nvJitLink %s (Python wheel %s==%s.*) and a ptxas of %s", r, wheel, r, r)
}
