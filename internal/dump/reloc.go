package dump

import (
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

func (r *reader) relocations() {
	r.each(func(_ int, s *cubin.Section, name string) {
		switch s.Type {
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela, cuda.SHTMercRela, cuda.SHTMercResolvedRela:
			r.out.Relocations = append(r.out.Relocations, r.relocTable(s, name))
		}
	})
}

func (r *reader) relocTable(s *cubin.Section, name string) RelocTable {
	out := RelocTable{Section: name, Target: r.section(s.Info), Form: s.Type.String()}
	table, err := r.f.Relocs(s)
	if err != nil {
		out.Fault = faultOf(err)
		return out
	}
	target := r.f.Section(int(s.Info))
	content := r.f.Content(&target)
	for i := 0; i < table.Len(); i++ {
		if !r.spend(relocCost) {
			break
		}
		rec := table.At(i)
		info, ok := cuda.LookupReloc(rec.Type)
		if !ok {
			info.Name = fmt.Sprintf("R_%d", rec.Type)
		}
		out.Records = append(out.Records, Reloc{
			Offset: rec.Off, Type: info.Name, Resolver: info.Resolver.String(), Symbol: r.symbol(rec.Symbol),
			Addend: rec.Addend, Fields: fields(content, &rec),
		})
	}
	return out
}

// fields says what a relocation writes and what is there.
func fields(content []byte, rec *cubin.Reloc) []Field {
	if rec.Type >= cuda.RelocCount || rec.Off >= uint64(len(content)) {
		return nil
	}
	place := content[rec.Off:]
	if len(place) > 16 {
		place = place[:16]
	}
	d := &descriptor.Table[rec.Type]
	var out []Field
	for i := range descriptor.Slots {
		s := d.Slot(i)
		if s.Action == descriptor.End {
			continue
		}
		out = append(out, Field{First: s.First, Width: s.Width, Holds: holds(s.Action),
			Value: descriptor.Extract(place, s.First, s.Width)})
	}
	return out
}

// holds says what an action puts into its field.
func holds(a descriptor.Action) string {
	if name, ok := actionNames[a]; ok {
		return name
	}
	for _, lanes := range [...]struct {
		first descriptor.Action
		of    string
	}{
		{descriptor.Lane0, "value"}, {descriptor.GlobalLane0, "generic"},
		{descriptor.FuncLane0, "descriptor"}, {descriptor.UnifiedLane0, "unified"},
	} {
		if lane := a - lanes.first; lane < 8 {
			return fmt.Sprintf("byte %d of %s", lane, lanes.of)
		}
	}
	return fmt.Sprintf("action %d", a)
}

var actionNames = map[descriptor.Action]string{
	descriptor.Full:         "value",
	descriptor.Global:       "generic address",
	descriptor.Header:       "header index",
	descriptor.SurfaceHW:    "surface descriptor",
	descriptor.SurfaceHWSW:  "surface descriptor",
	descriptor.Low:          "low 32 bits",
	descriptor.High:         "high 32 bits",
	descriptor.Size:         "size",
	descriptor.Shift2:       "value>>2",
	descriptor.BankLow:      "bank",
	descriptor.BankHigh:     "bank>>4",
	descriptor.FuncDesc:     "function descriptor",
	descriptor.FuncDescLow:  "low 32 bits of descriptor",
	descriptor.FuncDescHigh: "high 32 bits of descriptor",
	descriptor.FuncDescRaw:  "function descriptor",
	descriptor.PCRel:        "value-place",
	descriptor.Instruction:  "instruction",
	descriptor.YieldOpcode:  "opcode",
	descriptor.YieldClear:   "zero",
	descriptor.Clear:        "zero",
	descriptor.Continued:    "rest of value",
	descriptor.Unified:      "unified address",
	descriptor.UnifiedLow:   "low 32 bits of unified",
	descriptor.UnifiedHigh:  "high 32 bits of unified",
}
