package mercury

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// A table of .nv_debug_info_reg_sass is {name, u32 n, n × {u32 flag, virtual register, u32 register,
// u32 start, u32 end}}; names end with NUL. .nv_debug_info_reg_type has {name, u32 n, n × u8}, a type
// for each of those. The Mercury side's come in the order of their starts, the SASS side's in that of
// their registers.
type registerTable struct {
	name  string
	count uint32
	rows  [][]byte
}

// fillRegisters makes .nv_debug_info_reg_sass of the SASS side, or .nv_debug_info_reg_type: the inputs'
// tables, in which those of a function that the image doesn't have, or that had one before, are about no
// code. Such a one is made of the Mercury side's: a link before may have split rows of the other (nvlink
// 13.4.59 over a part).
func (l *Backend) fillRegisters(img *plan, id model.SecID, types bool) error {
	cut := cutRegisters
	if types {
		cut = cutTypes
	}
	open := l.codeByName(img)
	var out []byte
	for _, c := range l.Parts[id].Chunks {
		sass, merc, err := l.tablesOf(c, cut)
		if err != nil {
			return err
		}
		registers := merc
		if types {
			registers = registersOf(l.Sides[c.File].File)
		}
		for i, t := range sass {
			fn := open[t.name]
			open[t.name] = nil
			if fn == nil && i < len(merc) && i < len(registers) && merc[i].name == t.name && registers[i].name == t.name && merc[i].count == registers[i].count {
				t = merc[i].asIn(&registers[i])
			}
			out = append(append(out, t.name...), 0)
			out = binary.LittleEndian.AppendUint32(out, t.count)
			if types {
				out = append(out, t.rows[0]...)
				continue
			}
			move := l.rangeMover(fn, c.File)
			isLost := fn != nil && l.lostIn(fn, c.File) != nil
			for _, row := range t.rows {
				out = append(out, row...)
				moveRange(out[len(out)-8:], isLost, move)
			}
		}
	}
	sass := &img.parts[img.sassOf[id]]
	sass.data, sass.hdr.Size = out, uint64(len(out))
	return nil
}

// moveRange translates the two places of a range. None of a definition that lost begins after its end: where the end isn't
// known it is 0, and so is the start then. Source: 45 pairs of modules, one of them by ptxas 13.5.37 -g, through nvlink 13.5.37.
func moveRange(b []byte, isLost bool, move func(uint32) uint32) {
	start, end := move(binary.LittleEndian.Uint32(b)), move(binary.LittleEndian.Uint32(b[4:]))
	if isLost {
		start = min(start, end)
	}
	binary.LittleEndian.PutUint32(b, start)
	binary.LittleEndian.PutUint32(b[4:], end)
}

// codeByName returns the code of an image's functions; of static functions of one name the first.
func (l *Backend) codeByName(img *plan) map[string]*code {
	open := make(map[string]*code)
	for _, sym := range img.Symbols {
		if s := &l.Syms[sym]; s.Type() == cuda.STTFunc && s.Is(model.SymDefined) && img.first(l)[s.Sec] == sym {
			if name := l.Names.Str(s.Name); open[name] == nil {
				open[name] = l.opened(s.Sec)
			}
		}
	}
	return open
}

// tablesOf cuts an input's tables of both sides; none where its SASS side has none.
func (l *Backend) tablesOf(c model.Chunk, cut func([]byte) ([]registerTable, int)) (sass, merc []registerTable, err error) {
	in := &l.Sides[c.File]
	k := in.Counterpart[c.From]
	if k == 0 {
		return nil, nil, nil
	}
	s, m := in.File.Section(int(k)), in.File.Section(int(c.From))
	b := in.File.Content(&s)
	sass, end := cut(b)
	if end < len(b) {
		return nil, nil, &cubin.Error{Kind: cubin.BadRecord, File: in.File.Name, Section: in.File.SectionName(&s), Offset: uint64(end),
			Value: uint64(len(b)), Detail: "not a table of registers"}
	}
	merc, _ = cut(in.File.Content(&m))
	return sass, merc, nil
}

// registersOf returns the tables of registers on an input's Mercury side.
func registersOf(f *cubin.File) []registerTable {
	i := f.Lookup(".nv.merc.nv_debug_info_reg_sass")
	if i == 0 {
		return nil
	}
	s := f.Section(i)
	tables, _ := cutRegisters(f.Content(&s))
	return tables
}

// asIn returns a table of registers in their order, or one of types in the order of the registers
// that they go with.
func (t *registerTable) asIn(registers *registerTable) registerTable {
	order := make([]int, t.count)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(registerOf(registers.rows[i]), registerOf(registers.rows[j])) })
	in := registerTable{name: t.name, count: t.count}
	if t == registers {
		for _, k := range order {
			in.rows = append(in.rows, t.rows[k])
		}
		return in
	}
	types := make([]byte, t.count)
	for i, k := range order {
		types[i] = t.rows[0][k]
	}
	in.rows = [][]byte{types}
	return in
}

// registerOf returns which register a row is about.
func registerOf(row []byte) uint32 { return binary.LittleEndian.Uint32(row[len(row)-12:]) }

// cutRegisters cuts tables of registers; end is where what is none begins.
func cutRegisters(b []byte) (tables []registerTable, end int) {
	return cutTables(b, func(b []byte, count uint32) (rows [][]byte, ok bool) {
		for ; count > 0; count-- {
			if len(b) < 4 {
				return nil, false
			}
			n := bytes.IndexByte(b[4:], 0)
			size := 4 + n + 1 + 12
			if n < 0 || size > len(b) {
				return nil, false
			}
			rows, b = append(rows, b[:size]), b[size:]
		}
		return rows, true
	})
}

// cutTypes cuts tables of types, each of one row.
func cutTypes(b []byte) (tables []registerTable, end int) {
	return cutTables(b, func(b []byte, count uint32) (rows [][]byte, ok bool) {
		if uint64(count) > uint64(len(b)) {
			return nil, false
		}
		return [][]byte{b[:count]}, true
	})
}

func cutTables(b []byte, cut func(b []byte, count uint32) ([][]byte, bool)) (tables []registerTable, end int) {
	for end < len(b) {
		n := bytes.IndexByte(b[end:], 0)
		at := end + n + 5
		if n < 0 || at > len(b) {
			break
		}
		t := registerTable{name: string(b[end : end+n]), count: binary.LittleEndian.Uint32(b[at-4:])}
		var ok bool
		if t.rows, ok = cut(b[at:], t.count); !ok {
			break
		}
		for _, row := range t.rows {
			at += len(row)
		}
		tables, end = append(tables, t), at
	}
	return tables, end
}

// rangeMover returns what translates the places in an input's table of a function; nil
// code is of a table about none.
func (l *Backend) rangeMover(fn *code, file int32) func(off uint32) uint32 {
	if fn == nil {
		return func(uint32) uint32 { return 0 }
	}
	lost := l.lostIn(fn, file)
	if lost == nil {
		size := uint32(len(fn.source()))
		return func(off uint32) uint32 {
			if off > size {
				l.sayLost(fn, file) // left by a link before
			}
			return fn.movedRange(off)
		}
	}
	places, known := newLostMap(lost, fn)
	return func(off uint32) uint32 {
		to, ok := places.inside(off)
		if !ok || !known {
			l.sayLost(fn, file)
		}
		return to
	}
}
