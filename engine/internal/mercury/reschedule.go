package mercury

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/resched"
)

// reschedule changes a kernel as the tool does in a final link, and drops the words
// that are gone from any function.
func (l *Backend) reschedule(fn *code, gone []int) error {
	sym := l.Funs[l.Secs[fn.text].Fun].Sym
	how := l.scheduling(fn, sym, gone)
	warned := !fn.input.Foreign && fn.input.Toolkit < l.Release.SharesSources && resched.HoldsManySources(fn.sass)
	if fn.input.Toolkit == l.Release.FreesWorkID && resched.HoldsWorkID(fn.sass) {
		fn.sass, how.Anew, warned = resched.FreeWorkID(fn.sass), true, true
	}
	if warned || fn.input.File.Header.Type != cuda.ETEwp && l.hasNested(fn.text) {
		l.warnSchedule(fn, sym) // -r made code of -ewp with functions inside anew, and the next link does so again
	}
	if how.Stays && len(how.Gone) == 0 && !how.Fence && !how.Slow && !how.Anew && !how.Unpaces {
		l.warnForeign(fn, sym, fn.sass)
		return nil
	}
	r := resched.Kernel(fn.sass, how)
	if how.Anew && r.Fillers != nil && !fn.takesFillers(&r) {
		how.Pauses, how.Quick = false, false
		r = resched.Kernel(fn.sass, how)
		r.Foreseen = false
	}
	l.warnMade(fn, sym, &how, &r)
	switch {
	case r.TooLarge:
		return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Budget, File: fn.input.File.Name, Symbol: l.SymName(sym),
			Text: fmt.Sprintf("Kernel '%s' is too large to be rescheduled", l.SymName(sym)), Value: uint64(len(fn.sass))}}}
	case r.Unfit:
		l.warnSchedule(fn, sym) // conversions alone keep what they have
		return l.notMade(fn)
	case r.Quicker && (r.Exact || !r.Changed):
		l.warnSchedule(fn, sym)
	}
	if !r.Changed {
		return nil
	}
	if r.Lost != nil {
		return l.lacksWait(fn, sym, r.Lost)
	}
	if !r.Exact && !fn.input.Foreign && !warned {
		l.warnSchedule(fn, sym)
	}
	if r.Fillers != nil && !fn.takesFillers(&r) {
		return l.notMade(fn)
	}
	fn.sass = r.Text
	if r.Moves != nil {
		fn.move(&r)
	}
	return nil
}

// scheduling says how the release schedules a function in this link.
func (l *Backend) scheduling(fn *code, sym model.SymID, gone []int) resched.Options {
	rel, older := l.Release, fn.input.Foreign && l.Release.OwnLeaves
	how := resched.Options{
		Debug:        l.ShowsDebug(),
		Fence:        l.ShowsDebug() || l.fences,
		Stays:        !l.ShowsDebug() && (l.IsRelocatable() || l.Syms[sym].Other&cuda.STOEntry == 0),
		KeepsLeaves:  rel.KeepsLeaves,
		Gone:         gone,
		Slow:         l.isOffTarget(fn) && !older,
		Quick:        l.isOffTarget(fn) && older,
		Unpaced:      rel.Unpaces,
		Late:         rel.OwnLeaves,
		Anew:         older,
		Pauses:       older && fn.input.Toolkit < pausing,
		Pads:         rel.Pads,
		HoldsDoubles: rel.HoldsDoubles && fn.input.File.Header.SM() == 100,
		Adds:         l.Arch.SM >= 120,
		Bares:        rel.Bares,
		JoinsMoves:   rel.JoinsMoves,
		Jumps:        l.jumps(fn),
		Nested:       l.hasNested(fn.text),
		LeavesLast:   rel.LeavesLast,
	}
	if how.Anew && how.JoinsMoves {
		how.Parts = fn.parts()
	}
	if rel.Unpaces && fn.input.Toolkit < unpaced {
		how.Fillers = resched.FillersOf(fn.sass)
		how.Unpaces = fn.input.File.Header.SM() != 100
		how.Gone = append(slices.Clone(gone), how.Fillers...)
	}
	return how
}

// warnMade says what may not be the tool's in a function of an older toolkit, or without a schedule.
func (l *Backend) warnMade(fn *code, sym model.SymID, how *resched.Options, r *resched.Result) {
	switch {
	case r.Bare && isDebug(fn.input.File):
		l.warnSchedule(fn, sym) // what its debug information becomes isn't known in all cases
	case r.Bare:
		l.warnBare(fn, sym)
	case how.Anew && r.Foreseen && fn.input.Toolkit >= foreseen:
	case how.Anew:
		l.warnForeign(fn, sym, fn.sass, r.Text)
	default:
		l.warnForeign(fn, sym, fn.sass)
	}
}

// lacksWait refuses code in which a wait that the input has is missing.
func (l *Backend) lacksWait(fn *code, sym model.SymID, x *resched.Lost) error {
	return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Internal, File: fn.input.File.Name, Section: fn.sourceName(), Symbol: l.SymName(sym), Offset: uint64(x.User) * capsule.WordSize, Value: uint64(x.At) * capsule.WordSize,
		Text: fmt.Sprintf("Internal error: rescheduled kernel '%s' would lack the wait at %#x for the instruction at %#x", l.SymName(sym), x.User*capsule.WordSize, x.At*capsule.WordSize)}}}
}

// foreseen is the oldest toolkit whose code was asked about.
const foreseen = 130

// pausing is the oldest toolkit whose code has pauses beside products of matrices.
const pausing = 131

// unpaced is the oldest toolkit that doesn't pace doubles by NOPs.
const unpaced = 134

// warnForeign is warnSchedule of a function of an older toolkit, of which any of these
// texts holds a scoreboard.
func (l *Backend) warnForeign(fn *code, sym model.SymID, texts ...[]byte) {
	if fn.input.Foreign && slices.ContainsFunc(texts, resched.Scheduled) {
		l.warnSchedule(fn, sym)
	}
}

// say notes what is to be said of a function when it is asked for.
func (fn *code) say(d diag.Diagnostic) { fn.said = append(fn.said, d) }

// warnBare says that nvlink leaves a function without any schedule.
func (l *Backend) warnBare(fn *code, sym model.SymID) {
	fn.say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Displaced, Symbol: l.SymName(sym),
		Text: fmt.Sprintf("Function '%s', compiled without optimization by an older toolkit, has no waits, as with nvlink %s", l.SymName(sym), l.Release.Name)})
}

// warnSchedule says that a function's schedule may not be the tool's. What older
// toolkits made the tool reschedules as a whole, callers and -r included; releases
// before 13.1 do it by rules that aren't known, and here it keeps its schedule.
func (l *Backend) warnSchedule(fn *code, sym model.SymID) {
	fn.say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, Symbol: l.SymName(sym),
		Text: fmt.Sprintf("Kernel '%s' was rescheduled; the bytes may differ from nvlink's", l.SymName(sym))})
}

// warnScheduleOnce is warnSchedule of a function that has no such warning.
func (l *Backend) warnScheduleOnce(fn *code) {
	if !slices.ContainsFunc(fn.said, func(d diag.Diagnostic) bool { return d.Kind == diag.Rescheduled }) {
		l.warnSchedule(fn, l.Funs[l.Secs[fn.text].Fun].Sym)
	}
}

// move gives the nodes their new places and makes the capsule again.
func (fn *code) move(r *resched.Result) {
	fn.result = r
	fn.cap.Nodes = slices.Clone(fn.words)
	for i := range fn.cap.Nodes {
		n := &fn.cap.Nodes[i]
		from := int(n.SASS / capsule.WordSize)
		start := r.Starts[from]
		if r.Fillers != nil {
			start += r.Fillers[from]
		}
		n.SASS = uint32(start) * capsule.WordSize
		n.Span = uint16(r.Starts[from+int(n.Span)] - start)
		n.Spanned = n.Kind != capsule.Skip && n.Span != 1
	}
	fn.dropSkips(r)
	for _, k := range r.Fenced {
		fn.keepRecord(k, exitRecord(fn.sass[r.Moves[k]*capsule.WordSize:]))
	}
	for _, k := range r.Padded {
		fn.keepRecord(k, syncRecord(fn.sass[r.Moves[k]*capsule.WordSize:]))
	}
	for _, k := range r.Added {
		if i := fn.nodeAtWord(k); fn.cap.Nodes[i].Kind == capsule.Plain {
			fn.keepTag(i, sumTag(fn.sass[r.Moves[k]*capsule.WordSize:]))
		}
	}
	if r.Fillers != nil {
		fn.insertFillers(r)
	}
	fn.record = fn.encode()
	for i := range fn.relocs {
		if k := int(fn.relocs[i].Off / capsule.WordSize); k < len(r.Moves) && r.Moves[k] >= 0 {
			fn.relocs[i].Off = uint64(r.Moves[k])*capsule.WordSize + fn.relocs[i].Off%capsule.WordSize
		}
	}
}

// keepRecord makes the node of a word of the input one of which the record is kept.
func (fn *code) keepRecord(k int, record []byte) {
	i := fn.nodeAtWord(k)
	if fn.words[i].Kind != capsule.Plain {
		return
	}
	fn.cap.Nodes[i].Kind = capsule.Full
	if fn.made == nil {
		fn.made = make(map[int][]byte)
	}
	fn.made[i] = record
}

// guardByte is the guard of a word in Mercury.
func guardByte(word []byte) byte {
	const (
		never  = 7    // SASS: the predicate that is always true
		always = 0x1f // Mercury: the same
	)
	p, not := word[1]>>4&7, word[1]>>7
	if p == never {
		p = always
	}
	return p<<3 | not
}

// syncRecord is the Mercury record of a BSYNC that is padded: its tag, its guard, which
// of the two kinds it is, and its barrier.
func syncRecord(word []byte) []byte {
	const reliable = 1 // bit 72
	r := []byte{0x01, 0x09, 0x02, 0x0a, guardByte(word), 0, 1, 0, 0, 0, word[2] & 0x1f << 1, 0, 0, 0, 0, 0}
	if word[9]&reliable != 0 {
		r[2], r[6] = 4, 0
	}
	return r
}

// exitRecord is the Mercury record of an EXIT: its tag, its guard, and its own
// predicate.
func exitRecord(word []byte) []byte {
	const (
		never  = 7    // SASS: the predicate that is always true
		always = 0x1f // Mercury: the same
	)
	own, ownNot := word[10]>>7|word[11]<<1&6, word[11]>>2&1
	if own == never {
		own = always
	}
	return []byte{0x01, 0x11, 0x00, 0x0a, guardByte(word), 0, 0, 0, 0, 0, 0, own<<3 | ownNot, 0, 0, 0, 0}
}
