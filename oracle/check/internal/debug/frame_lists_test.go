package debug

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// The frame of code with two names is made from Mercury's, whose rows have other places; what they say is the input's.
func TestFrameOfTwoNames(t *testing.T) {
	entry := func(id uint64, rest string) string {
		text := binary.LittleEndian.AppendUint64([]byte("\xff\xff\xff\xff"), uint64(8+len(rest)))
		return string(binary.LittleEndian.AppendUint64(text, id)) + rest
	}
	cie := entry(1<<64-1, "\x03\x00\x04\x7c\xff\xff\xff\xff\x0f\x0c\x81\x80\x80\x28\x00")
	function := strings.Repeat("\x00", 8) + "\x80" + strings.Repeat("\x00", 7) // at 0, of 128 bytes
	table := func(rows string) []byte { return []byte(cie + entry(0, function+rows)) }
	at := uint64(len(cie)) + 20 // where the function's address stands
	const kept, later, other = "\x04\x04\x00\x00\x00\x05\x90\x80\x80\x28\x02", "\x04\x08\x00\x00\x00\x05\x90\x80\x80\x28\x02", "\x04\x04\x00\x00\x00\x05\x91\x80\x80\x28\x02"
	for i, x := range []struct {
		rows string
		want int
	}{{kept, 0}, {later, 0}, {other, 1}, {kept + other, 1}, {"", 0}} {
		for _, relocatable := range []bool{false, true} {
			m := &link.Module{Image: &image.Image{Name: "m", Sections: []image.Section{{}, {Index: 1, Name: ".debug_frame", Body: table(kept)}}}}
			f, second := &link.Identity{Name: "f", Live: true, Mod: m}, &link.Identity{Name: "second", Live: true, Mod: m}
			f.Code = &link.Body{Mod: m, Owner: f, Names: []*link.Identity{f, second}}
			second.Code = f.Code
			m.Refs = []link.Ref{{}, {ID: f}, {ID: second}}
			record := []image.Record{{Offset: at, Kind: cuda.R_CUDA_64, Symbol: 2}}
			m.Relocs = []link.Relocs{{Section: &image.Section{}, Target: 1, List: record}}
			c := &check{apply.New(link.New(1<<10, verdict.Options{}))}
			c.Relocatable, c.Modules = relocatable, []*link.Module{m}
			out := &image.Section{Index: 1, Name: ".debug_frame", Body: table(x.rows)}
			c.Out = &link.Output{Image: &image.Image{Side: image.SassSide}, Refs: m.Refs, Lists: []link.Relocs{{Section: &image.Section{}, Target: 1, List: record}}}
			c.ByKey[link.AreaKey{Base: ".debug_frame"}] = &link.Area{Name: ".debug_frame", Out: out}
			if err := c.compareFrames(); err != nil || c.Verdict.Total != x.want {
				t.Errorf("%d, -r %v: %v %s", i, relocatable, err, c.Verdict)
			}
		}
	}
}
