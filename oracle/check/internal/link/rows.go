package link

import (
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// Span is where a function of the input's code is in the output's, and how long it is there.
func (a *Area) Span(from, size uint64) (begin, length uint64) {
	if a.Words == nil || a.Words.Identity || from > a.Size || size > a.Size-from {
		return from, size
	}
	begin = a.begins(from)
	return begin, a.begins(from+size) - begin
}

// begins is where the output has what begins at a place of the input's code.
func (a *Area) begins(at uint64) uint64 {
	if at == a.Size {
		return uint64(len(a.Out.Body))
	}
	_, last, ok := a.Words.LeadsTo(at / sass.Instruction)
	if !ok {
		return at
	}
	return last*sass.Instruction + at%sass.Instruction
}

// RowMoves reports whether a row of the input belongs at a place of the output: where its
// word is, before what was inserted there. Where only NOPs that pace doubles were inserted, nvlink
// 13.3 has it after them.
//
// Source: 226 such rows, of call frames and of lines, by nvlink 13.1 to 13.5; 20 of lines after
// NOPs by 13.3, of a program with doubles for sm_103.
func (a *Area) RowMoves(from, to uint64) bool {
	if a.Words == nil || a.Words.Identity {
		return from == to
	}
	if from == a.Size {
		return to == uint64(len(a.Out.Body))
	}
	first, last, ok := a.Words.LeadsTo(from / sass.Instruction)
	return ok && (to == first*sass.Instruction+from%sass.Instruction || to == last*sass.Instruction+from%sass.Instruction && a.paced(first, last))
}

// paced reports whether all words of the output from one to another are NOPs.
func (a *Area) paced(from, to uint64) bool {
	for ; from < to; from++ {
		if word, ok := image.Cut(a.Out.Body, from*sass.Instruction, sass.Instruction); !ok || sass.Opcode(word) != sass.OpNop {
			return false
		}
	}
	return true
}
