package selfcheck

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// systemCall begins the names of the driver's functions that code of sm_107 calls for textures
// and surfaces.
const systemCall = "__cuda_syscall_"

// noTextures is the SM whose SASS calls the driver where Mercury has one instruction.
const noTextures cuda.SM = 107

// callsSystem reports whether the SASS side names a function of the driver that the Mercury
// side doesn't: its finalizer made calls of textures and surfaces.
func (c *checker) callsSystem() bool {
	return c.sm == noTextures && slices.ContainsFunc(c.m.SASS.List[min(len(c.m.SASS.List), len(c.m.Merc.List)):], func(s capsule.Symbol) bool {
		return !s.Defined() && s.Type() == cuda.STTFunc && strings.HasPrefix(s.Name, systemCall)
	})
}

// ofSystemCall reports whether a finding is about what such calls change: they need a frame of their
// own, relocations, entries in bank 4, in the call graph and among the attributes. Which, the
// Mercury side doesn't tell.
func ofSystemCall(section, what string) bool {
	switch {
	case section == ".symtab":
		return strings.HasPrefix(what, "symbol "+systemCall)
	case section == "": // sections that the calls brought follow the Mercury group
		return what == "form of the section"
	case section == ".nv.info":
		return what == cuda.AttrFrameSize.String() || what == cuda.AttrMinStackSize.String() || what == cuda.AttrRegcount.String()
	case strings.HasPrefix(section, ".nv.info."):
		return what == "number of attributes" || what == "attribute" || what == cuda.AttrExterns.String() || what == cuda.AttrSyscallOffsets.String()
	case section == ".debug_frame":
		return strings.HasPrefix(what, "frame of ")
	case strings.HasPrefix(section, ".rela.text."):
		return what == lackingClone || what == "position of a SASS section" || what == "relocation"
	case section == callgraphSection:
		return what == "section size"
	case section == ".nv.constant4":
		return what == "section size" || what == lackingClone || what == "position of a SASS section"
	case section == ".rela.nv.constant4":
		return what == "relocation" || what == lackingClone || what == "position of a SASS section"
	}
	return false
}

// farHeaders reports whether the section headers stand 64 KiB farther after the last section than they
// need to, as ptxas 13.4 writes programs of some 350 such calls: the program headers stand where they
// would without, and at the end zeros, as many.
func (c *checker) farHeaders() bool {
	if !c.system {
		return false
	}
	end := uint64(0)
	for i := range c.m.Sections {
		if s := &c.m.Sections[i]; !s.NoBits() {
			end = max(end, s.Off+uint64(len(s.Content)))
		}
	}
	const far, align = 1 << 16, 8
	return c.m.File.Header.ShOff == (end+align-1)&^(align-1)+far
}
