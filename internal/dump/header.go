package dump

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func (r *reader) header() {
	h := &r.f.Header
	out := &Header{
		Type: fileType(h.Type), Machine: h.Machine, OSABI: h.OSABI(), ABIVersion: h.ABIVersion(),
		Version: h.Version, Entry: h.Entry, Flags: h.Flags,
		PhOff: h.PhOff, PhNum: h.PhNum, ShOff: h.ShOff, ShNum: r.f.NumSections(), ShStrNdx: h.ShStrNdx,
	}
	out.SM = fmt.Sprintf("sm_%d", h.SM())
	if h.New() {
		r.newFlags(out, h.Flags)
	} else {
		legacyFlags(out, h.Flags)
		out.Toolkit = release(h.Version)
	}
	r.out.Header = out
}

func fileType(t uint16) string {
	switch t {
	case cuda.ETRel:
		return "REL"
	case cuda.ETExec:
		return "EXEC"
	case cuda.ETDyn:
		return "DYN"
	case cuda.ETEwp:
		return "EWP"
	}
	return number(t)
}

// release writes a toolkit number, 124, as 12.4.
func release(toolkit uint32) string { return fmt.Sprintf("%d.%d", toolkit/10, toolkit%10) }

func legacyFlags(out *Header, flags uint32) {
	out.FlagNames = append(out.FlagNames,
		fmt.Sprintf("sm=%d", flags&cuda.EFLegacySM),
		fmt.Sprintf("virtual=%d", flags&cuda.EFLegacyVirtualSM>>16))
	rest := flags &^ (cuda.EFLegacySM | cuda.EFLegacyVirtualSM)
	for _, b := range [...]struct {
		bit  uint32
		name string
	}{
		{cuda.EFLegacyTexUnified, "texmode_unified"},
		{cuda.EFLegacyTexIndep, "texmode_independent"},
		{cuda.EFLegacy64Bit, "64bit"},
		{cuda.EFLegacyAccelerator, "accelerator"},
	} {
		if flags&b.bit != 0 {
			out.FlagNames = append(out.FlagNames, b.name)
		}
		rest &^= b.bit
	}
	if rest != 0 {
		out.FlagNames = append(out.FlagNames, number(rest))
	}
	if flags&cuda.EFLegacyAccelerator != 0 {
		out.SM += "a"
	}
}

func (r *reader) newFlags(out *Header, flags uint32) {
	out.FlagNames = append(out.FlagNames, fmt.Sprintf("sm=%d", flags&cuda.EFSMMask>>cuda.EFSMShift))
	rest := flags & cuda.EFKind
	for _, b := range [...]struct {
		bit  uint32
		name string
	}{{cuda.EFKindCapmerc, "capmerc"}, {cuda.EFKindSASS, "sass"}, {cuda.EFAccelerator, "accelerator"}} {
		if flags&b.bit != 0 {
			out.FlagNames = append(out.FlagNames, b.name)
		}
		rest &^= b.bit
	}
	if rest != 0 {
		out.FlagNames = append(out.FlagNames, number(rest))
	}
	index := flags >> cuda.EFCuinfoShift
	out.FlagNames = append(out.FlagNames, "cuinfo="+r.section(index))
	if flags&cuda.EFAccelerator != 0 {
		out.SM += "a"
	}
	if int64(index) < int64(r.f.NumSections()) {
		s := r.f.Section(int(index))
		notes, _ := r.f.Notes(&s)
		for _, n := range notes {
			if c, ok := n.Cuinfo(); ok {
				out.Toolkit = release(c.API)
			}
		}
	}
}

func (r *reader) programs() {
	for _, p := range r.f.Progs() {
		if !r.spend(recordCost) {
			return
		}
		r.out.Programs = append(r.out.Programs, Program{
			Type: programType(p.Type), Flags: programFlags(p.Flags), Offset: p.Off, VAddr: p.VAddr,
			PAddr: p.PAddr, FileSz: p.FileSz, MemSz: p.MemSz, Align: p.Align,
		})
	}
}

func programType(t uint32) string {
	switch t {
	case cubin.PTLoad:
		return "LOAD"
	case cubin.PTPhdr:
		return "PHDR"
	}
	return number(t)
}

func programFlags(f uint32) string {
	var b strings.Builder
	for _, bit := range [...]struct {
		bit  uint32
		name byte
	}{{cubin.PFRead, 'R'}, {cubin.PFWrite, 'W'}, {cubin.PFExec, 'E'}} {
		if f&bit.bit != 0 {
			b.WriteByte(bit.name)
		}
	}
	if rest := f &^ (cubin.PFRead | cubin.PFWrite | cubin.PFExec); rest != 0 {
		b.WriteString("+" + number(rest))
	}
	return b.String()
}
