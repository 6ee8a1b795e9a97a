package mercury

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"github.com/twinlink/twinlink/engine/internal/diag"
)

// unsized is a stretch of a function in which Mercury addresses can't be
// counted, since the size of an instruction isn't known.
type unsized struct {
	word     uint32      // SASS offset of the first such instruction
	from, to uint32      // Mercury addresses between them, both excluded, are unknown
	needed   atomic.Bool // some address in there was asked for
}

// settle puts the Mercury addresses right where the sizes of PLAIN nodes at these
// places aren't known.
func (fn *code) settle(unknown []uint32, capsule uint32) {
	if len(unknown) == 0 {
		return
	}
	if from, to := fn.cap.Settle(unknown, fn.input.MercEnd(capsule)); to > 0 {
		fn.unsized = &unsized{word: unknown[0], from: from, to: to}
	}
}

// rely notes that something depends on where a Mercury offset is.
func (fn *code) rely(off uint64) {
	if u := fn.unsized; u != nil && off > uint64(u.from) && off < uint64(u.to) {
		u.needed.Store(true)
	}
}

// checkSized refuses a function of which an address is needed that is unknown.
func (l *Backend) checkSized(fn *code) error {
	u := fn.unsized
	if u == nil || !u.needed.Load() {
		return nil
	}
	file, name := fn.input.File.Name, l.SymName(l.Funs[l.Secs[fn.text].Fun].Sym)
	op := binary.LittleEndian.Uint16(fn.source()[u.word:]) & 0xfff
	return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Unsupported, File: file, Symbol: name, Offset: uint64(u.word), Value: uint64(op),
		Section: fn.sourceName(),
		Text:    fmt.Sprintf("Size of instruction %#03x at %#x of '%s' in '%s' is not known, and an address after it is needed", op, u.word, name, file)}}}
}

// source returns the function's SASS as the input has it.
func (fn *code) source() []byte {
	s := fn.input.File.Section(int(fn.sassidx))
	return fn.input.File.Content(&s)
}

// sourceName is the name of the function's section in the input.
func (fn *code) sourceName() string {
	s := fn.input.File.Section(int(fn.sassidx))
	return fn.input.File.SectionName(&s)
}
