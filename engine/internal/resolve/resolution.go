// Package resolve decides what happens to each relocation: whether the link
// carries it out, leaves it to the driver or drops it.
package resolve

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resources"
)

// Resolution is the program with its relocations decided.
type Resolution struct {
	*resources.Usage
	*model.Program // of Usage
}

// Check reports undefined references and limits that are broken, in the order
// of the release.
func Check(u *resources.Usage) (*Resolution, error) {
	l := &Resolution{Usage: u, Program: u.Program}
	if l.Dialect.FilterFindsLost && !l.Release.FilterSkipsLost && l.HasFilter() && l.LostDebug != nil && !l.IsRelocatable() {
		// Under a filter the tool finds the records of a replaced definition.
		return nil, diag.Refuse(diag.Internal, "", "Internal error: unexpected reloc")
	}
	if len(l.UnifiedEntries) > 0 && !l.IsRelocatable() {
		return nil, diag.Refuse(diag.Unsupported, "", "Unified symbols found but index file not specified.")
	}
	if l.Nested && l.Dialect.RefusesNested && (l.IsRelocatable() || l.ShowsDebug() || l.hidesNested()) {
		return nil, diag.Refuse(diag.Unsupported, "", "code for '%s' with functions inside a kernel, as -ewp compiles it, is not supported by twinlink with -g, -r or a filter that hides the kernel", l.Opt.Arch)
	}
	if l.Release.RegistersFirst {
		if err := l.checkRegisters(); err != nil {
			return nil, err
		}
	}
	if err := l.CheckLimits(); err != nil {
		return nil, err
	}
	l.checkUndefined()
	if l.Broken != "" {
		return nil, diag.Refuse(diag.Internal, "", "Internal error: %s", l.Broken)
	}
	if !l.Release.RegistersFirst {
		if err := l.checkRegisters(); err != nil {
			return nil, err
		}
	}
	if l.BrokenAtEnd != "" {
		return nil, diag.Refuse(diag.Internal, "", "Internal error: %s", l.BrokenAtEnd)
	}
	l.CheckReserved()
	return l, nil
}

// checkRegisters reports code without a count of registers, and broken limits.
func (l *Resolution) checkRegisters() error {
	if l.Opt.DumpCallgraph && !l.IsRelocatable() {
		l.PrintCallgraph()
	}
	if l.IsUnrated() {
		return diag.Refuse(diag.Internal, "", "Internal error: no regcount?")
	}
	l.CheckRegisters()
	return nil
}

// IsGone reports whether a symbol isn't in the image, nor what it stood for. What stands for tables of unified
// functions and data is there in a link with -r that has unified functions (nvlink 13.0.88 to 13.5.37).
func (l *Resolution) IsGone(id model.SymID) bool {
	sym := &l.Syms[id]
	return sym.Is(model.SymDead) || sym.Sec >= 0 && l.Secs[sym.Sec].Deleted && !l.Secs[sym.Sec].Moved || l.IsUnified(id) && !l.listsUnified()
}

// listsUnified reports whether some input has unified functions.
func (l *Resolution) listsUnified() bool {
	for id := range l.UnifiedEntries {
		if l.Secs[id].Type == cuda.SHTCudaUFTEntry {
			return true
		}
	}
	return false
}

// IsMoved reports whether a symbol is in compiler constants that layout gave to
// kernels.
func (l *Resolution) IsMoved(sym *model.Symbol) bool { return sym.Sec >= 0 && l.Secs[sym.Sec].Moved }

// OfMoved is what becomes of a relocation to such a symbol: some kernel may use it.
func (l *Resolution) OfMoved(sym *model.Symbol) model.Disposition {
	if _, ok := l.UnitOff[sym.Sec]; ok {
		return model.Applied
	}
	return model.Dropped
}

// ByAddress says who patches a relocation of which neither its type nor what its symbol
// is decides: who knows the symbol's address.
func (l *Resolution) ByAddress(r *model.Reloc, sym *model.Symbol) model.Disposition {
	switch {
	case sym.IsExternShared() || !l.DriverKnows(sym):
		return model.Applied
	case r.Type == cuda.R_CUDA_NONE && sym.Type() == cuda.STTFunc:
		return model.Dropped
	}
	return model.Kept
}

// hidesNested reports whether a filter hides a kernel with functions inside: the tool crashes on that.
func (l *Resolution) hidesNested() bool {
	for i := range l.Funs {
		if f := model.FunID(i); l.IsNested(f) && l.IsHidden(&l.Funs[l.Secs[l.Funs[i].Text].Fun]) {
			return true
		}
	}
	return false
}
