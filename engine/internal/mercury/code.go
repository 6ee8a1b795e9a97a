package mercury

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/parallel"
	"github.com/twinlink/twinlink/engine/internal/resched"
	"github.com/twinlink/twinlink/engine/internal/resolve"
)

// code is a function's code on both sides. The SASS of the image is the
// input's, patched at the words that a resolved relocation of the Mercury side
// names; the capsule is patched where it stores the same instruction.
type code struct {
	text    model.SecID
	input   *input.Sides
	sassidx uint32 // .text.<f> of the input

	cap         *capsule.Capsule
	record      []byte // the capsule's bytes, of the input or rescheduled
	sass        []byte // the SASS the same
	relocs      []cubin.Reloc
	calls       []cubin.Reloc   // those of the driver that only the SASS side has
	words       []capsule.Node  // the nodes as they are in the input
	result      *resched.Result // where words went; nil where none moved
	made        map[int][]byte  // records of nodes that became stored ones
	anew        bool            // record was made of the nodes
	early       bool            // in the form of 12.8
	behindFirst bool            // call frames name the places behind first words, not behind principal ones
	places      []uint32        // by node: where its record stands then
	frame       int             // the FDE that is about it, the first being 1; 0 for none
	lostDebug   bool            // a warning told of debug information about another definition
	bent        []uint64        // YIELDs that become another operation
	fault       error           // what is wrong with it
	said        []diag.Diagnostic
	unsized     *unsized // nil where the size of every node in Mercury is known
}

// shelf is where decoded code is kept, one for each core.
type shelf struct {
	codes  model.Arena[code]
	relocs model.Arena[cubin.Reloc]
}

// readCode decodes the code of all functions that stay and makes it the output's, side by
// side. What is wrong with one, and what is to be said of it, is told when it is asked for.
func (l *Backend) readCode() {
	l.found = make([]*code, len(l.Secs))
	parallel.DoWith(len(l.Secs), func() func(from, to int) {
		s := new(shelf)
		return func(from, to int) {
			for i := from; i < to; i++ {
				if sec := &l.Secs[i]; sec.Fun != model.Absent && !sec.Deleted {
					l.found[i] = l.read(model.SecID(i), s)
				}
			}
		}
	})
}

// code returns the code of a function.
func (l *Backend) code(text model.SecID) (*code, error) {
	if fn := l.opened(text); fn != nil {
		return fn, nil
	}
	fn := l.found[text]
	if fn == nil {
		fn = l.read(text, &l.shelf)
	}
	for i := range fn.said {
		l.Say(fn.said[i])
	}
	if fn.fault != nil {
		return nil, fn.fault
	}
	l.decoded[text] = fn
	return fn, nil
}

// read decodes a function's code and makes it that of the output.
func (l *Backend) read(text model.SecID, to *shelf) *code {
	fn := &to.codes.List(1)[:1][0]
	if gone, err := l.decode(fn, text, to); err != nil {
		fn.fault = err
	} else {
		fn.fault = l.finish(fn, gone)
	}
	return fn
}

// finish makes code of an input that of the output. gone are words that go.
func (l *Backend) finish(fn *code, gone []int) error {
	if l.Secs[fn.text].Type == cuda.SHTCudaUFT {
		return l.finishStub(fn)
	}
	if err := l.offTarget(fn); err != nil {
		return err
	}
	if !l.ShowsDebug() && !l.fences && !l.Release.FirstNotes {
		gone = append(gone, fn.unfence()...)
	}
	if err := l.reschedule(fn, gone); err != nil {
		return err
	}
	l.foreseeMapCopies(fn)
	return l.holdsUnit(fn)
}

// decode decodes a function's code, as the input has it, and returns the words that go.
func (l *Backend) decode(fn *code, text model.SecID, to *shelf) (gone []int, err error) {
	src, _ := l.CodeOf(text)
	in := &l.Sides[src.File]
	f := in.File
	fn.text, fn.input, fn.sassidx = text, in, in.Counterpart[src.Capsule]
	capsec := f.Section(int(src.Capsule))
	fn.record, fn.sass = f.Content(&capsec), fn.source()
	c, unknown, fault := capsule.DecodeLocated(fn.record, fn.sass)
	if fault != nil {
		return nil, fault.In(f.Name, f.SectionName(&capsec))
	}
	fn.cap, fn.words, fn.early, fn.behindFirst = c, c.Nodes, l.Release.EarlyCapsules, l.Release.BehindFirst
	fn.settle(unknown, src.Capsule)
	switch {
	case l.Release.EarlyCapsules:
	case l.Release.FirstNotes:
		fn.renewTags()
	default:
		gone = fn.renew(l.Release.Pads)
		if l.Release.TagsIMMA {
			fn.keepIMMATags()
		}
	}
	if k := in.Rela[fn.sassidx]; k != 0 {
		s := f.Section(int(k))
		table, err := f.Relocs(&s)
		if err != nil {
			return nil, err
		}
		fn.relocs = to.relocs.List(table.Len())
		for i := range table.Len() {
			fn.relocs = append(fn.relocs, table.At(i))
		}
		fn.findCalls() // in the order of the input
		sortByPlace(fn.relocs, func(r *cubin.Reloc) uint64 { return r.Off })
	}
	if l.Lockstep && !l.IsRelocatable() {
		records := fn.relocs
		if fn.lacksYields() {
			records = fn.appendNewYields(nil)
		}
		isYield := func(r cubin.Reloc) bool { return resolve.IsYield(r.Type) }
		if slices.ContainsFunc(records, isYield) && l.leavesRecords(text) {
			fn.clearYields(records, l.NullValue)
		}
	}
	return gone, nil
}

// sortByPlace sorts a list by a place, stably. Lists of records stand mostly in
// runs from the last place to the first.
func sortByPlace[T any](list []T, place func(*T) uint64) {
	sorted := true
	for from := 0; from < len(list); {
		end := from + 1
		for end < len(list) && place(&list[end]) < place(&list[end-1]) {
			end++
		}
		slices.Reverse(list[from:end])
		sorted = sorted && (from == 0 || place(&list[from-1]) <= place(&list[from]))
		from = end
	}
	if !sorted {
		slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(place(&a), place(&b)) })
	}
}

// isDebug reports whether an input was compiled for debugging.
func isDebug(f *cubin.File) bool {
	for i := range f.OfType(cuda.SHTProgbits) {
		s := f.Section(i)
		if s.Flags == 0 && s.Size > 0 && f.SectionName(&s) == ".nv_debug_info_reg_sass" {
			return true
		}
	}
	return false
}

// encode makes the capsule's bytes from its nodes.
func (fn *code) encode() []byte {
	const (
		markSkip = 0x50
		markSpan = 0x51
	)
	fn.anew = true
	nodes := fn.cap.Nodes
	fn.places = make([]uint32, len(nodes))
	b := make([]byte, capsuleHead, len(fn.record)+4)
	binary.LittleEndian.PutUint32(b[4:], capsule.Version)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(nodes)))
	if fn.early {
		b = b[:capsuleHead-4]
		binary.LittleEndian.PutUint32(b[4:], capsule.Version0|uint32(len(nodes)))
	}
	for i := 0; i < len(nodes); i += 32 {
		var word uint32
		for k := i; k < min(i+32, len(nodes)); k++ {
			if nodes[k].Kind == capsule.Plain {
				word |= 1 << (k - i)
			}
		}
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	for i := range nodes {
		switch n := &nodes[i]; {
		case n.Kind == capsule.Skip:
			b = binary.LittleEndian.AppendUint16(b, n.Span<<7|markSkip)
		case n.Spanned:
			b = binary.LittleEndian.AppendUint16(b, n.Span<<7|markSpan)
		}
		fn.places[i] = uint32(len(b))
		b = append(b, fn.recordOf(i)...)
	}
	return b
}

// capsuleHead is the size of a capsule's three words.
const capsuleHead = 12
