package mercury

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

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

	cap       *capsule.Capsule
	record    []byte // the capsule's bytes, of the input or made anew
	sass      []byte // the SASS likewise
	relocs    []cubin.Reloc
	words     []capsule.Node  // the nodes as they stand in the input
	result    *resched.Result // where words went; nil where none moved
	made      map[int][]byte  // records of nodes that became stored ones
	anew      bool            // record was made of the nodes
	places    []uint32        // by node: where its record stands then
	frame     int             // the FDE that is about it, the first being 1; 0 for none
	lostDebug bool            // a warning told of debug information about another definition
	bent      []uint64        // YIELDs that become another operation
	fault     error           // what is wrong with it
	said      []diag.Diagnostic
	unsized   *unsized // nil where the size of every node in Mercury is known
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
	if !l.ShowsDebug() && !l.fences {
		gone = append(gone, fn.unfence()...)
	}
	if err := l.reschedule(fn, gone); err != nil {
		return err
	}
	return l.holdsUnit(fn)
}

// decode decodes a function's code, as the input has it, and returns the words that go.
func (l *Backend) decode(fn *code, text model.SecID, to *shelf) (gone []int, err error) {
	src, _ := l.CodeOf(text)
	in := &l.Sides[src.File]
	f := in.File
	fn.text, fn.input, fn.sassidx = text, in, in.Twin[src.Capsule]
	capsec := f.Section(int(src.Capsule))
	fn.record, fn.sass = f.Content(&capsec), fn.source()
	c, unknown, fault := capsule.DecodeLocated(fn.record, fn.sass)
	if fault != nil {
		return nil, fault.In(f.Name, f.SectionName(&capsec))
	}
	fn.cap, fn.words = c, c.Nodes
	fn.settle(unknown, src.Capsule)
	gone = fn.renew(l.Release.Pads)
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

// lacksYields reports whether ptxas wrote no records of a code's YIELDs, as its input is for an SM
// whose threads advance independently. In a link with others the finalizer makes them, where
// the code has a section of records, if an empty one.
func (fn *code) lacksYields() bool {
	return fn.input.Virtual >= input.IndependentThreads && fn.input.Rela[fn.sassidx] != 0
}

// leavesRecords reports whether code has a section of records behind the link: one of which
// the link carries out each record is gone, as of code that names constants alone. The
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

// appendYields appends the records of YIELDs, which a link with -r keeps behind the
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

// nodeAtWord returns the node that holds a word of the input.
func (fn *code) nodeAtWord(k int) int {
	i, found := slices.BinarySearchFunc(fn.words, uint32(k)*capsule.WordSize, func(n capsule.Node, off uint32) int { return cmp.Compare(n.SASS, off) })
	if !found {
		i--
	}
	return i
}

// recordOf returns the record of node i, nil where it has none.
func (fn *code) recordOf(i int) []byte {
	if b := fn.made[i]; b != nil {
		return b
	}
	if fn.cap.Nodes[i].Kind == capsule.Plain {
		return nil
	}
	return fn.cap.Record(&fn.words[i])
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

// moved returns where the word at an offset of the input's SASS is now, or the
// one behind it if it went.
func (fn *code) moved(off uint32) uint32 {
	k := int(off / capsule.WordSize)
	if fn.result == nil || k >= len(fn.result.Moves) {
		return off
	}
	if m := fn.result.Moves[k]; m >= 0 {
		return uint32(m) * capsule.WordSize
	}
	return fn.movedStart(off)
}

// movedStart returns where a word of the input and what was put in front of it
// begin now.
func (fn *code) movedStart(off uint32) uint32 {
	k := int(off / capsule.WordSize)
	if fn.result == nil || k >= len(fn.result.Starts) {
		return off
	}
	return uint32(fn.result.Starts[k]) * capsule.WordSize
}

// node returns the node that holds a Mercury offset, -1 where none does.
func (fn *code) node(off uint64) int {
	if off > 1<<32-1 {
		return -1
	}
	fn.rely(off)
	i := fn.cap.AtMerc(uint32(off))
	for i > 0 && fn.cap.Nodes[i].Kind == capsule.Skip {
		i-- // takes no room: the node before it holds the place
	}
	return i
}

// place returns where the record of node i, which has one, stands in the capsule.
func (fn *code) place(i int) uint32 {
	if !fn.anew {
		return fn.cap.RecordAt(&fn.cap.Nodes[i])
	}
	return fn.places[i]
}

// sassOf translates the Mercury offset of a node's start, or of the end of the
// code; a place inside a node is the start of the next.
func (fn *code) sassOf(off uint64) uint64 {
	fn.rely(off)
	if off >= uint64(fn.cap.MercSize) {
		return uint64(fn.cap.SASSSize())
	}
	nodes := fn.cap.Nodes
	at, _ := slices.BinarySearchFunc(nodes, uint32(off), func(n capsule.Node, off uint32) int { return cmp.Compare(n.Merc, off) })
	for at < len(nodes) && nodes[at].Kind == capsule.Skip {
		at++
	}
	if at == len(nodes) {
		return uint64(fn.cap.SASSSize())
	}
	return uint64(nodes[at].SASS)
}

// partner returns the SASS relocation of a node that names a symbol of the
// input.
func (fn *code) partner(n *capsule.Node, symbol uint32) (cubin.Reloc, bool) {
	from, to := uint64(n.SASS), uint64(n.SASS)+uint64(n.Span)*capsule.WordSize
	at := sort.Search(len(fn.relocs), func(i int) bool { return fn.relocs[i].Off >= from })
	for ; at < len(fn.relocs) && fn.relocs[at].Off < to; at++ {
		if fn.relocs[at].Symbol == symbol {
			return fn.relocs[at], true
		}
	}
	return cubin.Reloc{}, false
}

// pairReloc finds the places of a Mercury relocation of code on both sides.
func (l *Backend) pairReloc(in model.SecID, r *model.Reloc) error {
	fn, err := l.code(l.Secs[in].Target)
	if err != nil {
		return err
	}
	if r.More == 0 {
		r.More = int32(len(l.More))
		l.More = append(l.More, model.RelocMore{})
	}
	found := fn.pair(r, l.MoreOf(r))
	if err := l.checkSized(fn); err != nil {
		return err
	}
	if !found {
		return l.RelocFault(in, r, "reloc address not found")
	}
	return nil
}

// pair finds the places of a relocation of this code; false where no node has it.
func (fn *code) pair(r *model.Reloc, more *model.RelocMore) bool {
	i := fn.node(r.Off)
	if i < 0 {
		return false
	}
	n := &fn.cap.Nodes[i]
	more.SASSOff = n.SASS
	more.AtField = (r.Off-uint64(n.Merc))%16 == 12
	if p, ok := fn.partner(n, more.From); ok {
		more.SASSType = p.Type
		more.SASSOff = uint32(p.Off)
	}
	if n.Kind == capsule.Full {
		more.CapOff = fn.place(i) + uint32(r.Off) - n.Merc
	}
	return true
}

// sassExtent returns value and size of a function on the SASS side.
func (l *Backend) sassExtent(img *plan, id model.SymID) (value, size uint64) {
	s := &l.Syms[id]
	if s.Sec < 0 || l.Secs[s.Sec].Fun == model.Absent {
		return s.Value, s.Size
	}
	fn := l.opened(s.Sec)
	if fn == nil {
		return s.Value, s.Size
	}
	if s.Value == 0 && img.first(l)[s.Sec] == id {
		return 0, uint64(fn.cap.SASSSize())
	}
	if s.Value > 0 {
		value = fn.sassOf(s.Value)
	}
	if s.Size == 0 {
		return value, 0
	}
	return value, fn.sassOf(s.Value+s.Size) - value
}
