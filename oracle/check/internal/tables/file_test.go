package tables

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// headed is a link with an ELF header that is right: for sm_90 up to 12.x and from 13.0 on.
func headed(release oracle.Release, arch string, inputs ...uint32) *check {
	f := &image.Image{Data: make([]byte, 64), Sections: []image.Section{{}, {Index: 1, Kind: cuda.SHTStrtab}, {Index: 2, Kind: cuda.SHTNote, Name: ".note.nv.cuinfo"}}}
	f.Sections = append(f.Sections, image.Section{Index: 3, Name: ".nv.rel.action", Kind: cuda.SHTCudaRelocInfo})
	f.Sections[3].Body, _ = hex.DecodeString(actionsOf11)
	if release >= 119 {
		f.Sections[3].Body, _ = hex.DecodeString("7300000000000000" + "0000001125000536")
	}
	c := &check{apply.New(&link.Link{Release: release, SM: verdict.SmOf(arch), Options: verdict.Options{Arch: arch}, Out: &link.Output{Image: f}})}
	h := &f.Header
	h.Ident, h.Kind, h.Ehsize, h.Shentsize, h.Phentsize, h.Phnum, h.Phoff, h.Shstrndx = 1, cuda.ETExec, 64, 64, 56, 4, 64, 1
	h.Osabi, h.Abi, h.Version = cuda.OSABICuda13, cuda.ABIVersionCuda13, 1
	h.Flags = 2<<cuda.EFCuinfoShift | uint32(c.SM)<<cuda.EFSMShift | cuda.EFKindSASS
	if release < 130 {
		h.Osabi, h.Abi, h.Version = cuda.OSABILegacy, cuda.ABIVersionLegacy, uint64(release)
		h.Flags = 0x500 | uint32(c.SM)
	}
	for _, flags := range inputs {
		m := &link.Module{Image: &image.Image{}}
		m.Header.Flags = flags
		c.Modules = append(c.Modules, m)
	}
	return c
}

// first makes it one of 12.8 and 12.9 for sm_100 and up.
func first(c *check) {
	h := &c.Out.Header
	c.Out.Side = image.SassSide
	c.Out.Sections[2].Name = ".note.nv.cuver"
	h.Osabi, h.Abi, h.Version = cuda.OSABICuda13, cuda.ABIVersionCuda13, 1
	h.Flags = 2<<cuda.EFCuinfoShift | uint32(c.SM)<<cuda.EFSMShift | cuda.EFKindCapmerc
}

// TestFile changes one field of a right ELF header each.
func TestFile(t *testing.T) {
	none := func(c *check) {}
	for i, x := range []struct {
		release oracle.Release
		arch    string
		inputs  []uint32 // e_flags
		change  func(c *check)
		want    string
	}{
		{130, "sm_90", nil, none, ""},
		{130, "sm_90a", nil, none, ""}, // .nv.compat says it
		{135, "sm_75", nil, none, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Ident = 2 }, "EI_VERSION 0x1/0x2"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Osabi = 0x33 }, "EI_OSABI 0x41/0x33"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Abi = 7 }, "EI_ABIVERSION 0x8/0x7"},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0000 }, ""},
		{124, "sm_90", []uint32{0x5a0000, 0x500000}, func(c *check) { c.Out.Header.Flags |= 0x500000 }, ""},
		{124, "sm_90", nil, func(c *check) { c.Out.Header.Flags |= 0x5a0000 }, ""}, // executables alone
		{124, "sm_90", nil, func(c *check) { c.Out.Header.Flags |= 0x500000 }, "e_flags 0x5a055a/0x50055a"},
		{124, "sm_90", []uint32{0x5b0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0000 }, ""},
		{124, "sm_90", []uint32{0x500000, 0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0000 }, "e_flags 0x50055a/0x5a055a"},
		{124, "sm_90a", []uint32{0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0800 }, ""},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0800 }, "e_flags 0x5a055a/0x5a0d5a"},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0000; c.Out.Header.Osabi = 0x41 }, "EI_OSABI 0x33/0x41"},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Out.Header.Flags |= 0x5a0000; c.Out.Header.Version = 123 }, "e_version 0x7c/0x7b"},
		{130, "sm_90", nil, func(c *check) { c.Out.Data[15] = 1 }, "EI_PAD 0x0/0x1000000000000"},
		{130, "sm_90", nil, func(c *check) { c.Out.Data[9] = 1 }, "EI_PAD 0x0/0x1"},
		{130, "sm_90", nil, func(c *check) { c.Out.Data[8] = 1 }, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Kind = cuda.ETRel }, "e_type 0x2/0x1"},
		{130, "sm_90", nil, func(c *check) { c.Relocatable, c.Out.Header.Kind = true, cuda.ETRel }, ".nv.rel.action"},
		{130, "sm_90", nil, func(c *check) {
			c.Relocatable, c.Out.Header.Kind, c.Out.Sections = true, cuda.ETRel, c.Out.Sections[:3]
		}, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Version = 2 }, "e_version 0x1/0x2"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Entry = 4 }, "e_entry 0x0/0x4"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Ehsize = 52 }, "e_ehsize 0x40/0x34"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Shentsize = 40 }, "e_shentsize 0x40/0x28"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Phentsize = 32 }, "e_phentsize 0x38/0x20"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Phentsize, c.Out.Header.Phnum, c.Out.Header.Phoff = 0, 0, 0 }, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Phnum = 0 }, "e_phoff 0x0/0x40"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Shstrndx = 2 }, "e_shstrndx 0x1/0x2"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Shstrndx = 9 }, "e_shstrndx 0x1/0x9"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Flags ^= 1 << 24 }, "e_flags 0x2005a04/0x3005a04"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Flags ^= 0x100 }, "e_flags 0x2005a04/0x2005b04"},
		{130, "sm_90", nil, func(c *check) { c.Out.Sections[2].Name = ".note" }, "e_flags 0x5a04/0x2005a04"},

		// The table for the driver.
		{130, "sm_90", nil, func(c *check) { c.Out.Sections = c.Out.Sections[:3] }, ".nv.rel.action"},
		{130, "sm_90", nil, func(c *check) { c.Out.Sections[3].Body[9] = 1 }, ".nv.rel.action 73000000000000000000001125000536/73000000000000000001001125000536"},
		{118, "sm_90", []uint32{0}, none, ""},
		{118, "sm_90", []uint32{0}, func(c *check) { c.Out.Sections[3].Body = c.Out.Sections[3].Body[:8] }, ".nv.rel.action " + actionsOf11 + "/4b00000000000000"},
		{120, "sm_90", []uint32{0}, none, ".nv.rel.action"},
		{121, "sm_90", []uint32{0}, none, ".nv.rel.action"},
		{121, "sm_90", []uint32{0}, func(c *check) { c.Out.Sections = c.Out.Sections[:3] }, ""},
		{122, "sm_90", []uint32{0}, none, ""},
		{130, "sm_100", nil, func(c *check) { c.Out.Side = image.SassSide; c.Out.Header.Flags -= 2 }, ""},
		{130, "sm_100", nil, func(c *check) {
			c.Out.Side = image.SassSide
			c.Out.Header.Flags -= 2
			c.Out.Sections = c.Out.Sections[:3]
		}, ""},
		{119, "sm_90", []uint32{0}, none, ""},
		{129, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Options.Arch = ""; c.Out.Header.Flags |= 0x5a0800 }, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Data = append(c.Out.Data[:16], 2) }, ""},
		{130, "sm_90", nil, func(c *check) {
			c.Out.Sections = append(c.Out.Sections, image.Section{Index: 4, Kind: cuda.SHTStrtab})
			c.Out.Header.Shstrndx = 4
		}, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Shstrndx = 4 }, "e_shstrndx 0x1/0x4"},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Phnum = 1 }, ""},
		{130, "sm_90", nil, func(c *check) { c.Out.Header.Phnum, c.Out.Header.Phentsize = 1, 0 }, "e_phentsize 0x38/0x0"},

		// Where no option says the target, the file says whether it has an a.
		{130, "sm_90", nil, func(c *check) { c.Options.Arch = "" }, ""},
		{130, "sm_90", nil, func(c *check) { c.Options.Arch = ""; c.Out.Header.Flags |= cuda.EFAccelerator }, "e_flags 0x2005a04/0x2005a0c"},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Options.Arch = ""; c.Out.Header.Flags |= 0x5a0000 }, ""},
		{124, "sm_90", []uint32{0x5a0000}, func(c *check) { c.Options.Arch = ""; c.Out.Header.Flags |= 0x5a0800 }, ""},
		{128, "sm_100", nil, func(c *check) { first(c); c.Options.Arch = "" }, ""},
		{128, "sm_100", nil, func(c *check) { first(c); c.Options.Arch = ""; c.Out.Header.Flags |= cuda.EFAccelerator }, ""},
		{128, "sm_100a", nil, func(c *check) { first(c); c.Out.Header.Flags |= cuda.EFAccelerator }, ""},
		{128, "sm_100", nil, func(c *check) { first(c); c.Out.Header.Flags |= cuda.EFAccelerator }, "e_flags 0x2006402/0x200640a"},
		{128, "sm_100a", nil, first, "e_flags 0x200640a/0x2006402"},
		{130, "sm_100", nil, func(c *check) { c.Out.Side = image.SassSide }, "e_flags 0x2006402/0x2006404"},
	} {
		c := headed(x.release, x.arch, x.inputs...)
		x.change(c)
		if err := c.compareFile(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			text := f.Detail + f.Section
			if f.Want+f.Got != "" {
				text += " " + f.Want + "/" + f.Got
			}
			list = append(list, text)
		}
		if got := strings.Join(list, "; "); got != x.want {
			t.Errorf("%d: %d %s: %q, want %q", i, x.release, x.arch, got, x.want)
		}
	}
}

// noteOf is a note of the linker for 13.0: five texts after the numbers that say where they are.
func noteOf(texts ...string) []byte {
	body := make([]byte, 48)
	u := binary.LittleEndian.PutUint32
	copy(body[12:], cuda.NoteOwner)
	u(body, 12)
	u(body[8:], cuda.NoteTypeTkinfo)
	u(body[24:], cuda.NoteTkinfoVersion)
	for i, text := range texts {
		u(body[28+4*i:], uint32(len(body)-48))
		body = append(append(body, text...), 0)
	}
	u(body[4:], uint32(len(body)-24))
	return body
}

// TestTkinfo changes the linker's note in one place each, which is a habit of nvlink's.
func TestTkinfo(t *testing.T) {
	right := []string{"", "nvlink", "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0", "-arch sm_90 "}
	with := func(i int, text string) []byte {
		texts := append([]string(nil), right...)
		texts[i] = text
		return noteOf(texts...)
	}
	inputs := []byte("the note of an input")
	put := func(at int, b byte) []byte { n := noteOf(right...); n[at] = b; return n }
	for i, x := range []struct {
		body        []byte
		inputs      []byte
		relocatable bool
		want        string
	}{
		{noteOf(right...), nil, false, ""},
		{append(noteOf(right...), inputs...), inputs, false, ""},
		{noteOf(right...), inputs, true, ""},
		{noteOf(right...), inputs, false, "the inputs' notes 20 bytes/0 bytes"},
		{append(noteOf(right...), inputs...), nil, false, "the inputs' notes 0 bytes/20 bytes"},
		{append(noteOf(right...), "The note of an input"...), inputs, false, "the inputs' notes 20 bytes/20 bytes"},
		{put(4, 0xff), nil, false, "length of the first note within the section/0xff"},
		{put(8, 7), nil, false, "type 2000/1799"},
		{put(12, 'n'), nil, false, "owner NVIDIA Corp\x00/nVIDIA Corp\x00"},
		{put(24, 9), nil, false, "version 2/9"},
		{put(31, 1), nil, false, "object name a string in the note/0x1000000"},
		{with(2, "Cuda compilation tools, release 13.1, V13.1.88"), nil, false, `tool version one of release 13.0/"Cuda compilation tools, release 13.1, V13.1.88"`},
		{with(2, "tools"), nil, false, `tool version one of release 13.0/"tools"`},
		{with(3, "Build cuda_12.4.r12.4/compiler.1_0"), nil, false, `build one of release 13.0/"Build cuda_12.4.r12.4/compiler.1_0"`},
		{with(4, "-arch sm_90a "), nil, false, `command line -arch sm_90 /"-arch sm_90a "`},
	} {
		c := headed(130, "sm_90")
		c.Verdict.Strict, c.Relocatable = true, x.relocatable
		if x.inputs != nil {
			c.Modules = []*link.Module{{Image: &image.Image{Sections: []image.Section{{Name: ".note.nv.tkinfo", Body: x.inputs}}}}}
		}
		c.compareTkinfo(&image.Section{Name: ".note.nv.tkinfo", Body: x.body, Size: uint64(len(x.body))})
		if got := said(c); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}
