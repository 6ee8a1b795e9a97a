package check

import (
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Options that an output tells of itself.
//
// From 13.0 on the linker's own note records them, each as "-name value " or
// "-name  ". Before, -g leaves nameless functions behind, one for each input
// that mentions an undefined one, and symbols for shared variables.
//
// An option that was given counts as given; one that was not is taken from here.

// infer fills in options from the output.
func (c *check) infer() {
	o := &c.options
	if c.release < 130 {
		if nameless, shared := c.out.leftByDebug(); nameless && !c.preserve && !o.Debug && !o.KeepAll {
			o.Debug, o.SuppressDebug = true, !shared
		}
		return
	}
	line := c.out.commandLine()
	has := func(flag string) bool { return strings.Contains(" "+line, " "+flag+" ") }
	o.Debug = o.Debug || has("-g")
	o.SuppressDebug = o.SuppressDebug || has("-suppress-debug-info")
	o.PreserveRelocs = o.PreserveRelocs || has("-preserve-relocs")
	for _, name := range [...]string{"-kernels-used", "-variables-used"} {
		_, rest, found := strings.Cut(" "+line, " "+name+" ")
		if !found || o.FilterKernels && name == "-variables-used" {
			continue
		}
		value, _, _ := strings.Cut(rest, " ")
		if o.FilterKernels = true; name == "-kernels-used" && o.KernelsUsed == nil {
			o.KernelsUsed = strings.Split(value, ",")
		}
	}
}

// commandLine is the fifth text of the linker's own note.
func (f *image) commandLine() string {
	for i := range f.sections {
		if s := &f.sections[i]; s.kind == cuda.SHTNote && s.name == ".note.nv.tkinfo" {
			table, _ := cut(s.body, 48, max(s.size, 48)-48)
			line, _ := text(table, uint64(word(s.body, 44)))
			return line
		}
	}
	return ""
}

// leftByDebug reports whether there are nameless functions, and symbols of
// shared variables.
func (f *image) leftByDebug() (nameless, shared bool) {
	for i := range f.symbols {
		s := &f.symbols[i]
		if i > 0 && s.name == "" && s.kind() == cuda.STTFunc && !s.defined() {
			nameless = true
		}
		if s.kind() == cuda.STTObject && s.defined() && !s.special && f.sections[s.shndx].kind == cuda.SHTNobits {
			if name := f.sections[s.shndx].name; strings.HasPrefix(name, ".nv.shared.") || name == ".nv_debug.shared" {
				shared = true
			}
		}
	}
	return nameless, shared
}
