package container

import (
	"math"
	"strings"
)

// Choose returns the piece of a fatbinary that nvlink takes for a target; nil
// where none fits. The higher SM wins; then a cubin before PTX; then a before f
// before plain; then the first. PTX of any SM not above the target's fits, with
// a for just that target and f for its family. LTO IR never fits. For a toolkit from
// 13.1 on a cubin with a fits only a target with a. AnyToolkit takes what some toolkit takes.
func Choose(members []Member, target Arch, toolkit uint32) *Member {
	const strictSince = 131
	strict := toolkit >= strictSince && toolkit != AnyToolkit
	var best *Member
	for i := range members {
		m := &members[i]
		if strict && m.Kind == Cubin && m.Arch.Variant == 'a' && target.Variant != 'a' {
			continue
		}
		if fits(m, target, toolkit) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

// AnyToolkit stands for a toolkit that isn't known.
const AnyToolkit = math.MaxUint32

// ChoosePTX returns the PTX of a fatbinary that nvlink takes for a virtual
// target, for which it looks at no cubin.
func ChoosePTX(members []Member, target Arch) *Member {
	var best *Member
	for i := range members {
		m := &members[i]
		if m.Kind == PTX && fits(m, target, AnyToolkit) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

// ChooseLTO returns the LTO IR of a fatbinary that nvlink takes for a target with
// -dlto, before any cubin and PTX: that of the highest SM not above the target's.
// Without -dlto nvlink looks at it only where nothing else fits, and refuses.
func ChooseLTO(members []Member, target Arch) *Member {
	var best *Member
	for i := range members {
		m := &members[i]
		if m.Kind == NVVM && m.Flags&flag64 != 0 && fitsVirtual(m.Arch, target) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

func fits(m *Member, target Arch, toolkit uint32) bool {
	if m.Flags&flag64 == 0 {
		return false
	}
	switch m.Kind {
	case Cubin:
		return m.Arch.Links(target, toolkit)
	case PTX:
		return fitsVirtual(m.Arch, target)
	}
	return false
}

// fitsVirtual reports whether code of a virtual architecture can be compiled for
// a target.
func fitsVirtual(a, target Arch) bool {
	switch a.Variant {
	case 'a':
		return a == target
	case 'f':
		return a.Links(target, AnyToolkit)
	}
	return a.SM <= target.SM
}

// better reports whether m is taken rather than an earlier one.
func better(m, best *Member) bool {
	switch {
	case m.Arch.SM != best.Arch.SM:
		return m.Arch.SM > best.Arch.SM
	case m.Kind != best.Kind:
		return m.Kind == Cubin
	}
	return m.Arch.rank() > best.Arch.rank()
}

// matches reports whether a user's word names a member: its name, the end of it
// after a colon, a part of the path between colons, or its section.
func matches(m *Member, word string) bool {
	name := m.Name()
	return name == word || m.Section == word || strings.HasSuffix(name, ":"+word) || strings.HasSuffix(m.Path, ":"+word) ||
		strings.HasPrefix(name, word+":") || strings.Contains(name, ":"+word+":")
}
