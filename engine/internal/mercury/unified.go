package mercury

import (
	"encoding/binary"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// stubCode is how long the code of a function of the unified table is before its
// trap.
const stubCode = 0x60

const opcodeNOP = 0x918

// stubsRead is the oldest toolkit whose unified functions releases with FreshNames
// take.
const stubsRead = 134

// finishStub makes the code of a function of the unified table what the finalizer
// makes of it, whatever toolkit it is from: padded and with its schedule.
func (l *Backend) finishStub(fn *code) error {
	if err := l.refuseSecond(); err != nil {
		return err
	}
	if l.Release.FreshNames && fn.input.Toolkit < stubsRead {
		return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{
			{Severity: diag.Error, Kind: diag.Unsupported, File: fn.input.File.Name, Symbol: l.SymName(l.Funs[l.Secs[fn.text].Fun].Sym), Text: "Finalization failed: 'unsupported elf type'"},
			{Severity: diag.Fatal, Kind: diag.Unsupported, File: fn.input.File.Name, Text: "elfLink error finalization failed"}}}
	}
	if !fn.padStub() {
		return diag.Refuse(diag.Unsupported, fn.input.File.Name, "how nvlink %s pads the code of a unified function is not known", l.Release.Name)
	}
	fn.sass = l.scheduleStub(fn.sass)
	return nil
}

// padStub brings the trap after the code to its place with NOPs, in the place of those
// that follow it; false where the code isn't of that kind.
func (fn *code) padStub() bool {
	nodes := fn.cap.Nodes
	last := len(nodes) - 1
	if last < 0 || nodes[last].Kind != capsule.Skip || nodes[last].SASS > stubCode {
		return false
	}
	at := int(nodes[last].SASS)
	n := (stubCode - at) / capsule.WordSize
	if n == 0 {
		return true
	}
	end := len(fn.sass) - n*capsule.WordSize
	if n >= int(nodes[last].Span) || end < at || !areNOPs(fn.sass[end:]) {
		return false
	}
	text := slices.Clone(fn.sass[:at])
	nop := fn.sass[len(fn.sass)-capsule.WordSize:]
	padded := slices.Clone(nodes[:last])
	for i := range n {
		text = append(text, nop...)
		padded = append(padded, capsule.Node{Kind: capsule.Plain, SASS: uint32(at + i*capsule.WordSize), Merc: nodes[last].Merc, Span: 1})
	}
	trap := nodes[last]
	trap.SASS, trap.Span = stubCode, trap.Span-uint16(n)
	fn.sass = append(text, fn.sass[at:end]...)
	fn.cap.Nodes = append(padded, trap)
	fn.words = fn.cap.Nodes
	fn.record = fn.encode()
	return true
}

// areNOPs reports whether all words are a NOP.
func areNOPs(text []byte) bool {
	for at := 0; at < len(text); at += capsule.WordSize {
		if opcode(text[at:]) != opcodeNOP {
			return false
		}
	}
	return true
}

// Stalls and waits of a function of the unified table: of its call and the branch
// after it, of the NOPs, and of all of them with -g. They begin at a bit of the upper half.
const (
	stubSchedule = 41
	stubBranch   = 0x7f5
	stubNOP      = 0x7f1
	stubDebug    = 0x1fef
	stubBare     = 0x7e0 // with -g, in releases where code without optimization loses its schedule
)

// scheduleStub returns the code with the schedule that the finalizer gives it, whatever
// it had.
func (l *Backend) scheduleStub(text []byte) []byte {
	text = slices.Clone(text)
	for at := 0; at < min(stubCode, len(text)); at += capsule.WordSize {
		schedule := uint64(stubNOP)
		switch {
		case l.ShowsDebug() && l.Release.Bares:
			schedule = stubBare
		case l.ShowsDebug():
			schedule = stubDebug
		case at < 2*capsule.WordSize:
			schedule = stubBranch
		}
		half := text[at+capsule.WordSize/2:]
		hi := binary.LittleEndian.Uint64(half)
		binary.LittleEndian.PutUint64(half, hi&(1<<stubSchedule-1)|schedule<<stubSchedule)
	}
	return text
}

// linkEntries gives the lists of what is unified the number of a section that they refer
// to in some releases: the one that the symbol table had in the first input that has such
// a list, as the finalizer reads it. The clone refers to that section's clone.
func (l *Backend) linkEntries(img *plan) error {
	if !l.Release.FreshNames {
		return nil
	}
	if err := l.refuseSecond(); err != nil {
		return err
	}
	for id := range l.UnifiedEntries {
		chunks := l.Parts[id].Chunks
		if img.sassOf[id] < 0 || len(chunks) == 0 || chunks[0].File < 0 {
			continue
		}
		n := l.Sides[chunks[0].File].LinkedSymtab()
		sass, merc := &img.parts[img.sassOf[id]].hdr, &img.parts[img.mercOf[id]].hdr
		sass.Link, merc.Link = n, n
		if int(n) <= len(img.Order) && img.mercOf[img.Order[n-1]] >= 0 {
			merc.Link = uint32(img.mercOf[img.Order[n-1]] + 1)
		}
	}
	return nil
}

// refuseSecond refuses what a link with -r made of unified functions and data, for releases that link it in a way of
// their own, whatever toolkit it is from.
func (l *Backend) refuseSecond() error {
	if !l.Release.FreshNames {
		return nil
	}
	for id, list := range l.UnifiedEntries {
		if chunks := l.Parts[id].Chunks; len(chunks) > 0 && chunks[0].File >= 0 && list[0].Data[4]&model.UnifiedLinked != 0 {
			return diag.Refuse(diag.Unsupported, l.FileName(chunks[0].File), "how nvlink %s links unified functions and data a second time from sm_100 on is not known", l.Release.Name)
		}
	}
	return nil
}
