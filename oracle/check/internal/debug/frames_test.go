package debug

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Operations of frames at words 0 and 1 of a function.
const (
	keeps  = "\x05\x90\x80\x80\x28\x02"
	keeps2 = "\x05\x91\x80\x80\x28\x02"
	later  = "\x04\x04\x00\x00\x00"
)

// framesOf is a .debug_frame of frames "f:a" with the CIE of that letter before each, and the functions that are at places; "-:a" is
// one that no record names. With short, lengths have four bytes.
func framesOf(text string, rows map[string]string, short bool) (body []byte, named map[uint64]string) {
	named = map[uint64]string{}
	entry := func(id uint64, rest string) {
		if short {
			body = binary.LittleEndian.AppendUint32(body, uint32(4+len(rest)))
			body = binary.LittleEndian.AppendUint32(body, uint32(id))
		} else {
			body = append(body, "\xff\xff\xff\xff"...)
			body = binary.LittleEndian.AppendUint64(body, uint64(8+len(rest)))
			body = binary.LittleEndian.AppendUint64(body, id)
		}
		body = append(body, rest...)
	}
	for word := range strings.FieldsSeq(text) {
		name, cie, _ := strings.Cut(word, ":")
		at := uint64(len(body))
		entry(1<<64-1, "\x03\x00\x04\x7c"+cie)
		entry(at, "\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00"+rows[name])
		if name != "-" {
			named[uint64(len(body)-16-len(rows[name]))] = strings.TrimRight(name, "'")
		}
	}
	return body, named
}

// TestFrames holds the frames of an output against those of two inputs, of which the first has f and g, the second h. "f'" is a frame of
// f with other rows.
func TestFrames(t *testing.T) {
	rows := map[string]string{"f": keeps, "g": keeps2, "h": later + keeps, "f'": keeps2, "g'": keeps, "h'": later + later + keeps}
	none := func(*check, map[string]*link.Identity) {}
	const missing, second, nobody = "section.bytes %s the function's frame is missing /", "section.bytes %s a second frame of the function /", "section.bytes %s a frame of no function of the link /"
	head := "0000000000000000" + "8000000000000000"
	other := fmt.Sprintf("section.bytes f  03000%s %s/03000%s %s", "47c61", head+"059080802802", "47c61", head+"059180802802")
	several := func(_ *check, ids map[string]*link.Identity) { ids["f"].Several = true }
	for i, x := range []struct {
		out    string
		change func(c *check, ids map[string]*link.Identity)
		want   string
	}{
		{"f:a g:a h:b", none, ""},
		{"h:b g:a f:a", none, ""},
		{"f:a h:b", none, fmt.Sprintf(missing, "g")},
		{"f:a g:a", none, fmt.Sprintf(missing, "h")},
		{"f:a g:a h:b f:a", none, fmt.Sprintf(second, "f")},
		{"f:a g:a h:b u:a", none, fmt.Sprintf(nobody, "u")},
		{"f':a g:a h:b", none, other},
		{"f:b g:a h:b", none, fmt.Sprintf("section.bytes f  030004%s %s/030004%s %s", "7c61", head+"059080802802", "7c62", head+"059080802802")},
		{"f:a g:a h:b -:a", none, "relocation.missing   4 frames/3 records; relocation.missing  a frame without a record for its function /"},

		// Functions that are gone, or that stand for another definition.
		{"f:a h:b", func(_ *check, ids map[string]*link.Identity) { ids["g"].Live = false }, ""},
		{"f:a g:a h:b", func(_ *check, ids map[string]*link.Identity) { ids["g"].Live = false }, fmt.Sprintf(nobody, "g")},
		{"f:a h:b", func(_ *check, ids map[string]*link.Identity) { ids["g"].Mod = ids["h"].Mod }, ""},
		{"f:a g:a h:b", func(_ *check, ids map[string]*link.Identity) { ids["g"].Mod = ids["h"].Mod }, fmt.Sprintf(nobody, "g")},
		{"f:a g:a h:b", func(c *check, ids map[string]*link.Identity) { ids["g"].Mod, c.Relocatable = ids["h"].Mod, true }, ""},
		{"f:a g':a h:b", func(c *check, ids map[string]*link.Identity) { ids["g"].Mod, c.Relocatable = ids["h"].Mod, true }, "section.bytes g a frame that matches none of the function's definitions /0300047c61 " + head + "059080802802"},
		{"f:a g:a h:b u:a", func(c *check, ids map[string]*link.Identity) { c.Relocatable = true }, ""}, // of a part that -r made
		{"f:a g:a h:b u:a", func(c *check, ids map[string]*link.Identity) { c.Relocatable, ids["u"].Several = true, true }, "section.bytes u a frame that matches none of the function's definitions /0300047c61 " + head},
		{"f:a f:a g:a h:b", several, ""},
		{"f':a g:a h:b", several, "section.bytes f a frame that matches none of the function's definitions /0300047c61 " + head + "059180802802"},
		{"g:a h:b", several, fmt.Sprintf(missing, "f")},
		{"f:a f:a g:a h:b", func(_ *check, ids map[string]*link.Identity) {
			ids["f"].Code.Names = append(ids["f"].Code.Names, ids["u"])
		}, ""},
		{"f:a f:a g:a h:b", func(_ *check, ids map[string]*link.Identity) { ids["f"].Code = nil }, fmt.Sprintf(second, "f")},

		// Rows of words that moved.
		{"f:a g:a h':b", none, "section.bytes h  0300047c62 " + head + "0404000000059080802802/0300047c62 " + head + "04040000000404000000059080802802"},

		// Inputs of which a frame has no record, or one of another kind; a section of another name says nothing.
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Modules[0].Relocs[0].List[0].Kind = cuda.R_CUDA_32 }, fmt.Sprintf(nobody, "f")},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) {
			c.Modules[0].Relocs[0].List = c.Modules[0].Relocs[0].List[1:]
		}, fmt.Sprintf(nobody, "f")},
		{"f:a g:a h:b h:b", func(c *check, _ map[string]*link.Identity) {
			c.Modules[1].Relocs = append(c.Modules[1].Relocs, link.Relocs{Section: &image.Section{}, Target: 2, List: c.Modules[1].Relocs[0].List})
		}, fmt.Sprintf(second, "h")},

		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Modules[0].Relocs[0].List[0].Symbol = 0 }, fmt.Sprintf(nobody, "f")},
		{"f:a g':a h:b", func(c *check, ids map[string]*link.Identity) { ids["g"].Live, c.Relocatable = false, true }, ""},
		{"f:a g:a h:b f:a", func(c *check, _ map[string]*link.Identity) { c.Relocatable = true }, fmt.Sprintf(second, "f")},
		{"f':a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Relocatable = true }, other},

		// Words that moved: a frame is as long as the code is now.
		{"f:a g:a h:b", func(c *check, ids map[string]*link.Identity) { moved(c, ids, false) }, "section.bytes h  0300047c62 " + head + "0404000000059080802802/0300047c62 " + head + "0404000000059080802802"},
		{"f:a g:a h:b", func(c *check, ids map[string]*link.Identity) { moved(c, ids, true) }, ""},

		// Records.
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Out.Lists[0].List[0].Addend = 8 }, "relocation.stray f  /; relocation.missing  a frame without a record for its function /; " + fmt.Sprintf(missing, "f")},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Out.Lists[0].List[0].Kind = cuda.R_CUDA_32 }, "relocation.stray f  /; relocation.missing  a frame without a record for its function /; " + fmt.Sprintf(missing, "f")},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Out.Lists[0].List[0].Symbol = 0 }, "relocation.stray no symbol  /; relocation.missing  a frame without a record for its function /; " + fmt.Sprintf(missing, "f")},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) {
			l := c.Out.Lists[0]
			l.Section = &image.Section{Kind: cuda.SHTCudaResolvedRela}
			c.Out.Lists = append(c.Out.Lists, l)
		}, ""},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) {
			l := c.Out.Lists[0]
			l.Target = 2
			c.Out.Lists = append(c.Out.Lists, l)
		}, ""},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.Out.Lists = append(c.Out.Lists, c.Out.Lists[0]) }, "relocation.stray   3 locations of functions/6 records"},

		// Tables that don't read, that are not there, or that are nobody's.
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) {
			c.ByKey[link.AreaKey{Base: ".debug_frame"}].Out.Body = []byte("\x05\x00\x00\x00\x00\x00")
		}, "section.bytes  malformed frames /"},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { c.ByKey[link.AreaKey{Base: ".debug_frame"}].Out = nil }, "section.missing  omitted or stripped; no running code needs it /"},
		{"f:a g:a h:b", func(c *check, ids map[string]*link.Identity) {
			c.ByKey[link.AreaKey{Base: ".debug_frame"}].Out = nil
			for _, id := range ids {
				id.Live = false
			}
		}, ""},
		{"f:a g:a h:b", func(c *check, ids map[string]*link.Identity) {
			c.ByKey[link.AreaKey{Base: ".debug_frame"}].Out = nil
			ids["g"].Live, ids["h"].Live = false, false
		}, "section.missing  omitted or stripped; no running code needs it /"},
		{"f:a", func(c *check, _ map[string]*link.Identity) { c.Out.Side = image.Whole }, ""},
		{"f:a", func(c *check, _ map[string]*link.Identity) { c.ByKey = map[link.AreaKey]*link.Area{} }, ""},
		{"f:a g:a h:b", func(c *check, _ map[string]*link.Identity) { // a section of another name says nothing
			c.Modules[1].Relocs = append(c.Modules[1].Relocs, link.Relocs{Section: &image.Section{}, Target: 2, List: c.Modules[1].Relocs[0].List})
		}, ""},
	} {
		for _, short := range []bool{false, true} {
			c, ids := framed(x.out, rows, short)
			x.change(c, ids)
			if err := c.compareFrames(); err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, f := range c.Verdict.Findings {
				list = append(list, fmt.Sprintf("%s %s %s %s/%s", f.Kind, f.Symbol, f.Detail, f.Want, f.Got))
			}
			if got := strings.Join(list, "; "); got != x.want {
				t.Errorf("%d, short %v: %q, want %q", i, short, got, x.want)
			}
		}
	}
}

// framed is a link of two inputs with frames, and an output with some.
func framed(out string, rows map[string]string, short bool) (*check, map[string]*link.Identity) {
	c := &check{apply.New(link.New(1<<10, verdict.Options{Strict: true}))}
	c.Release = 134
	ids := map[string]*link.Identity{}
	number := map[string]uint32{}
	refs := []link.Ref{{}}
	for i, name := range []string{"f", "g", "h", "u"} {
		id := &link.Identity{Name: name, Order: i, Live: true}
		id.Code = &link.Body{Owner: id, Names: []*link.Identity{id}, Area: &link.Area{Size: 128, Out: &image.Section{Body: make([]byte, 144)}}}
		ids[name], number[name], refs, c.IDs = id, uint32(i+1), append(refs, link.Ref{ID: id}), append(c.IDs, id)
	}
	records := func(named map[uint64]string) []link.Relocs {
		l := link.Relocs{Section: &image.Section{}, Target: 1}
		for at := range uint64(1 << 10) {
			if name, ok := named[at]; ok {
				l.List = append(l.List, image.Record{Offset: at, Kind: cuda.R_CUDA_64, Symbol: number[name]})
			}
		}
		return []link.Relocs{l}
	}
	for i, text := range []string{"f:a g:a", "h:b"} {
		body, named := framesOf(text, rows, short)
		m := &link.Module{Image: &image.Image{Name: fmt.Sprint(i), Sections: []image.Section{{}, {Index: 1, Name: ".debug_frame", Body: body}, {Index: 2, Name: ".other", Body: body}}}, Refs: refs, Relocs: records(named)}
		for _, name := range named {
			ids[name].Mod = m
		}
		c.Modules = append(c.Modules, m)
	}
	body, named := framesOf(out, rows, short)
	c.Out = &link.Output{Image: &image.Image{Side: image.SassSide}, Refs: refs, Lists: records(named)}
	c.ByKey[link.AreaKey{Base: ".debug_frame"}] = &link.Area{Name: ".debug_frame", Out: &image.Section{Index: 1, Body: body}}
	return c, ids
}

// moved has a word inserted before the second of h, and with longer its frame say so.
func moved(c *check, ids map[string]*link.Identity, longer bool) {
	ids["h"].Code.Area.Words = oneMore
	if list := c.Out.Lists[0].List; longer {
		c.ByKey[link.AreaKey{Base: ".debug_frame"}].Out.Body[list[len(list)-1].Offset+8] = 0x90
	}
}

// TestMovedRows: rows are at the words that they was at.
func TestMovedRows(t *testing.T) {
	c, ids := framed("h:b", nil, false)
	h := ids["h"]
	h.Code.Area.Words = oneMore
	in := "\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00" + "\x48" + keeps // at the third word
	out := in[:8] + "\x90" + in[9:16]
	for at, want := range map[string]bool{"\x4c": true, "\x48": false, "\x44": false} {
		if got := c.sameRows(frame{fde: in}, frame{fde: out + at + keeps, id: h}); got != want {
			t.Errorf("%x: %v", at, got)
		}
	}
}

// TestBudgetOfFrames: more records than there are steps end the search.
func TestBudgetOfFrames(t *testing.T) {
	c, _ := framed("f:a g:a h:b", nil, false)
	for c.Budget.Spend("", 1<<10) == nil {
	}
	if err := c.compareFrames(); err == nil {
		t.Error("no error")
	}
	lines, _, _ := lined([]string{"a f:1 g:2", "b h:3"}, "a f:1 g:2; b h:3")
	for lines.Budget.Spend("", 1<<10) == nil {
	}
	if err := lines.compareLines(); err == nil {
		t.Error("no error of lines")
	}
}
