package fuzz

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// A random edit of a file most often makes no link at all. What a link decides by is a few numbers: attributes of functions,
// sizes and alignments of variables, registers and barriers of code. Here each of these gets a value at one of the
// limits that there are, and everything else stays whole.

// limits are numbers at which something changes: powers of two of counts, registers, barriers, a constant bank,
// the shared memory of each generation, and signs.
var limits = [...]uint64{0, 1, 2, 4, 8, 15, 16, 17, 31, 32, 63, 64, 127, 128, 168, 253, 254, 255, 256, 512, 1023, 1024, 1025, 2048,
	0x1000, 0xc000, 0xfff0, 0x10000, 0x18000, 0x18c00, 0x19000, 0x29000, 0x38c00, 0x39000, 0x80000, 0x7fffffff, 0x80000000, 0xffffffff}

// atLimit is a limit, or a value beside it or beside the one that is there.
func atLimit(r *Reader, was uint64) uint64 {
	beside := [...]uint64{0, 0, 1, ^uint64(0), 4, ^uint64(3)}[r.Byte()%6]
	if at := int(r.Byte()) % (len(limits) + 6); at < len(limits) {
		return limits[at] + beside
	}
	return was + beside
}

// readLimits makes a recorded link with numbers of one of its files, or of all, at their limits.
func readLimits(r *Reader) (Question, error) {
	list, err := editable()
	if err != nil {
		return Question{}, err
	}
	return limitsOf(&list[int(r.Uint16())%len(list)], r), nil
}

func limitsOf(c *corpus.Case, r *Reader) Question { return changed(c, r, setLimits) }

// setLimits returns a copy of a file with one to three numbers changed.
func setLimits(r *Reader, original []byte) []byte {
	file, err := cubin.Open("original", original)
	if err != nil {
		return original
	}
	data := bytes.Clone(original)
	for range 1 + r.Byte()%3 {
		list := [...]func(*cubin.File) []places{attributePlaces, attributePlaces, symbolPlaces, sectionPlaces}[r.Byte()%4](file)
		if len(list) == 0 {
			continue
		}
		of := list[r.Below(len(list))]
		f := of[r.Below(len(of))]
		place := data[f.field.at:][:f.size]
		var b [8]byte
		copy(b[:], place)
		v := f.form.at(r, binary.LittleEndian.Uint64(b[:]))
		binary.LittleEndian.PutUint64(b[:], v)
		copy(place, b[:])
	}
	return data
}

// places are the fields of a file that hold one kind of number. A kind is picked first, for the rare ones to come up.
type places []numberField

type numberField struct {
	field
	form
}

// form is how a number is in its field.
type form uint8

const (
	plain    form = iota
	aligned       // a power of two
	barriers      // bits 20 to 26
)

// at returns the field's bits with the number at a limit.
func (f form) at(r *Reader, was uint64) uint64 {
	switch f {
	case aligned:
		return 1 << (atLimit(r, was) % 13)
	case barriers:
		return was&^uint64(cuda.SHFBarrierMask) | atLimit(r, was>>cuda.SHFBarrierShift)<<cuda.SHFBarrierShift&uint64(cuda.SHFBarrierMask)
	}
	return atLimit(r, was)
}

// attributePlaces are the values of each attribute, not the symbols that sized ones begin with.
func attributePlaces(file *cubin.File) []places {
	var all [256]places
	for i := 1; i < file.NumSections(); i++ {
		s := file.Section(i)
		if !cubin.IsInfo(s.Type) {
			continue
		}
		at := s.Off
		records := file.Info(&s)
		for rec, ok := records.Next(); ok; rec, ok = records.Next() {
			p := &all[rec.Attr]
			switch {
			case rec.Attr == cuda.AttrExterns: // symbols
			case rec.Format == cuda.FormatByte:
				*p = append(*p, numberField{field: field{at + 2, 1}})
			case rec.Format == cuda.FormatHalf:
				*p = append(*p, numberField{field: field{at + 2, 2}})
			case rec.Format == cuda.FormatSized && len(rec.Data) == 4:
				*p = append(*p, numberField{field: field{at + 4, 4}})
			case rec.Format == cuda.FormatSized:
				for k := 4; k+4 <= len(rec.Data); k += 4 {
					*p = append(*p, numberField{field: field{at + 4 + uint64(k), 4}})
				}
			}
			at += uint64(rec.Len())
		}
	}
	return slices.DeleteFunc(all[:], func(p places) bool { return len(p) == 0 })
}

// symbolPlaces are sizes of variables and functions that a file defines, and what a shared or common variable is aligned to.
func symbolPlaces(file *cubin.File) []places {
	var all [2]places
	for i := range file.OfType(cuda.SHTSymtab) {
		s := file.Section(i)
		content := file.Content(&s)
		for at := cubin.SymbolSize; at+cubin.SymbolSize <= len(content); at += cubin.SymbolSize {
			in := int(binary.LittleEndian.Uint16(content[at+6:]))
			if content[at+4]&15 == byte(cuda.STTSection) || in == 0 {
				continue
			}
			all[0] = append(all[0], numberField{field: field{s.Off + uint64(at) + 16, 4}})
			named := ""
			if in < file.NumSections() {
				owner := file.Section(in)
				named = file.SectionName(&owner)
			}
			if named == "" || named == ".nv_debug.shared" {
				all[1] = append(all[1], numberField{field{s.Off + uint64(at) + 8, 4}, aligned})
			}
		}
	}
	return slices.DeleteFunc(all[:], func(p places) bool { return len(p) == 0 })
}

// sectionPlaces are alignments, registers and barriers of code, and sizes of sections that have no bytes.
func sectionPlaces(file *cubin.File) []places {
	var all [4]places
	for i := 1; i < file.NumSections(); i++ {
		s := file.Section(i)
		at := file.Header.ShOff + uint64(i)*cubin.SectionSize
		switch {
		case s.Flags&cuda.SHFAlloc == 0:
			continue
		case s.Flags&cuda.SHFExec != 0:
			all[1] = append(all[1], numberField{field: field{at + 47, 1}})
			all[3] = append(all[3], numberField{field{at + 8, 4}, barriers})
		case s.NoBits():
			all[2] = append(all[2], numberField{field: field{at + 32, 4}})
		}
		all[0] = append(all[0], numberField{field{at + 48, 2}, aligned})
	}
	return slices.DeleteFunc(all[:], func(p places) bool { return len(p) == 0 })
}

// readFields makes a recorded link with one number of a file changed by a bit, each kind of number as likely as another.
func readFields(r *Reader) (Question, error) {
	list, err := editable()
	if err != nil {
		return Question{}, err
	}
	return fieldsOf(&list[int(r.Uint16())%len(list)], r), nil
}

func fieldsOf(c *corpus.Case, r *Reader) Question { return changed(c, r, changeField) }

func changeField(r *Reader, original []byte) []byte {
	if _, err := cubin.Open("original", original); err != nil {
		return original
	}
	kinds := map[string][]corpus.Field{}
	for _, f := range corpus.Fields(original) {
		kinds[f.Kind] = append(kinds[f.Kind], f)
	}
	names := slices.Sorted(maps.Keys(kinds))
	of := kinds[names[r.Below(len(names))]]
	f := of[r.Below(len(of))]
	return f.Change(original, int(r.Byte()))
}

// changed is a recorded link with one of its files changed, or all.
func changed(c *corpus.Case, r *Reader, change func(*Reader, []byte) []byte) Question {
	q := Question{Release: c.Release, Args: optionsOf(c), From: []string{c.ID()}}
	one := r.Byte()
	for i, in := range c.Inputs {
		data := in.Data
		if one < 64 || int(one)%len(c.Inputs) == i {
			data = change(r, data)
		}
		q.Inputs = append(q.Inputs, engine.Input{Name: in.Name, Data: data})
	}
	return q
}

// optionsOf is a recorded command line without inputs and output.
func optionsOf(c *corpus.Case) (args []string) {
	for i, a := range c.Args {
		if a == "-o" || i > 0 && c.Args[i-1] == "-o" || slices.ContainsFunc(c.Inputs, func(in corpus.Input) bool { return in.Name == a }) {
			continue
		}
		args = append(args, a)
	}
	return args
}
