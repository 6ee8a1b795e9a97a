package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
)

// nodes finds the instructions of a template that a record can name, by asking
// nvlink about each record that ptxas made, and compares them with the
// manifest's. Templates that list none are not asked.
func (r *regen) nodes(ctx context.Context) error {
	for _, t := range r.manifest.Templates {
		if len(t.Nodes) == 0 || !strings.Contains(t.Name, r.only) {
			continue
		}
		var found []relocs.Node
		for _, function := range []string{"k", "dfun"} {
			list, err := r.nodesOf(ctx, t, function)
			if err != nil {
				return err
			}
			found = append(found, list...)
		}
		if !slices.Equal(found, t.Nodes) {
			text, err := json.Marshal(found)
			if err != nil {
				return err
			}
			r.differ("%s: the manifest's nodes are not %s", t.Name, text)
		}
	}
	return nil
}

func (r *regen) nodesOf(ctx context.Context, t *relocs.Template, function string) ([]relocs.Node, error) {
	place := ".nv.capmerc.text." + function
	records, err := t.RecordsOf(place)
	if err != nil {
		return nil, err
	}
	var offsets []uint64
	for _, rec := range records {
		offsets = append(offsets, rec.Offset)
	}
	slices.Sort(offsets)
	var list []relocs.Node
	for _, at := range slices.Compact(offsets) {
		n, ok, err := r.node(ctx, t, place, at)
		if err != nil {
			return nil, err
		}
		if ok {
			n.Function = function
			list = append(list, n)
		}
	}
	return list, nil
}

// node asks about one offset: a record that stays says where its instruction is
// in the text, two that are applied where their field begins.
func (r *regen) node(ctx context.Context, t *relocs.Template, place string, at uint64) (n relocs.Node, ok bool, err error) {
	v := &relocs.Vector{ID: t.Name + "/node", Template: t, Place: place, Form: relocs.RELA}
	ask := func(number uint32, addend int64) (relocs.Result, []byte, error) {
		v.Records = []relocs.Record{{Offset: at, Type: number, Symbol: "cvar", Addend: addend}}
		inputs, err := v.Inputs()
		if err != nil {
			return relocs.Result{}, nil, err
		}
		result, err := r.ask(ctx, v, inputs, t.Releases[0])
		return result, v.Text(inputs, result), err
	}
	kept, _, err := ask(cuda.R_MERCURY_G64, 0)
	if err != nil || kept.Did != relocs.Linked || len(kept.Counterpart) != 1 {
		return n, false, err
	}
	n = relocs.Node{At: at, Text: kept.Counterpart[0].Offset}
	const value = 0x5a3c96e1
	for _, x := range []uint32{value, ^uint32(value)} {
		done, text, err := ask(cuda.R_MERCURY_ABS32, int64(x)-cvarValue)
		if err != nil || done.Did != relocs.Linked {
			return n, false, err
		}
		for _, c := range done.Changed {
			if c.Section == "" && (n.Capsule == 0 || c.Offset < n.Capsule) {
				n.Capsule = c.Offset
			}
		}
		word := binary.LittleEndian.Uint64(text[n.Text:])
		switch {
		case uint32(word>>32) == x:
			n.Bit = 32
		case uint16(word>>38) == uint16(x):
			n.Bit = 38
		}
	}
	return n, true, nil
}
