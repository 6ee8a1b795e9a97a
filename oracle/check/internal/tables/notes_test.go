package tables

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// cuinfoOf is .note.nv.cuinfo, or with first .note.nv.cuver of 12.8 and 12.9.
func cuinfoOf(first bool, sm, release uint16) []byte {
	u16, u32 := binary.LittleEndian.AppendUint16, binary.LittleEndian.AppendUint32
	size, version := uint32(8), uint16(cuda.NoteCuinfoVersion)
	if first {
		size, version = 12, 1
	}
	body := append(u32(u32(u32(nil, 12), size), cuda.NoteTypeCuinfo), cuda.NoteOwner...)
	body = u16(u16(body, version), sm)
	if first {
		return u32(u32(body, 1), 1)
	}
	return u32(body, uint32(release))
}

// Sections of noted by number.
const (
	noteTkinfo = 1 + iota
	noteCuinfo
	noteCompat
)

// noted is a link with the notes that it must have.
func noted(release oracle.Release, arch string) *check {
	f := &image.Image{Sections: make([]image.Section, noteCompat+1)}
	c := &check{apply.New(&link.Link{Release: release, SM: verdict.SmOf(arch), Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: f}})}
	tool := release
	if release >= 130 {
		tool = cuda.NoteTkinfoVersion
	}
	text := []string{"", "nvlink", "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0", ""}
	for i := range text {
		text[i] = strings.ReplaceAll(text[i], "13.0", map[oracle.Release]string{128: "12.8", 129: "12.9", 130: "13.0"}[release])
	}
	tkinfo := noteOf(text...)
	tkinfo[24] = byte(tool)
	f.Sections[noteTkinfo] = image.Section{Index: noteTkinfo, Name: ".note.nv.tkinfo", Kind: cuda.SHTNote, Flags: cuda.SHFTkinfo, Align: 4, Body: tkinfo, Size: uint64(len(tkinfo))}
	f.Sections[noteCuinfo] = image.Section{Index: noteCuinfo, Name: ".note.nv.cuinfo", Kind: cuda.SHTNote, Flags: cuda.SHFCuinfo | cuda.SHFInfoLink, Link: noteTkinfo, Info: noteCompat, Align: 4, Body: cuinfoOf(false, uint16(c.SM), uint16(release))}
	f.Sections[noteCompat] = image.Section{Index: noteCompat, Name: ".nv.compat", Kind: cuda.SHTCudaCompat, Align: 4, Body: []byte{byte(cuda.FormatByte), byte(cuda.CompatAcceleratorTarget), 0, 0}, Size: 4}
	if c.FirstMercury() {
		f.Sections[noteCuinfo].Name, f.Sections[noteCuinfo].Body = ".note.nv.cuver", cuinfoOf(true, uint16(c.SM), 0)
		f.Sections[noteCompat].Body, f.Sections[noteCompat].Size = nil, 0
	}
	return c
}

// without takes the last sections away, and what says that they are there.
func (c *check) without(n int) {
	c.Out.Sections = c.Out.Sections[:n]
	if n == noteCompat {
		c.Out.Sections[noteCuinfo].Flags, c.Out.Sections[noteCuinfo].Info = cuda.SHFCuinfo, 0
	}
}

// TestNotes changes one thing of right notes each.
func TestNotes(t *testing.T) {
	none := func(*check) {}
	on := func(i int, change func(s *image.Section)) func(*check) {
		return func(c *check) { change(&c.Out.Sections[i]) }
	}
	put := func(at int, b byte) func(*check) {
		return on(noteCuinfo, func(s *image.Section) { s.Body[at] = b })
	}
	input := func(flags uint32, note []byte) func(*check) {
		return func(c *check) {
			m := &link.Module{Image: &image.Image{}}
			m.Header.Flags = flags
			if note != nil {
				m.Sections = []image.Section{{Name: ".note.nv.cuinfo", Kind: cuda.SHTNote, Body: note}}
			}
			c.Modules = append(c.Modules, m)
		}
	}
	for i, x := range []struct {
		release oracle.Release
		arch    string
		change  func(*check)
		want    string
	}{
		{130, "sm_90", none, ""},
		{128, "sm_100", none, ""},
		{129, "sm_100", none, ""},
		{130, "sm_89", none, ".nv.compat"},
		{130, "sm_89", func(c *check) { c.without(noteCompat) }, ""},
		{130, "sm_90", func(c *check) { c.without(noteCompat) }, ".nv.compat"},
		{124, "sm_90", none, ".note.nv.tkinfo; .note.nv.cuinfo; .nv.compat"},
		{124, "sm_90", func(c *check) { c.without(1) }, ""},
		{130, "sm_90", func(c *check) { c.without(1) }, ".note.nv.tkinfo; .note.nv.cuinfo; .nv.compat"},
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Name = ".note.other" }), ".note.other; .note.nv.tkinfo"},
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Kind = cuda.SHTProgbits }), ".note.nv.tkinfo"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Name = ".note.nv.cuver" }), ".note.nv.cuver; .note.nv.cuinfo"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Kind = cuda.SHTProgbits }), ".note.nv.cuinfo"},
		{128, "sm_100", on(noteCuinfo, func(s *image.Section) { s.Name = ".note.nv.cuinfo" }), ".note.nv.cuinfo; .note.nv.cuver"},
		{130, "sm_90", on(noteCompat, func(s *image.Section) { s.Kind = cuda.SHTProgbits }), ".nv.compat; .note.nv.cuinfo flags 0x1000000/0x1000040; .note.nv.cuinfo info 0x0/0x3"},

		{130, "sm_89", on(noteCompat, func(s *image.Section) { s.Body, s.Align = nil, 1 }), ".nv.compat"},

		// Headers.
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Flags = 0 }), ".note.nv.tkinfo flags 0x2000000/0x0"},
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Align = 2 }), ".note.nv.tkinfo alignment 0x4/0x2"},
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Align = 8 }), ".note.nv.tkinfo alignment, larger than needed 0x4/0x8"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Flags = 0 }), ".note.nv.cuinfo flags 0x1000040/0x0"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Align = 1 }), ".note.nv.cuinfo alignment 0x4/0x1"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Align = 8 }), ".note.nv.cuinfo alignment, larger than needed 0x4/0x8"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Link = 0 }), ".note.nv.cuinfo link 0x1/0x0"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Info = 0 }), ".note.nv.cuinfo info 0x3/0x0"},
		{130, "sm_90", on(noteCompat, func(s *image.Section) { s.Align = 8 }), ".nv.compat alignment, larger than needed 0x4/0x8"},
		{130, "sm_90", on(noteCompat, func(s *image.Section) { s.Align = 1 }), ".nv.compat alignment 0x4/0x1"},
		{130, "sm_90", on(noteCompat, func(s *image.Section) { s.Body = []byte{byte(cuda.FormatByte), byte(cuda.CompatISAClass), 1, 0} }), ".nv.compat CUDA_ACCELERATOR_TARGET 0/; .nv.compat ISA_CLASS /1"},
		{130, "sm_90", on(noteCompat, func(s *image.Section) { s.Body, s.Size = []byte{9, 9, 9}, 3 }), ".nv.compat bad records"},

		// What the second note says.
		{130, "sm_90", put(0, 11), ".note.nv.cuinfo name length 12/11"},
		{130, "sm_90", put(3, 1), ".note.nv.cuinfo name length 12/16777228"},
		{130, "sm_90", put(4, 9), ".note.nv.cuinfo length 8/9"},
		{130, "sm_90", put(7, 1), ".note.nv.cuinfo length 8/16777224"},
		{130, "sm_90", put(9, 4), ".note.nv.cuinfo type 1000/1256"},
		{130, "sm_90", put(11, 1), ".note.nv.cuinfo type 1000/16778216"},
		{130, "sm_90", put(12, 'n'), ".note.nv.cuinfo owner NVIDIA Corp\x00/nVIDIA Corp\x00"},
		{130, "sm_90", put(23, '.'), ".note.nv.cuinfo owner NVIDIA Corp\x00/NVIDIA Corp."},
		{130, "sm_90", put(24, 1), ".note.nv.cuinfo version 2/1"},
		{130, "sm_90", put(25, 1), ".note.nv.cuinfo version 2/258"},
		{130, "sm_90", put(26, 89), ".note.nv.cuinfo SM 90/89"},
		{130, "sm_90", put(27, 1), ".note.nv.cuinfo SM 90/346"},
		{130, "sm_90", put(28, 129), ".note.nv.cuinfo API 130/129"},
		{130, "sm_90", put(31, 1), ".note.nv.cuinfo API 130/16777346"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Body = append(s.Body, 0) }), ".note.nv.cuinfo length 32/33"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Body = s.Body[:28] }), ".note.nv.cuinfo length 32/28; .note.nv.cuinfo API 130/0"},
		{130, "sm_90", on(noteCuinfo, func(s *image.Section) { s.Body = s.Body[:20] }), ".note.nv.cuinfo length 32/20; .note.nv.cuinfo version 2/0; .note.nv.cuinfo SM 90/0; .note.nv.cuinfo API 130/0"},
		{128, "sm_100", put(4, 8), ".note.nv.cuver length 12/8"},
		{128, "sm_100", put(24, 2), ".note.nv.cuver version 1/2"},
		{128, "sm_100", put(28, 2), ".note.nv.cuver first word 1/2"},
		{128, "sm_100", put(31, 1), ".note.nv.cuver first word 1/16777217"},
		{128, "sm_100", put(32, 2), ".note.nv.cuver second word 1/2"},
		{128, "sm_100", put(35, 1), ".note.nv.cuver second word 1/16777217"},
		{128, "sm_100", on(noteCuinfo, func(s *image.Section) { s.Body = s.Body[:32] }), ".note.nv.cuver length 36/32; .note.nv.cuver second word 1/0"},

		// The lowest SM of target and inputs; 12.8 names the target.
		{130, "sm_90", func(c *check) { input(75<<16, nil)(c); put(26, 75)(c) }, ""},
		{130, "sm_90", input(75<<16, nil), ".note.nv.cuinfo SM 75/90"},
		{130, "sm_90", func(c *check) { input(0, cuinfoOf(false, 80, 130))(c); put(26, 80)(c) }, ""},
		{129, "sm_100", func(c *check) { input(0, cuinfoOf(false, 80, 129))(c); put(26, 80)(c) }, ""},
		{128, "sm_100", input(0, cuinfoOf(false, 80, 128)), ""},

		// The linker's own, of which nothing but habits of nvlink's are known.
		{130, "sm_90", on(noteTkinfo, func(s *image.Section) { s.Body[24] = 128 }), ".note.nv.tkinfo version 2/128"},
		{128, "sm_100", on(noteTkinfo, func(s *image.Section) { s.Body[24] = 2 }), ".note.nv.tkinfo version 128/2"},
		{130, "sm_90", func(c *check) { c.Options.Arch = "sm_90" }, `.note.nv.tkinfo command line -arch sm_90 /""`},
	} {
		c := noted(x.release, x.arch)
		c.Verdict.Strict = true
		x.change(c)
		if err := c.compareNotes(); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, f := range c.Verdict.Findings {
			text := strings.TrimSpace(f.Section + " " + f.Detail)
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

// TestTkinfoPlaces: where the texts of a note are, and where the inputs' begin.
func TestTkinfoPlaces(t *testing.T) {
	c := noted(130, "sm_90")
	c.Verdict.Strict = true
	s := c.Out.Sections[noteTkinfo]
	for at := 28; at < 48; at += 4 {
		body := append([]byte(nil), s.Body...)
		binary.LittleEndian.PutUint32(body[at:], 0x1234)
		x := s
		x.Body = body
		before := c.Verdict.Total
		if c.compareTkinfo(&x); c.Verdict.Total == before || c.Verdict.Findings[before].Got != "0x1234" {
			t.Errorf("at %d: %v", at, c.Verdict.Findings[before:])
		}
	}
	c = noted(130, "sm_90")
	c.Verdict.Strict = true
	c.Modules = []*link.Module{{Image: &image.Image{Sections: []image.Section{{Name: ".note.nv.tkinfo", Body: []byte("abcd")}}}}}
	s.Body, s.Size = append(append([]byte(nil), s.Body...), "abed"...), s.Size+4
	if c.compareTkinfo(&s); len(c.Verdict.Findings) != 1 || c.Verdict.Findings[0].Offset != s.Size-2 {
		t.Errorf("%+v", c.Verdict.Findings)
	}
	s.Body, s.Size = s.Body[:20], 20
	if c.compareTkinfo(&s); len(c.Verdict.Findings) != 2 {
		t.Errorf("cut short: %+v", c.Verdict.Findings)
	}
}
