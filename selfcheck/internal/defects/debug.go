package defects

import (
	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/dwarf"
)

// frameLengths is the length of every FDE of the SASS side.
func frameLengths(m *capsule.Image) []Site {
	return sections(m, ".debug_frame", func(i int, s *capsule.Section) (list []Site) {
		frames, _ := dwarf.DecodeFrames(s.Content)
		for k := range frames {
			if f := &frames[k]; !f.IsCIE() && f.Length != 0 && !odd(m) {
				list = append(list, Site{i, f.Location() + 8, 8, 16})
			}
		}
		return list
	})
}

// odd reports whether a file has functions whose debug data the Mercury side
// doesn't decide: stubs of unified functions, whose frames have the size of an
// entry, and functions of one name, of which a link may have replaced one.
func odd(m *capsule.Image) bool {
	names := map[string]bool{}
	for i := range m.Funcs {
		if m.Sections[m.Funcs[i].Text].EntSize != 0 || names[m.Funcs[i].Name] {
			return true
		}
		names[m.Funcs[i].Name] = true
	}
	for i := range m.SASS.List {
		if s := &m.SASS.List[i]; s.Type() == cuda.STTFunc && s.Binding() == cuda.STBWeak {
			return true
		}
	}
	return false
}

const defCFA = 0x0c

// frameRules is the last byte of every DW_CFA_def_cfa of an FDE.
func frameRules(m *capsule.Image) []Site {
	return sections(m, ".debug_frame", func(i int, s *capsule.Section) (list []Site) {
		frames, _ := dwarf.DecodeFrames(s.Content)
		if odd(m) {
			return nil
		}
		for k := range frames {
			for op := range frames[k].Ops() {
				if !frames[k].IsCIE() && !op.Advance && op.Bytes[0] == defCFA {
					list = append(list, Site{i, op.At + uint64(len(op.Bytes)) - 1, 1, 1})
				}
			}
		}
		return list
	})
}

// lineRows is every special opcode of a line program, which advances a line.
func lineRows(name string) func(m *capsule.Image) []Site {
	return func(m *capsule.Image) []Site {
		return sections(m, name, func(i int, s *capsule.Section) (list []Site) {
			if s.Name != name {
				return nil
			}
			units, _ := dwarf.DecodeLines(s.Content)
			for u := range units {
				for _, op := range units[u].Ops {
					if op.Code == 3 && op.Width == 1 && op.S > 0 && op.S < 60 {
						list = append(list, Site{i, op.At + 1, 1, 1})
					}
				}
			}
			return list
		})
	}
}

// registerRanges is the start of every range.
func registerRanges(m *capsule.Image) []Site {
	return sections(m, ".nv_debug_info_reg_sass", func(i int, s *capsule.Section) (list []Site) {
		blocks, _ := dwarf.DecodeRegisters(s.Content)
		if odd(m) {
			return nil
		}
		for k := range blocks {
			for _, e := range blocks[k].Entries {
				list = append(list, Site{i, e.At + 4 + uint64(len(e.Register)) + 1, 4, 1})
			}
		}
		return list
	})
}
