package layout

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// Compiler constants: bank 2 of a function. The hardware gives bank 2 to a
// kernel, so the constants of every device function a kernel reaches are
// copied into the kernel's section, each unit at one offset for all kernels
// that use it.

// unit is the bank 2 of a device function.
type unit struct {
	sec   model.SecID
	users []int // kernels, ascending
	off   uint64
}

// bank is the bank 2 of a kernel, absent where it has none, as units are put into it. It is looked up by
// name: static kernels of one name have one, which belongs to the first that has any, or the last that gets one.
type bank struct {
	sec   model.SecID
	end   uint64
	align uint64
	grown bool
	took  *unit // the last that was copied into it
}

func (l *Layout) layoutConstants() {
	l.linkBanks(l.AllKernels())
	units := l.constantUnits()
	if len(units) == 0 {
		return
	}
	kernels := l.LiveKernels()
	l.unitUsers(units, kernels)
	banks := l.banksOf(kernels)
	for i := range units {
		l.placeUnit(&units[i], banks)
		l.copyToUsers(&units[i], kernels, banks)
		if l.Dialect.MovesTargets {
			l.makeTargetRelocs(&units[i], banks)
		}
	}
	if l.Dialect.MovesTargets {
		l.moveUnitRelocs(units, banks)
	}
	for i := range banks {
		if b := banks[i]; b.sec != model.Absent && b.grown {
			l.Secs[b.sec].Size = b.end
			l.Secs[b.sec].Align = max(l.Secs[b.sec].Align, b.align)
		}
	}
	for i := range units {
		l.moveUnit(&units[i])
	}
}

// linkBanks gives banks of functions the flag that those of older toolkits lack. A bank that only
// a definition brought that lost keeps its flags (nvlink 12.4.131, 13.0.88, 13.5.37).
func (l *Layout) linkBanks(of []model.FunID) {
	for _, f := range of {
		if l.Funs[f].Text == model.Absent {
			continue
		}
		if own := l.bank2(f); own != model.Absent && !l.Secs[own].Stray {
			l.Secs[own].Flags |= l.InfoFlags()
		}
	}
}

// banksOf returns the banks of kernels, as they are before any unit.
func (l *Layout) banksOf(kernels []model.FunID) []*bank {
	banks := make([]*bank, len(kernels))
	for i, home := range l.homesOf(kernels) {
		if home == i {
			banks[i] = &bank{sec: model.Absent}
		}
		b := banks[home]
		banks[i] = b
		if own := l.bank2(kernels[i]); own != model.Absent && (b.sec == model.Absent || own < b.sec) {
			b.sec = own
		}
	}
	for _, b := range banks {
		if b.sec != model.Absent && !l.Secs[b.sec].Deleted {
			b.align = l.Secs[b.sec].Align
			b.end = model.AlignUp(l.Secs[b.sec].Size, b.align)
		}
	}
	return banks
}

// placeUnit gives a unit its offset: the first after what all its users have.
func (l *Layout) placeUnit(u *unit, banks []*bank) {
	sec := &l.Secs[u.sec]
	align := sec.Align
	for _, k := range u.users {
		u.off = max(u.off, banks[k].end)
		align = max(align, banks[k].align)
	}
	u.off = model.AlignUp(u.off, align)
	for _, k := range u.users {
		banks[k].align = align
		banks[k].end = model.AlignUp(u.off+sec.Size, align)
	}
}

// copyToUsers copies a unit into the banks of its users, the last first, and makes
// those that they lack.
func (l *Layout) copyToUsers(u *unit, kernels []model.FunID, banks []*bank) {
	for _, k := range slices.Backward(u.users) {
		b := banks[k]
		if b.took == u {
			continue
		}
		if b.sec == model.Absent {
			if l.Secs[u.sec].Deleted && u.off == 0 {
				continue // else other users' constants are before it, and this kernel's bank is as long
			}
			b.sec = l.newBank2(kernels[k], u.sec)
		}
		b.grown, b.took = true, u
		l.Fill(b.sec)
		l.copyUnit(b.sec, u)
	}
}

// constantUnits returns the bank-2 sections of live device functions, the last
// created first.
func (l *Layout) constantUnits() []unit {
	var units []unit
	for i := range l.Secs {
		s := &l.Secs[i]
		if s.Type != cuda.SHTCudaConstant0+2 || s.Owner == model.Absent || s.Deleted && !s.Emptied || s.Stray {
			continue
		}
		if f := l.Secs[s.Owner].Fun; f != model.Absent && l.Funs[f].Live && !l.IsKernel(&l.Funs[f]) {
			units = append(units, unit{sec: model.SecID(i)})
		}
	}
	slices.Reverse(units)
	return units
}

func (l *Layout) unitUsers(units []unit, kernels []model.FunID) {
	r := l.NewReachers(kernels)
	for i := range units {
		units[i].users = slices.Collect(r.Of(l.Secs[l.Secs[units[i].sec].Owner].Fun).All())
	}
}

// bank2 returns a kernel's own .nv.constant2.<k>.
func (l *Layout) bank2(k model.FunID) model.SecID {
	for id := l.Parts[l.Funs[k].Text].FirstOwned; id != model.Absent; id = l.Parts[id].NextOwned {
		if l.Secs[id].Type == cuda.SHTCudaConstant0+2 {
			return id
		}
	}
	return model.Absent
}

func (l *Layout) newBank2(k model.FunID, like model.SecID) model.SecID {
	name := l.Names.ID(l.Dialect.Bank2 + "." + l.Names.Str(l.Syms[l.Funs[k].Sym].Name))
	return l.NewOwned(l.Funs[k].Text, name, l.Secs[like].Type, l.InfoFlags()|cuda.SHFAlloc, l.Secs[like].Align)
}

// copyUnit adds the unit's bytes to a kernel's section. Pieces after the first
// are those of losing definitions, and where the tool should move their symbol
// it moves symbol 0.
func (l *Layout) copyUnit(to model.SecID, u *unit) {
	for i, c := range l.Parts[u.sec].Chunks {
		c.Off += u.off
		l.Parts[to].Chunks = append(l.Parts[to].Chunks, c)
		if i > 0 {
			l.NullValue = c.Off
		}
	}
}

// mergeConstants copies the user's constants, as a kernel filter makes the tool
// do: of equal pieces the first alone. Symbols and code keep the offsets they
// had, so that a program with equal pieces reads other bytes than its own; the
// tool does so (11.8.89, 12.4.131, 13.0.88). Two accidents tell of it besides.
// 11.8 leaves the name of the section it used; and the first symbol, of index 0,
// gets the offset of the last piece that was copied after a search.
func (l *Layout) mergeConstants() {
	if !l.KernelsHidden() || l.Release.KeepsEqual {
		return
	}
	for i := range l.Secs {
		if l.Secs[i].Type != cuda.SHTCudaConstant0+3 || l.Secs[i].Deleted || l.Secs[i].Size == 0 {
			continue
		}
		l.Spare++
		if l.Release.EarlyStrings {
			temp := l.Names.ID("TEMP_MERGED_CONSTANTS")
			l.Shstr.Add(temp)
			l.Str.Add(temp)
		}
		before := l.Parts[i].Chunks
		l.mergePieces(model.SecID(i))
		if len(l.Parts[i].Chunks) < len(before) {
			l.warnMoved(model.SecID(i), before)
		}
	}
}

// mergePieces copies the pieces of a bank without those that are equal to an
// earlier one. What relocations patch is compared as it is in the input.
func (l *Layout) mergePieces(bank model.SecID) {
	type piece struct {
		data  string
		align uint64
	}
	seen := make(map[piece]bool)
	end := uint64(0)
	all := l.Parts[bank].Chunks
	list := all[:0:0]
	for _, c := range all {
		mergeable := c.IsMergeable() && c.Data != nil
		if p := (piece{string(c.Data), c.Align}); mergeable && !isZeroWord(c.Data) {
			if seen[p] {
				continue
			}
			seen[p] = true
		}
		c.Off = model.AlignUp(end, c.Align)
		end = c.Off + c.Size
		if mergeable {
			l.NullValue = c.Off
		}
		list = append(list, c)
	}
	if len(list) < len(all) {
		l.Parts[bank].Chunks, l.Secs[bank].Size = list, end
	}
}

// isZeroWord reports whether data is a 0 of 4 or 8 bytes: none is equal to another,
// for the tool keeps these by value and takes 0 for a free place.
func isZeroWord(data []byte) bool {
	return len(data) <= 8 && !slices.ContainsFunc(data, func(b byte) bool { return b != 0 })
}

// moveUnit gives the unit's symbols their offsets and removes its section.
func (l *Layout) moveUnit(u *unit) {
	sec := &l.Secs[u.sec]
	if l.UnitOff == nil {
		l.UnitOff = make(map[model.SecID]uint64)
	}
	l.UnitOff[u.sec] = u.off
	sec.Moved = true
	l.DeleteSection(u.sec)
}
