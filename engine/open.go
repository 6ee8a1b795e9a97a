package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/finalizer"
)

// open reads the frames of the inputs, picks the release to behave as and
// checks that every input fits release and target.
func (l *linker) open(inputs []Input) error {
	var ok bool
	if l.arch, ok = parseArch(l.opt.Arch); !ok {
		return refuse(BadOption, "", "Unknown arch name '%s'", l.opt.Arch)
	}
	if len(inputs) == 0 {
		return refuse(NoInput, "", "No input files specified; use option --help for more information")
	}
	total := int64(0)
	newest := uint32(0)
	for _, in := range inputs {
		total += int64(len(in.Data))
		f, err := cubin.Open(in.Name, in.Data)
		if err != nil {
			return err
		}
		if f.Header.Type != cuda.ETRel {
			return &cubin.Error{Kind: cubin.BadHeader, File: in.Name, Offset: 16, Value: uint64(f.Header.Type), Detail: "cubin not relocatable"}
		}
		if f.Symtab() == nil {
			return &cubin.Error{Kind: cubin.BadTable, File: in.Name, Value: uint64(f.NumSections()), Detail: "symsec not found"}
		}
		newest = max(newest, toolkitOf(f))
		l.files = append(l.files, f)
	}
	l.budget = 64<<20 + 8*total
	if l.prof = chooseProfile(l.opt.Toolkit, newest); l.prof == nil {
		return refuse(WrongToolkit, "", "Input file '%s' newer than toolkit (%d vs %d)", inputs[0].Name, newest, profiles[len(profiles)-1].toolkit)
	}
	if !slices.Contains(l.prof.archs, l.opt.Arch) {
		return refuse(BadOption, "", "Value '%s' is not defined for option 'arch'", l.opt.Arch)
	}
	for _, f := range l.files {
		if err := l.checkFile(f); err != nil {
			return err
		}
		l.forwardProgress = l.forwardProgress || virtualSM(f) >= independentThreads
	}
	return l.openMercury()
}

// toolkitOf returns the toolkit that made a file: 118, 124, 130.
func toolkitOf(f *cubin.File) uint32 {
	if !f.Header.New() {
		return f.Header.Version
	}
	if c, ok := cuinfoOf(f); ok {
		return c.API
	}
	return 130
}

// independentThreads is the first SM whose threads advance independently.
const independentThreads cuda.SM = 70

// virtualSM returns the SM an object's PTX was written for.
func virtualSM(f *cubin.File) cuda.SM {
	if !f.Header.New() {
		return cuda.SM(f.Header.Flags & cuda.EFLegacyVirtualSM >> 16)
	}
	if c, ok := cuinfoOf(f); ok {
		return cuda.SM(c.SM)
	}
	return f.Header.SM()
}

// cuinfoOf returns the content of .note.nv.cuinfo.
func cuinfoOf(f *cubin.File) (cubin.Cuinfo, bool) {
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if s.Type != cuda.SHTNote || s.Flags&cuda.SHFCuinfo == 0 {
			continue
		}
		notes, err := f.Notes(&s)
		if err != nil {
			continue
		}
		for _, n := range notes {
			if c, ok := n.Cuinfo(); ok {
				return c, true
			}
		}
	}
	return cubin.Cuinfo{}, false
}

// chooseProfile returns the named release, or the oldest that knows the newest
// input; nil where none does.
func chooseProfile(name string, newest uint32) *profile {
	for _, p := range profiles {
		if name != "" && (p.name == name || strings.HasPrefix(name, p.name+".")) || name == "" && p.toolkit >= newest {
			return p
		}
	}
	return nil
}

// checkFile refuses an input that doesn't fit release and target.
func (l *linker) checkFile(f *cubin.File) error {
	name := f.Name
	toolkit := toolkitOf(f)
	abi := uint8(cuda.ABIVersionLegacy)
	if f.Header.New() {
		abi = cuda.ABIVersionCuda13
	}
	wrongABI := f.Header.ABIVersion() != abi
	abiFault := refuse(WrongToolkit, name, "Input file '%s' abi does not match", name)
	if wrongABI && l.prof.notes {
		return abiFault
	}
	// Of a new object an old release reads the flags as what they used to be.
	if f.Header.Flags&cuda.EFLegacy64Bit == 0 && !(f.Header.New() && l.prof.notes) {
		l.say(Diagnostic{Severity: Warning, Kind: WrongToolkit, File: name,
			Text: fmt.Sprintf("expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", name)})
	}
	if f.Header.New() && !l.prof.notes {
		return refuse(WrongArch, name, "Input file '%s' arch does not match target '%s'", name, l.arch.name)
	}
	fits, err := l.linksFor(f)
	if err != nil {
		return err
	}
	if !fits {
		return refuse(WrongArch, name, "Input file '%s' arch does not match target '%s'", name, l.arch.name)
	}
	if wrongABI {
		return abiFault
	}
	if toolkit > l.prof.toolkit {
		return refuse(WrongToolkit, name, "Input file '%s' newer than toolkit (%d vs %d)", name, toolkit, l.prof.toolkit)
	}
	if l.arch.sm >= 90 && l.prof.toolkit >= 120 && toolkit < 120 {
		return refuse(WrongToolkit, name, "Input file '%s' must be recompiled with toolkit >= Cuda 12.0", name)
	}
	return nil
}

// linksFor reports whether an object is linked for the target. From sm_100 on
// its .nv.compat has a say; code of SASS alone is linked for its own SM.
func (l *linker) linksFor(f *cubin.File) (bool, error) {
	object := f.Header.SM()
	if object < cuda.MercuryMin && l.arch.sm < cuda.MercuryMin {
		return finalizer.Family(object, l.arch.sm), nil
	}
	if f.Header.New() && !isMercury(f) {
		l.say(Diagnostic{Severity: Warning, Kind: WrongArch, File: f.Name,
			Text: fmt.Sprintf("Output is limited to run on SM Arch '%d' only due to limitations in input file %s", l.arch.sm, f.Name)})
		return object == l.arch.sm, nil
	}
	x, err := finalizer.FactsOf(f)
	if err != nil {
		return false, err
	}
	x.ISA = 0 // judged when the file is read
	d := finalizer.Decide(&x, l.arch.sm, finalizer.Observed)
	if d.Accepted && x.SM != l.arch.sm && !finalizer.Copyable(&x, l.arch.sm) {
		l.say(Diagnostic{Severity: Warning, Kind: Rescheduled, File: f.Name,
			Text: fmt.Sprintf("Input file '%s' holds code for sm_%d; that for sm_%d is perhaps not nvlink's", f.Name, object, l.arch.sm)})
	}
	return d.Accepted, nil
}

// spend takes n bytes or steps from the link's budget.
func (l *linker) spend(m *module, s *cubin.Section, n uint64) error {
	if n > uint64(max(l.budget, 0)) {
		return m.fault(cubin.OverBudget, s, 0, n, "the input asks for more than 64 MB and eight times its size")
	}
	l.budget -= int64(n)
	return nil
}

// maxOutput bounds the image.
func (l *linker) maxOutput() uint64 { return uint64(max(l.budget, 0)) }
