package mercury

import (
	"bytes"
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// fillRegisters makes .nv_debug_info_reg_sass of the SASS side: the inputs'
// tables, in which those of a function that the image doesn't have, or that had
// one before, are about no code.
//
// A table is {name, u32 n, n × {u32 flag, virtual register, u32 register, u32
// start, u32 end}}; names end with NUL.
func (l *Backend) fillRegisters(img *plan, id model.SecID) error {
	open := make(map[string]*code)
	for _, sym := range img.Symbols {
		if s := &l.Syms[sym]; s.Type() == cuda.STTFunc && s.Is(model.SymDefined) && img.first(l)[s.Sec] == sym {
			if name := l.Names.Str(s.Name); open[name] == nil { // of static functions the first
				open[name] = l.opened(s.Sec)
			}
		}
	}
	var out []byte
	for _, c := range l.Parts[id].Chunks {
		in := &l.Sides[c.File]
		k := in.Twin[c.From]
		if k == 0 {
			continue
		}
		sec := in.File.Section(int(k))
		body := bytes.Clone(in.File.Content(&sec))
		if at, ok := l.closeTables(body, c.File, open); !ok {
			return &cubin.Error{Kind: cubin.BadRecord, File: in.File.Name, Section: ".nv_debug_info_reg_sass", Offset: uint64(at),
				Value: uint64(len(body)), Detail: "not a table of registers"}
		}
		out = append(out, body...)
	}
	sass := &img.parts[img.sassOf[id]]
	sass.data, sass.hdr.Size = out, uint64(len(out))
	return nil
}

// closeTables goes through an input's tables and clears the ranges of those whose
// function isn't open, and closes those that are.
func (l *Backend) closeTables(b []byte, file int32, open map[string]*code) (at int, ok bool) {
	for at < len(b) {
		n := bytes.IndexByte(b[at:], 0)
		if n < 0 || at+n+5 > len(b) {
			return at, false
		}
		name := string(b[at : at+n])
		at += n + 1
		count := binary.LittleEndian.Uint32(b[at:])
		at += 4
		move := l.rangeMover(open[name], file)
		open[name] = nil
		for ; count > 0; count-- {
			if at+4 > len(b) {
				return at, false
			}
			n := bytes.IndexByte(b[at+4:], 0)
			end := at + 4 + n + 1 + 12
			if n < 0 || end > len(b) {
				return at, false
			}
			for _, at := range []int{end - 8, end - 4} {
				binary.LittleEndian.PutUint32(b[at:], move(binary.LittleEndian.Uint32(b[at:])))
			}
			at = end
		}
	}
	return at, true
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
			return fn.movedStart(off)
		}
	}
	places, known := newLostMap(lost, fn)
	return func(off uint32) uint32 {
		to, ok := places.at(off)
		if !ok || !known {
			l.sayLost(fn, file)
		}
		return to
	}
}
