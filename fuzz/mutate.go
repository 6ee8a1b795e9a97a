package fuzz

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Changes to a real cubin. A random byte lands in code, where nothing looks;
// what a linker stumbles over is a count, an offset or an index. So most changes
// pick a field of the file's own tables and give it a value at some edge: zero,
// one more, the file's size, all ones.

// mutation is one thing that can be done to a file.
type mutation uint8

const (
	flipBit mutation = iota
	setByte
	truncate
	setHeader
	setSection
	setSymbol
	setReloc
	setContent
	copyBlock
	cutBlock
)

// chances is how often each is picked, of 32: a file that is cut or moved is
// refused at its first table, and says nothing about what comes after.
var chances = [...]struct {
	mutation
	of32 int
}{{flipBit, 4}, {setByte, 2}, {truncate, 1}, {setHeader, 1}, {setSection, 4}, {setSymbol, 6}, {setReloc, 5}, {setContent, 6}, {copyBlock, 2}, {cutBlock, 1}}

func pick(b byte) mutation {
	n := int(b % 32)
	for _, c := range chances {
		if n -= c.of32; n < 0 {
			return c.mutation
		}
	}
	return flipBit
}

// edits is how many changes a byte stands for: most often one, and 0 for 0.
func edits(b byte) int {
	switch {
	case b == 0:
		return 0
	case b < 160:
		return 1
	case b < 224:
		return 2
	}
	return 1 + int(b%MaxEdits)
}

// MaxEdits is how many changes a case makes to a file at most.
const MaxEdits = 8

// Mutate returns a copy of a file, changed as r says. What the tables are is
// read off the original, whatever earlier changes did.
func Mutate(r *Reader, original []byte) []byte {
	data := bytes.Clone(original)
	file, err := cubin.Open("original", original)
	if err != nil {
		file = nil
	}
	for range edits(r.Byte()) {
		data = mutateOnce(r, data, file)
	}
	return data
}

func mutateOnce(r *Reader, data []byte, file *cubin.File) []byte {
	kind := pick(r.Byte())
	if file == nil && kind >= setSection && kind <= setContent {
		kind = setByte
	}
	switch kind {
	case flipBit:
		if at := r.Below(len(data)); at < len(data) {
			data[at] ^= 1 << (r.Byte() % 8)
		}
	case setByte:
		if at := r.Below(len(data)); at < len(data) {
			data[at] = r.Byte()
		}
	case truncate:
		return data[:r.Below(len(data))]
	case setHeader:
		setField(r, data, 0, headerFields[:])
	case setSection:
		i := r.Below(file.NumSections())
		setField(r, data, file.Header.ShOff+uint64(i)*cubin.SectionSize, sectionFields[:])
	case setSymbol:
		if at, ok := entry(r, file, cubin.IsSymbols, cubin.SymbolSize); ok {
			setField(r, data, at, symbolFields[:])
		}
	case setReloc:
		// A record's size is its section's; the fields of REL are RELA's first.
		if at, ok := entry(r, file, cubin.IsRelocs, 8); ok {
			setField(r, data, at, wordFields[:])
		}
	case setContent:
		if at, ok := entry(r, file, isTable, 4); ok {
			setField(r, data, at, wordFields[:])
		}
	case copyBlock:
		n, from, to := 1+r.Below(128), r.Below(len(data)), r.Below(len(data))
		if from < len(data) && to < len(data) {
			copy(data[to:], bytes.Clone(data[from:min(from+n, len(data))]))
		}
	case cutBlock:
		n, from := 1+r.Below(64), r.Below(len(data))
		if from < len(data) {
			data = append(data[:from], data[min(from+n, len(data)):]...)
		}
	}
	return data
}

// isTable is what holds words that the linker reads: everything but code.
func isTable(t cuda.SectionType) bool {
	return cubin.IsInfo(t) || cubin.IsCallgraph(t) || cubin.IsPrototype(t) || cubin.IsRelocs(t) || cubin.IsSymbols(t)
}

// entry picks a section of some type that has bytes, and in it a place that is a
// multiple of step.
func entry(r *Reader, file *cubin.File, want func(cuda.SectionType) bool, step uint64) (uint64, bool) {
	var list []cubin.Section
	for i := 1; i < file.NumSections(); i++ {
		s := file.Section(i)
		if want(s.Type) && uint64(len(file.Content(&s))) >= step {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return 0, false
	}
	s := list[r.Below(len(list))]
	return s.Off + step*uint64(r.Below(int(s.Size/step))), true
}

// field is a number in a table: its place in the entry, and its bytes.
type field struct{ at, size uint64 }

var (
	headerFields = [...]field{{4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {16, 2}, {18, 2}, {20, 4}, {24, 8}, {32, 8}, {40, 8}, {48, 4},
		{52, 2}, {54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}}
	sectionFields = [...]field{{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}}
	symbolFields  = [...]field{{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}}
	wordFields    = [...]field{{0, 1}, {0, 2}, {2, 2}, {0, 4}, {0, 8}}
)

// setField gives one field of an entry another value.
func setField(r *Reader, data []byte, entry uint64, fields []field) {
	f := fields[r.Below(len(fields))]
	if entry > math.MaxInt64 || entry+f.at+f.size > uint64(len(data)) {
		return
	}
	place := data[entry+f.at:][:f.size]
	var b [8]byte
	copy(b[:], place)
	v := binary.LittleEndian.Uint64(b[:])
	size := uint64(len(data))
	switch r.Byte() % 12 {
	case 0:
		v = 0
	case 1:
		v++
	case 2:
		v--
	case 3:
		v = ^uint64(0)
	case 4:
		v = 1 << (8*f.size - 1)
	case 5:
		v = 1<<(8*f.size-1) - 1
	case 6:
		v = size
	case 7:
		v = size - uint64(r.Byte())
	case 8:
		v += 1 << (r.Byte() % 64)
	case 9:
		v ^= 1 << (r.Byte() % 64)
	case 10:
		v = uint64(r.Byte())
	default:
		v = r.Uint64()
	}
	binary.LittleEndian.PutUint64(b[:], v)
	copy(place, b[:])
}
