package main

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/view"
	"github.com/twinlink/twinlink/report"
	"github.com/twinlink/twinlink/selfcheck"
)

// drawnNodes is how many nodes of a file a page draws; functions with a finding
// come first.
const drawnNodes = 20_000

// drawCapsules lays the functions of a file out for a page: both sides, node by
// node. What can't be decoded has its finding, and is omitted here.
func drawCapsules(p piece, r *selfcheck.Report, d disassembly) []report.Capsule {
	file, err := cubin.Open(p.name, p.data)
	if err != nil {
		return nil
	}
	m := capsule.Open(file)
	// What nvdisasm refuses, or where there is none, has no text: see disassembly.
	text, err := d.listing(m, p.data)
	if err != nil {
		text = nil
	}
	laid, _ := view.Of(m, text.Words)
	if laid == nil {
		return nil
	}
	rules, changed := selfcheck.Records(), changedWords(r)
	isChanged := func(f *view.Function) bool { return len(changed[".text."+f.Name]) > 0 }
	slices.SortStableFunc(laid.Functions, func(a, b view.Function) int {
		switch {
		case isChanged(&a) == isChanged(&b):
			return 0
		case isChanged(&a):
			return -1
		}
		return 1
	})
	var list []report.Capsule
	nodes := 0
	for i := range laid.Functions {
		f := &laid.Functions[i]
		if nodes += len(f.Nodes); nodes > drawnNodes {
			break
		}
		c := report.Capsule{Function: f.Name}
		for j := range f.Nodes {
			c.Nodes = append(c.Nodes, drawNode(&f.Nodes[j], file, rules, changed[".text."+f.Name]))
		}
		list = append(list, c)
	}
	return list
}

// changedWords are the offsets of the words that a finding is about, by section.
func changedWords(r *selfcheck.Report) map[string][]uint64 {
	words := map[string][]uint64{}
	for i := range r.Findings {
		f := &r.Findings[i]
		words[f.Section] = append(words[f.Section], f.Offset)
	}
	return words
}

func drawNode(n *view.Node, file *cubin.File, rules selfcheck.Rules, changed []uint64) report.Node {
	out := report.Node{SASS: n.SASS, Mercury: n.Mercury, Kind: n.Kind, Tag: n.Tag, Record: n.Record, Words: n.Words, Text: n.Text, State: "same"}
	from, to := uint64(n.SASS), uint64(n.SASS)+uint64(n.Span)*capsule.WordSize
	switch {
	case slices.ContainsFunc(changed, func(at uint64) bool { return at >= from && at < to }):
		out.State = "changed"
	case n.Kind == capsule.Full.String() && unknownRecord(n, file, rules):
		out.State = "unknown"
	}
	return out
}

// unknownRecord reports whether no rule makes the words of a node's record.
func unknownRecord(n *view.Node, file *cubin.File, rules selfcheck.Rules) bool {
	record, err := hex.DecodeString(n.Record)
	if err != nil {
		return true
	}
	sass := make([]selfcheck.Word, len(n.Words))
	for i, text := range n.Words {
		data, err := hex.DecodeString(strings.ReplaceAll(text, ".", ""))
		if err != nil || len(data) != capsule.WordSize {
			return true
		}
		sass[i] = selfcheck.Word{Hi: binary.BigEndian.Uint64(data), Lo: binary.BigEndian.Uint64(data[8:])}
	}
	reason := rules.Predict(file.Header.SM(), record, sass, make([]selfcheck.Word, len(sass)), make([]selfcheck.Word, len(sass)))
	return reason != ""
}
