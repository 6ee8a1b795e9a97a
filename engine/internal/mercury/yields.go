package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resched"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// lacksYields reports whether ptxas wrote no records of a code's YIELDs, as its input is for an SM
// whose threads advance independently. In a link with others the finalizer makes them, where
// the code has a section of records, if an empty one.
func (fn *code) lacksYields() bool {
	return fn.input.Virtual >= input.IndependentThreads && fn.input.Rela[fn.sassidx] != 0
}

// leavesRecords reports whether code has a section of records after the link: one of which
// the link applies each record is gone, as of code that names constants alone. The
// finalizer leaves such code's YIELDs as they are.
//
// Source: functions with a YIELD and uses of constants, shared and global variables and
// functions, alone and together, put to nvlink 13.0.88, 13.1.115, 13.4.92 and 13.5.37.
func (l *Backend) leavesRecords(text model.SecID) bool {
	records := 0
	for in := l.Parts[text].FirstRel; in != model.Absent; in = l.Parts[in].NextRel {
		for _, r := range l.Parts[in].Relocs {
			records++
			if l.decide(in, true, &r); r.Disposition == model.Kept {
				return true
			}
		}
	}
	return records == 0
}

// clearYields makes each YIELD a NOP where some input is for an SM whose threads don't advance
// independently. Only the SASS side has records of it. They name symbol 0, whose value
// counts: see resolve's warnYields.
func (fn *code) clearYields(records []cubin.Reloc, null uint64) {
	const (
		opcodeHigh = 1 // the ninth of nine bits, in the second byte
		predicate  = 87
	)
	whole := true // the input's bytes
	for i := range records {
		r := &records[i]
		word, ok := cubin.Window(fn.sass, r.Off, capsule.WordSize)
		if !ok || !resolve.IsYield(r.Type) {
			continue
		}
		if whole {
			fn.sass, whole = slices.Clone(fn.sass), false
			word = fn.sass[r.Off:]
		}
		if r.Type == cuda.R_CUDA_YIELD_OPCODE9_0 {
			op := uint64(r.Addend) + null
			word[0], word[1] = byte(op), word[1]&^opcodeHigh|byte(op>>8)&opcodeHigh
			if null != 0 {
				fn.bent = append(fn.bent, r.Off)
			}
			continue
		}
		at := binary.LittleEndian.Uint32(word[predicate/8:])
		binary.LittleEndian.PutUint32(word[predicate/8:], at&^(0xf<<(predicate%8)))
	}
}

// appendYields appends the records of YIELDs, which a link with -r keeps after the
// others.
func (fn *code) appendYields(list []cubin.Reloc) []cubin.Reloc {
	for i := range fn.relocs {
		if r := fn.relocs[i]; resolve.IsYield(r.Type) && r.Symbol == 0 && r.Off < uint64(len(fn.sass)) {
			r.Off = uint64(fn.movedStart(uint32(r.Off)))
			list = append(list, r)
		}
	}
	return list
}

// appendNewYields appends the records of YIELDs that ptxas wrote none for.
func (fn *code) appendNewYields(list []cubin.Reloc) []cubin.Reloc {
	const opcodeNOP = 0x118
	for _, k := range resched.Yields(fn.sass) {
		off := uint64(k) * capsule.WordSize
		list = append(list,
			cubin.Reloc{Off: off, Type: cuda.R_CUDA_YIELD_OPCODE9_0, Addend: opcodeNOP},
			cubin.Reloc{Off: off, Type: cuda.R_CUDA_YIELD_CLEAR_PRED4_87})
	}
	return list
}
