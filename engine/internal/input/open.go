package input

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/parallel"
	"github.com/twinlink/twinlink/engine/internal/release"
	"github.com/twinlink/twinlink/internal/finalizer"
)

func (l *Set) FileName(i int32) string { return l.Files[i].Name }

// open reads the frames of the inputs, picks the release to behave as and
// checks that every input fits release and target.
func (l *Set) open(inputs []Input) error {
	var ok bool
	if l.Arch, ok = release.ParseTarget(l.Opt.Arch); !ok {
		return diag.Refuse(diag.BadOption, "", "Unknown arch name '%s'", l.Opt.Arch)
	}
	if len(inputs) == 0 && !l.Opt.Empty {
		return diag.Refuse(diag.NoInput, "", "No input files specified; use option --help for more information")
	}
	for _, in := range inputs {
		l.total += int64(len(in.Data))
	}
	l.Files = make([]*cubin.File, len(inputs))
	err := l.each(len(inputs), func() func(int) error {
		return func(i int) (err error) {
			l.Files[i], err = openFile(inputs[i])
			return err
		}
	})
	if err != nil {
		return err
	}
	newest, of := uint32(0), ""
	for _, f := range l.Files {
		if n := toolkitOf(f); n > newest {
			newest, of = n, f.Name
		}
	}
	l.Budget = 64<<20 + 8*l.total
	l.Release = release.Choose(l.Opt.Toolkit, newest)
	switch {
	case l.Release == nil && l.Opt.Toolkit != "":
		return diag.Refuse(diag.BadOption, "", "Value '%s' is not defined for option 'toolkit'", l.Opt.Toolkit)
	case l.Release == nil:
		return diag.Refuse(diag.WrongToolkit, of, "Input file '%s' newer than toolkit (%d vs %d)", of, newest, release.All[len(release.All)-1].Toolkit)
	}
	if !slices.Contains(l.Release.Archs, l.Opt.Arch) {
		return diag.Refuse(diag.BadOption, "", "Value '%s' is not defined for option 'arch'", l.Opt.Arch)
	}
	if l.Release.Above != nil && l.Arch.SM >= cuda.MercuryMin {
		l.Release = l.Release.Above
		if err := l.refuseUnasked(); err != nil {
			return err
		}
	}
	for _, f := range l.Files {
		if err := l.checkFile(f); err != nil {
			return err
		}
		independent := l.VirtualSM(f) >= IndependentThreads
		l.ForwardProgress = l.ForwardProgress || independent
		l.Lockstep = l.Lockstep || !independent
	}
	return l.openMercury()
}

// refuseUnasked refuses what nvJitLink has no option for, where no nvlink was asked.
func (l *Set) refuseUnasked() error {
	for _, o := range []struct {
		name string
		is   bool
	}{{"relocatable-link", l.Opt.Relocatable}, {"preserve-relocs", l.Opt.PreserveRelocs}} {
		if o.is {
			return diag.Refuse(diag.Unsupported, "", "links for '%s' with option '%s' by nvlink %s are not known", l.Opt.Arch, o.name, l.Release.Name)
		}
	}
	return nil
}

// openFile reads the frame of an input.
func openFile(in Input) (*cubin.File, error) {
	f, err := cubin.Open(in.Name, in.Data)
	switch {
	case err != nil:
		return nil, err
	case f.Header.Type != cuda.ETRel && f.Header.Type != cuda.ETEwp:
		return nil, &cubin.Error{Kind: cubin.BadHeader, File: in.Name, Offset: 16, Value: uint64(f.Header.Type), Detail: "cubin not relocatable"}
	case f.Symtab() == nil:
		return nil, &cubin.Error{Kind: cubin.BadTable, File: in.Name, Value: uint64(f.NumSections()), Detail: "symsec not found"}
	}
	return f, nil
}

// worthCores is how many bytes of inputs are worth more than one core.
const worthCores = 1 << 20

// each calls what of returns, for each core again, for each input, side by side where
// there is much to do. It returns the error of the first input that has one.
func (l *Set) each(n int, of func() (do func(i int) error)) error {
	if l.total < worthCores {
		do := of()
		for i := range n {
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	failed := make([]error, n)
	parallel.Run(n, func(next func() int) {
		do := of()
		for i := next(); i >= 0; i = next() {
			failed[i] = do(i)
		}
	})
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

// toolkitOf returns the toolkit that made a file: 118, 124, 130.
func toolkitOf(f *cubin.File) uint32 {
	if !f.Header.New() {
		return f.Header.Version
	}
	if c, ok := cuinfoOf(f); ok {
		if c.Version < cuda.NoteCuinfoVersion {
			return firstToolkit(f)
		}
		return c.API
	}
	return 130
}

// firstToolkit is toolkitOf for files of 12.8 and 12.9, of which only the form of .note.nv.tkinfo
// tells: 128 or 129.
func firstToolkit(f *cubin.File) uint32 {
	if t, ok := toolNote(f); ok {
		return t.Version
	}
	return 128
}

// toolNote returns what the tool that wrote a file says of itself: its note is the first.
func toolNote(f *cubin.File) (t cubin.Tkinfo, ok bool) {
	for i := range f.OfType(cuda.SHTNote) {
		s := f.Section(i)
		if s.Flags&cuda.SHFTkinfo == 0 {
			continue
		}
		notes, err := f.Notes(&s)
		if err != nil || len(notes) == 0 {
			continue
		}
		if t, ok = notes[0].Tkinfo(); ok {
			return t, true
		}
	}
	return t, false
}

// Toolkit is the toolkit that made an input.
func (l *Set) Toolkit(i int32) uint32 { return toolkitOf(l.Files[i]) }

// isAccelerated reports whether an object is for an accelerated target, as sm_90a, by its
// header or its .nv.compat.
func isAccelerated(f *cubin.File) bool {
	if f.Header.Accelerated() {
		return true
	}
	for i := range f.OfType(cuda.SHTCudaCompat) {
		s := f.Section(i)
		r := f.Info(&s)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if cuda.CompatAttr(rec.Attr) == cuda.CompatAcceleratorTarget {
				return rec.Value != 0
			}
		}
	}
	return false
}

// IndependentThreads is the first SM whose threads advance independently.
const IndependentThreads cuda.SM = 70

// VirtualSM returns the SM an object's PTX was written for.
func (l *Set) VirtualSM(f *cubin.File) cuda.SM {
	if !f.Header.New() || l.Release.NotesAreData {
		return cuda.SM(f.Header.Flags & cuda.EFLegacyVirtualSM >> 16)
	}
	if c, ok := cuinfoOf(f); ok {
		return cuda.SM(c.SM)
	}
	return f.Header.SM()
}

// cuinfoOf returns the content of .note.nv.cuinfo.
func cuinfoOf(f *cubin.File) (cubin.Cuinfo, bool) {
	for i := range f.OfType(cuda.SHTNote) {
		s := f.Section(i)
		if s.Flags&cuda.SHFCuinfo == 0 {
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

// checkFile refuses an input that doesn't fit release and target.
func (l *Set) checkFile(f *cubin.File) error {
	name := f.Name
	toolkit := toolkitOf(f)
	abi := uint8(cuda.ABIVersionLegacy)
	if f.Header.New() {
		abi = cuda.ABIVersionCuda13
	}
	wrongABI := f.Header.ABIVersion() != abi
	abiFault := diag.Refuse(diag.WrongToolkit, name, "Input file '%s' abi does not match", name)
	if wrongABI && l.Release.Notes {
		return abiFault
	}
	// Of a new object an old release reads the flags as what they used to be.
	if f.Header.Flags&cuda.EFLegacy64Bit == 0 && !(f.Header.New() && (l.Release.Notes || l.Release.TakesNewer)) {
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.WrongToolkit, File: name,
			Text: fmt.Sprintf("expected 64bit object '%s' to have EF_CUDA_64BIT_ADDRESS set", name)})
	}
	newer := f.Header.New() && l.Release.TakesNewer
	if f.Header.New() && !l.Release.Notes && !newer {
		return diag.Refuse(diag.WrongArch, name, "Input file '%s' arch does not match target '%s'", name, l.Arch.Name)
	}
	if l.isBare(f) {
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.WrongArch, File: name,
			Text: fmt.Sprintf("Output is limited to run on SM Arch '%d' only due to limitations in input file %s", l.Arch.SM, name)})
	}
	if l.Release.NoMixedAccelerated && !l.Arch.Accelerated && isAccelerated(f) {
		return diag.Refuse(diag.WrongArch, name, "cannot link accelerated arch to non-accelerated")
	}
	fits, err := l.linksFor(f)
	if err != nil {
		return err
	}
	switch {
	case !fits && l.isBare(f) && l.compat && l.Release.Toolkit > 130: // it is read before the target is compared
		return diag.Refuse(diag.WrongArch, name, "cannot read nvcompat")
	case !fits:
		return diag.Refuse(diag.WrongArch, name, "Input file '%s' arch does not match target '%s'", name, l.Arch.Name)
	}
	l.compat = l.compat || isMercury(f)
	if wrongABI && !newer {
		return abiFault
	}
	if newer {
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.NewerInput, File: name,
			Text: fmt.Sprintf("Input file '%s' is newer than toolkit (%d vs %d); it is linked as nvJitLink does", name, toolkit, l.Release.Toolkit)})
	} else if toolkit > l.Release.Toolkit {
		return diag.Refuse(diag.WrongToolkit, name, "Input file '%s' newer than toolkit (%d vs %d)", name, toolkit, l.Release.Toolkit)
	}
	if l.Arch.SM >= 90 && l.Release.Toolkit >= 120 && toolkit < 120 {
		return diag.Refuse(diag.WrongToolkit, name, "Input file '%s' must be recompiled with toolkit >= Cuda 12.0", name)
	}
	// After code that was compiled as a whole program, and that itself.
	l.WholeProgram = l.WholeProgram || f.Header.Type == cuda.ETEwp
	if l.WholeProgram && toolkit < l.Release.Toolkit {
		return diag.Refuse(diag.WrongToolkit, name, "linking with -ewp objects requires using current toolkit")
	}
	return nil
}

// isBare reports whether an object has no Mercury side in a link where one is looked for.
func (l *Set) isBare(f *cubin.File) bool {
	return (f.Header.New() || l.Release.Notes) && max(f.Header.SM(), l.Arch.SM) >= cuda.MercuryMin && !isMercury(f)
}

// linksFor reports whether an object is linked for the target. From sm_100 on
// its .nv.compat has a say; code of SASS alone is linked for its own SM.
func (l *Set) linksFor(f *cubin.File) (bool, error) {
	object := f.Header.SM()
	if object < cuda.MercuryMin && l.Arch.SM < cuda.MercuryMin {
		return object.LinkedFor(l.Arch.SM, l.Release.Toolkit), nil
	}
	if l.isBare(f) {
		return object == l.Arch.SM, nil
	}
	x, err := finalizer.FactsOf(f)
	if err != nil {
		return false, err
	}
	x.ISA = 0 // judged when the file is read
	d := finalizer.Decide(&x, l.Arch.SM, finalizer.Observed)
	if d.Accepted && x.SM != l.Arch.SM && !finalizer.Copyable(&x, l.Arch.SM) {
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, File: f.Name,
			Text: fmt.Sprintf("Input file '%s' has code for sm_%d; the code for sm_%d may differ from nvlink's", f.Name, object, l.Arch.SM)})
	}
	return d.Accepted, nil
}

// MaxOutput bounds the image.
func (l *Set) MaxOutput() uint64 { return uint64(max(l.Budget, 0)) }
