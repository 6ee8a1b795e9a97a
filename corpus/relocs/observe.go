package relocs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// What a vector's result says of an image is found by comparing the place in
// the image with the place in the object: what changed, and which records are
// left. Everything else is held by a checksum of the whole image.

const (
	window     = 32 // bytes of a place from the first record on that Result.After covers
	sameRun    = 8  // changes no further apart than this are one run
	maxChanged = 96 // bytes of changes elsewhere that a result may tell
)

// Checksum returns what Result.Images holds for an image.
func Checksum(image []byte) string {
	sum := sha256.Sum256(image)
	return hex.EncodeToString(sum[:4])
}

// Observe says what became of a vector's place and records in an image that was
// linked of inputs. Result's fields for releases, verdict and messages stay
// empty.
func (v *Vector) Observe(inputs []Input, image []byte) (Result, error) {
	r := Result{Did: Linked}
	object, err := read(inputs[len(inputs)-1].Data)
	if err != nil {
		return r, err
	}
	out, err := read(image)
	if err != nil {
		return r, fmt.Errorf("image: %w", err)
	}
	var sheets []*cubinEditor
	for _, in := range inputs[:len(inputs)-1] {
		f, err := read(in.Data)
		if err != nil {
			return r, err
		}
		sheets = append(sheets, f)
	}
	sheets = append(sheets, object)
	base := shareBase(sheets, v.Place)
	was, _ := object.find(v.Place)
	is, index := out.find(v.Place)
	if is == nil || was == nil || placeLost(sheets, v.Place) {
		r.Gone = true
		return r, nil
	}
	if base > uint64(len(is.data)) {
		return r, fmt.Errorf("%s has %d bytes, the object's share begins at %d", v.Place, len(is.data), base)
	}
	if err := v.changes(&r, was.data, is.data[base:]); err != nil {
		return r, err
	}
	r.Kept = out.recordsOf(index, cuda.SHTRel, cuda.SHTRela, cuda.SHTMercRela)
	for i := range r.Kept {
		if r.Kept[i].Form == v.Form {
			r.Kept[i].Form = ""
		}
	}
	r.Saved = plain(out.recordsOf(index, cuda.SHTCudaResolvedRela, cuda.SHTMercResolvedRela))
	if counterpart := CounterpartOf(v.Place); counterpart != "" {
		return r, v.observeCounterpart(&r, object, out, counterpart, shareBase(sheets, counterpart))
	}
	return r, nil
}

// changes compares the place before and after.
func (v *Vector) changes(r *Result, was, is []byte) error {
	first := v.Records[0].Offset
	end := min(len(was), len(is))
	if strings.HasPrefix(v.Place, capsulePrefix) && end >= 4 {
		// A capsule begins with the index of its text section in the file.
		was = append(bytes.Clone(is[:4]), was[4:]...)
	}
	size := 0
	for _, run := range runs(was[:end], is[:end]) {
		last := run.Offset + uint64(len(run.Bytes))
		if run.Offset >= first && last <= first+window {
			r.After = bytes.Clone(is[first:last])
			continue
		}
		size += len(run.Bytes)
		r.Changed = append(r.Changed, run)
	}
	if size > maxChanged {
		return fmt.Errorf("%d bytes of %s changed", size, v.Place)
	}
	return nil
}

// CounterpartOf names the section of the other group that the finalizer makes of one of
// the Mercury group, "" for other places. Debug sections are rewritten, and
// have no byte at its old place.
func CounterpartOf(place string) string {
	if rest, ok := strings.CutPrefix(place, capsulePrefix); ok {
		return rest
	}
	rest, ok := strings.CutPrefix(place, mercuryPrefix)
	if !ok || strings.Contains(rest, "debug") {
		return ""
	}
	if function, ok := strings.CutPrefix(rest, ".nv.constant.optimizer"); ok {
		return ".nv.constant2" + function
	}
	if rest == ".nv.constant.user" {
		return ".nv.constant3"
	}
	return rest
}

// observeCounterpart adds what happened to the section that the finalizer made.
func (v *Vector) observeCounterpart(r *Result, object, out *cubinEditor, counterpart string, base uint64) error {
	was, _ := object.find(counterpart)
	is, index := out.find(counterpart)
	if was == nil || is == nil {
		return nil
	}
	r.Counterpart = plain(out.recordsOf(index, cuda.SHTRela))
	if base+uint64(len(was.data)) > uint64(len(is.data)) {
		return fmt.Errorf("%s has %d bytes, the object's %d", counterpart, len(is.data), len(was.data))
	}
	size := 0
	for _, run := range runs(was.data, is.data[base:][:len(was.data)]) {
		size += len(run.Bytes)
		r.Changed = append(r.Changed, Run{counterpart, run.Offset, run.Bytes})
	}
	if size > maxChanged {
		return fmt.Errorf("%d bytes of %s changed", size, counterpart)
	}
	return nil
}

// runs lists what differs between two equally long places.
func runs(a, b []byte) (list []Run) {
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		last := i
		for j := i; j < len(a) && j-last <= sameRun; j++ {
			if a[j] != b[j] {
				last = j
			}
		}
		list = append(list, Run{Offset: uint64(i), Bytes: bytes.Clone(b[i : last+1])})
		i = last
	}
	return list
}

// recordsOf lists the records for the section of that index in sections of the
// given types.
func (f *cubinEditor) recordsOf(target int, kinds ...cuda.SectionType) (list []Record) {
	for _, kind := range kinds {
		for _, p := range f.parts {
			if p.kind == uint32(kind) && int(p.info) == target {
				list = append(list, f.recordsIn(p)...)
			}
		}
	}
	return list
}

// plain forgets the form of records that can only be RELA.
func plain(list []Record) []Record {
	for i := range list {
		list[i].Form = ""
	}
	return list
}

func (f *cubinEditor) recordsIn(p *part) (list []Record) {
	step, form := relaSize, RELA
	if p.kind == uint32(cuda.SHTRel) {
		step, form = relSize, REL
	}
	table, names := f.symbols(int(p.link))
	for b := p.data; len(b) >= step; b = b[step:] {
		r := Record{Offset: le.Uint64(b), Type: le.Uint32(b[8:]), Form: form}
		n := uint64(le.Uint32(b[12:]))
		if (n+1)*symbolSize <= uint64(len(table)) && n != 0 {
			r.Symbol = f.symbolName(table[n*symbolSize:], names)
		}
		if r.Symbol == "" {
			r.Symbol = fmt.Sprintf("#%d", n)
		}
		if step == relaSize {
			r.Addend = int64(le.Uint64(b[16:]))
		}
		list = append(list, r)
	}
	return list
}
