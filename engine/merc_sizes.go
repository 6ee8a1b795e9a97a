package engine

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// unsized is a stretch of a function in which Mercury addresses can't be
// counted, since the size of an instruction isn't known.
type unsized struct {
	word     uint32 // SASS offset of the first such instruction
	from, to uint32 // Mercury addresses between them, both excluded, are unknown
	needed   bool   // some address in there was asked for
}

// settle gives the nodes their Mercury addresses.
func (fn *mercFunc) settle(capsule uint32) {
	unknown := fn.cap.Locate(fn.sass)
	if len(unknown) == 0 {
		return
	}
	if from, to := fn.cap.Settle(unknown, fn.input.mercEnd(capsule)); to > 0 {
		fn.unsized = &unsized{word: unknown[0], from: from, to: to}
	}
}

// rely notes that something depends on where a Mercury offset is.
func (fn *mercFunc) rely(off uint64) {
	if u := fn.unsized; u != nil && off > uint64(u.from) && off < uint64(u.to) {
		u.needed = true
	}
}

// checkSized refuses a function of which an address is needed that is unknown.
func (l *linker) checkSized(fn *mercFunc) error {
	u := fn.unsized
	if u == nil || !u.needed {
		return nil
	}
	file, name := fn.input.file.Name, l.symName(l.funs[l.secs[fn.text].fun].sym)
	op := binary.LittleEndian.Uint16(fn.source()[u.word:]) & 0xfff
	return &LinkError{Exit: 1, Diags: []Diagnostic{{Severity: Fatal, Kind: Unsupported, File: file, Symbol: name, Offset: uint64(u.word), Value: uint64(op),
		Section: fn.input.file.SectionName(&fn.sasssec),
		Text:    fmt.Sprintf("Size of instruction %#03x at %#x of '%s' in '%s' is not known, and an address behind it is needed", op, u.word, name, file)}}}
}

// source returns the function's SASS as the input has it.
func (fn *mercFunc) source() []byte { return fn.input.file.Content(&fn.sasssec) }

// mercEnd returns where the last function of a capsule ends, by the symbols of
// the Mercury side; 0 where none names the capsule.
func (in *mercInput) mercEnd(shndx uint32) uint64 {
	if in.ends == nil {
		in.ends = make(map[uint32]uint64)
		for i := 1; i < in.file.NumSections(); i++ {
			s := in.file.Section(i)
			if s.Type == cuda.SHTMercSymtab {
				in.readEnds(in.file.Content(&s))
			}
		}
	}
	return in.ends[shndx]
}

func (in *mercInput) readEnds(table []byte) {
	for ; len(table) >= cubin.SymbolSize; table = table[cubin.SymbolSize:] {
		info, shndx := table[4], uint32(binary.LittleEndian.Uint16(table[6:]))
		if cuda.SymbolType(info&0xf) != cuda.STTFunc {
			continue
		}
		end := binary.LittleEndian.Uint64(table[8:]) + binary.LittleEndian.Uint64(table[16:])
		in.ends[shndx] = max(in.ends[shndx], end)
	}
}
