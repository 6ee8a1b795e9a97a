package tables

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The ELF header and what else is the linker's own.
//
// Source: outputs of nvlink 11.8.89, 12.4.131 and 13.0.88; e_flags of mixed
// inputs from links of every pair of architectures.

func (c *check) compareFile() error {
	h := &c.Out.Header
	say := func(what string, want, got uint64) {
		if want != got {
			c.Verdict.Add(verdict.Finding{Kind: verdict.HeaderField, Want: verdict.Hex(want), Got: verdict.Hex(got), Detail: what})
		}
	}
	modern := c.NewForm()
	osabi, abi, version := uint64(cuda.OSABILegacy), uint64(cuda.ABIVersionLegacy), uint64(c.Release)
	if modern {
		osabi, abi, version = cuda.OSABICuda13, cuda.ABIVersionCuda13, 1
	}
	kind := uint64(cuda.ETExec)
	if c.Relocatable {
		kind = cuda.ETRel
	}
	say("EI_VERSION", 1, uint64(h.Ident))
	say("EI_OSABI", osabi, uint64(h.Osabi))
	say("EI_ABIVERSION", abi, uint64(h.Abi))
	say("EI_PAD", 0, image.Number(c.Out.Data, 9, 7))
	say("e_type", kind, h.Kind)
	say("e_version", version, h.Version)
	say("e_entry", 0, h.Entry)
	say("e_flags", uint64(c.wantFlags()), uint64(h.Flags))
	say("e_ehsize", 64, h.Ehsize)
	say("e_shentsize", 64, h.Shentsize)
	if h.Phnum > 0 {
		say("e_phentsize", 56, h.Phentsize)
	} else {
		say("e_phoff", 0, h.Phoff)
	}
	if int(h.Shstrndx) >= len(c.Out.Sections) || c.Out.Sections[h.Shstrndx].Kind != cuda.SHTStrtab {
		say("e_shstrndx", 1, h.Shstrndx)
	}
	c.compareAction()
	return nil
}

// wantFlags is e_flags: up to 12.x the target's SM and the lowest of it and the virtual ones
// of the inputs, executables aside, which are omitted (nvlink 11.8.89 and 12.4.131); from 13.0 on the target alone, and in files of
// 12.8 and 12.9 for sm_100 and up whether it has an a.
func (c *check) wantFlags() uint32 {
	if c.NewForm() {
		index := 0
		for i := range c.Out.Sections {
			if c.Out.Sections[i].Name == c.VersionNote() {
				index = i
			}
		}
		flags := uint32(index)<<cuda.EFCuinfoShift | uint32(c.SM)<<cuda.EFSMShift | c.kindOfCode()
		if c.accelerated() {
			flags |= c.Accelerator()
		}
		return flags
	}
	virtual := uint32(c.SM) << 16 & cuda.EFLegacyVirtualSM
	for _, m := range c.Modules {
		virtual = min(virtual, m.Header.Flags&cuda.EFLegacyVirtualSM)
	}
	flags := virtual | cuda.EFLegacyTexUnified | cuda.EFLegacy64Bit | uint32(c.SM)
	if c.accelerated() {
		flags |= cuda.EFLegacyAccelerator
	}
	return flags
}

func (c *check) kindOfCode() uint32 {
	if c.Out.Side != image.Whole {
		return cuda.EFKindCapmerc
	}
	return cuda.EFKindSASS
}

// accelerated reports whether the target is one of the architectures with an a.
func (c *check) accelerated() bool {
	if c.Options.Arch != "" {
		return strings.HasSuffix(c.Options.Arch, "a")
	}
	switch {
	case c.FirstMercury():
		return c.Out.Header.Flags&cuda.EFAccelerator != 0
	case c.Release >= 130:
		return false
	}
	return c.Out.Header.Flags&cuda.EFLegacyAccelerator != 0
}

// The table for the driver, .nv.rel.action, is the same in every output of a
// release: the number of the first type it tells of, and eight bytes for each
// type from there on. They were copied from outputs of nvlink 11.8.89, 12.4.131
// and 13.0.88. nvJitLink 12.0 and 12.1 write none.
const (
	actionsOf11 = "4b00000000000000" +
		"00020208100a2f22" + // 75: value>>2 to 16..23, value>>10 to 34..80
		"0000000800000000" + "0000080800000000" + "0000100800000000" + "0000180800000000" + // 76..83: a byte each
		"0000200800000000" + "0000280800000000" + "0000300800000000" + "0000380800000000" +
		"0100000800000000" + "0100080800000000" + "0100100800000000" + "0100180800000000" + // 84..91: of the generic address
		"0100200800000000" + "0100280800000000" + "0100300800000000" + "0100380800000000" +
		"0200000800000000" + "0200080800000000" + "0200100800000000" + "0200180800000000" + // 92..99: of the descriptor
		"0200200800000000" + "0200280800000000" + "0200300800000000" + "0200380800000000" +
		"000000142c000000" + // 100: 20 bits to 44
		"0300000c00000000" // 101: 12 bits to 0
	actionsOf12 = "7300000000000000" +
		"0000001125000536" // 115: 17 bits to 37, 5 bits to 54
)

func actions(release oracle.Release) string {
	if release >= 119 {
		return actionsOf12
	}
	return actionsOf11
}

func (c *check) compareAction() {
	if c.Out.Side != image.Whole {
		return // the finalizer writes none
	}
	var found *image.Section
	for i := range c.Out.Sections {
		if c.Out.Sections[i].Kind == cuda.SHTCudaRelocInfo {
			found = &c.Out.Sections[i]
		}
	}
	without := c.Relocatable || c.Release == 120 || c.Release == 121
	switch {
	case found == nil && !without:
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionMissing, Section: ".nv.rel.action"})
	case found != nil && without:
		c.Verdict.Add(verdict.Finding{Kind: verdict.SectionStray, Section: ".nv.rel.action"})
	case found != nil:
		if want, got := actions(c.Release), fmt.Sprintf("%x", found.Body); want != got {
			c.Verdict.Add(verdict.Finding{Kind: verdict.SectionBytes, Section: found.Name, Want: want, Got: got})
		}
	}
}
