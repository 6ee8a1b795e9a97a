package engine

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
)

// Compiler constants: bank 2 of a function. The hardware gives bank 2 to a
// kernel, so the constants of every device function a kernel reaches are
// copied into the kernel's section, each unit at one offset for all kernels
// that use it.

// unit is the bank 2 of a device function.
type unit struct {
	sec   secID
	users []int // kernels, ascending
	off   uint64
}

func (l *linker) layoutConstants() {
	for _, k := range l.liveKernels() {
		if own := l.bank2(k); own != absent {
			l.secs[own].flags |= l.infoFlags()
		}
	}
	units := l.constantUnits()
	if len(units) == 0 {
		return
	}
	kernels := l.liveKernels()
	l.unitUsers(units, kernels)
	own := make([]secID, len(kernels))
	cursor := make([]uint64, len(kernels))
	align := make([]uint64, len(kernels))
	grown := make([]bool, len(kernels))
	for k, f := range kernels {
		own[k] = l.bank2(f)
		if own[k] != absent && !l.secs[own[k]].deleted {
			align[k] = l.secs[own[k]].align
			cursor[k] = alignUp(l.secs[own[k]].size, align[k])
		}
	}
	for i := range units {
		u := &units[i]
		sec := &l.secs[u.sec]
		common := sec.align
		for _, k := range u.users {
			u.off = max(u.off, cursor[k])
			common = max(common, align[k])
		}
		u.off = alignUp(u.off, common)
		for _, k := range u.users {
			align[k] = common
			cursor[k] = alignUp(u.off+sec.size, common)
		}
		for n := len(u.users) - 1; n >= 0; n-- {
			k := u.users[n]
			if own[k] == absent && sec.deleted {
				continue
			}
			if own[k] == absent {
				own[k] = l.newBank2(kernels[k], u.sec)
			}
			grown[k] = true
			l.secs[own[k]].deleted = false
			l.copyUnit(own[k], u)
		}
	}
	if l.dialect.movesTargets {
		l.moveUnitRelocs(units, own)
	}
	for k := range kernels {
		if own[k] != absent && grown[k] {
			l.secs[own[k]].size = cursor[k]
			l.secs[own[k]].align = max(l.secs[own[k]].align, align[k])
		}
	}
	for i := range units {
		l.moveUnit(&units[i])
	}
}

// constantUnits returns the bank-2 sections of live device functions, the last
// created first.
func (l *linker) constantUnits() []unit {
	var units []unit
	for i := range l.secs {
		s := &l.secs[i]
		if s.typ != cuda.SHTCudaConstant0+2 || s.owner == absent || s.deleted && !s.emptied || s.stray {
			continue
		}
		if f := l.secs[s.owner].fun; f != absent && l.funs[f].live && l.syms[l.funs[f].sym].other&cuda.STOEntry == 0 {
			units = append(units, unit{sec: secID(i)})
		}
	}
	slices.Reverse(units)
	return units
}

func (l *linker) unitUsers(units []unit, kernels []funID) {
	of := make(map[funID]int, len(units))
	for i := range units {
		of[l.secs[l.secs[units[i].sec].owner].fun] = i
	}
	for k, f := range kernels {
		l.reach(f, func(g funID) {
			if i, ok := of[g]; ok {
				units[i].users = append(units[i].users, k)
			}
		})
	}
}

// bank2 returns a kernel's own .nv.constant2.<k>.
func (l *linker) bank2(k funID) secID {
	for _, id := range l.secs[l.funs[k].text].owned {
		if l.secs[id].typ == cuda.SHTCudaConstant0+2 {
			return id
		}
	}
	return absent
}

func (l *linker) newBank2(k funID, like secID) secID {
	name := l.names.id(l.dialect.bank2 + "." + l.names.str(l.syms[l.funs[k].sym].name))
	return l.newOwned(l.funs[k].text, name, l.secs[like].typ, l.infoFlags()|cuda.SHFAlloc, l.secs[like].align)
}

// copyUnit adds the unit's bytes to a kernel's section. Pieces behind the first
// are those of losing definitions, and where the tool should move their symbol
// it moves symbol 0.
func (l *linker) copyUnit(to secID, u *unit) {
	for i, c := range l.secs[u.sec].chunks {
		c.off += u.off
		l.secs[to].chunks = append(l.secs[to].chunks, c)
		if i > 0 {
			l.nullValue = c.off
		}
	}
}

// mergeConstants copies the user's constants, as a kernel filter makes the tool
// do. Their order and places stay; two accidents tell of it. 11.8 leaves the
// name of the section it used; and the first symbol, of index 0, gets the
// offset of the last piece that the tool's search for equal constants looked at.
func (l *linker) mergeConstants() {
	if !l.kernelsHidden() {
		return
	}
	for i := range l.secs {
		if l.secs[i].typ != cuda.SHTCudaConstant0+3 || l.secs[i].deleted || l.secs[i].size == 0 {
			continue
		}
		if l.prof.earlyStrings {
			temp := l.names.id("TEMP_MERGED_CONSTANTS")
			l.shstr.add(temp)
			l.str.add(temp)
		}
		for _, c := range l.secs[i].chunks {
			if c.isMergeable() {
				l.nullValue = c.off
			}
		}
	}
}

// isMergeable reports whether the search for equal constants looks at a piece:
// it has lists for these sizes.
func (c *chunk) isMergeable() bool {
	switch c.size {
	case 4, 8:
		return c.align == c.size
	case 12, 16, 20, 24, 32, 48, 64:
		return true
	}
	return false
}

// moveUnit gives the unit's symbols their offsets and removes its section.
func (l *linker) moveUnit(u *unit) {
	sec := &l.secs[u.sec]
	if l.unitOff == nil {
		l.unitOff = make(map[secID]uint64)
	}
	l.unitOff[u.sec] = u.off
	sec.moved = true
	l.deleteSection(u.sec)
}
