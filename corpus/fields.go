package corpus

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// Field is a place of a file where one number stands. Fields of a kind say the same of different things.
type Field struct {
	Kind string
	At   int
	Size int // in bytes, at most eight
}

// Change returns a copy of the file with the field's number changed: k is which of several changes.
func (f *Field) Change(file []byte, k int) []byte {
	out := bytes.Clone(file)
	out[f.At] ^= [...]byte{1, 4, 0x10}[k%3]
	return out
}

type fieldWalk struct {
	file  []byte
	names []byte
	list  []Field
}

// Fields lists the numbers of a 64-bit object with little-endian fields that has no more than 65,279 sections: of its
// headers, of each symbol, attribute, record and note, and of other contents the first and the last word.
func Fields(file []byte) []Field {
	le := binary.LittleEndian
	w := &fieldWalk{file: file}
	for _, f := range [][2]int{{4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {16, 2}, {18, 2}, {20, 4}, {24, 8}, {48, 4}, {49, 1}, {50, 1}, {52, 2}, {54, 2}, {56, 2}, {58, 2}, {62, 2}} {
		w.add(fmt.Sprintf("header +%d", f[0]), f[0], f[1])
	}
	table, count := int(le.Uint64(file[40:])), int(le.Uint16(file[60:]))
	header := func(i int) []byte { return file[table+64*i:][:64] }
	content := func(h []byte) (int, []byte) {
		at := int(le.Uint64(h[24:]))
		if at > len(file) || le.Uint64(h[32:]) > uint64(len(file)-at) {
			return 0, nil
		}
		return at, file[at:][:le.Uint64(h[32:])]
	}
	_, w.names = content(header(int(le.Uint16(file[62:]))))
	phoff, phnum := int(le.Uint64(file[32:])), int(le.Uint16(file[56:]))
	for i := range phnum {
		for _, f := range [][2]int{{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 8}} {
			w.add(fmt.Sprintf("segment %d +%d", le.Uint32(file[phoff+56*i:]), f[0]), phoff+56*i+f[0], f[1])
		}
	}
	for i := 1; i < count; i++ {
		h := header(i)
		kind := sectionKind(w.name(le.Uint32(h)))
		for _, f := range [][2]int{{0, 4}, {4, 4}, {8, 4}, {11, 1}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {47, 1}, {48, 8}, {56, 8}} {
			w.add(fmt.Sprintf("section %s +%d", kind, f[0]), table+64*i+f[0], f[1])
		}
		const noBits, global, local, shared = 8, 0x70000007, 0x70000009, 0x7000000a // sections without bytes
		switch le.Uint32(h[4:]) {
		case noBits, global, local, shared:
		default:
			at, b := content(h)
			w.content(kind, at, b, le.Uint64(h[56:]))
		}
	}
	return w.list
}

func (w *fieldWalk) add(kind string, at, size int) {
	if at+size <= len(w.file) {
		w.list = append(w.list, Field{kind, at, size})
	}
}

func (w *fieldWalk) name(at uint32) string {
	name, _, _ := strings.Cut(string(w.names[min(int(at), len(w.names)):]), "\x00")
	return name
}

// sectionKind is a section's name without the function's.
func sectionKind(name string) string {
	for _, part := range []string{".text.", ".nv.constant", ".nv.info.", ".nv.shared.", ".nv.local.", ".nv_debug_ptx_txt."} {
		if k := strings.Index(name, part); k >= 0 {
			return name[:k+len(part)]
		}
	}
	return name
}

// content adds the numbers of a section's bytes, by what its type says they are.
func (w *fieldWalk) content(kind string, at int, b []byte, entry uint64) {
	le := binary.LittleEndian
	switch {
	case strings.HasSuffix(kind, ".symtab"):
		for k := 24; k+24 <= len(b); k += 24 {
			in := "of a section"
			if s := le.Uint16(b[k+6:]); s == 0 || s >= 0xff00 {
				in = fmt.Sprintf("in %#x", s)
			}
			for _, f := range [][2]int{{4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}} {
				w.add(fmt.Sprintf("symbol %s %#x %s +%d", kind, b[k+4], in, f[0]), at+k+f[0], f[1])
			}
		}
	case strings.Contains(kind, ".nv.info") || strings.HasSuffix(kind, ".nv.compat"):
		w.attributes(kind, at, b)
	case strings.Contains(kind, ".rela") && entry == 24:
		for k := 0; k+24 <= len(b); k += 24 {
			for _, f := range [][2]int{{0, 8}, {8, 4}, {12, 4}, {16, 8}} {
				w.add(fmt.Sprintf("record %s %d +%d", kind, le.Uint32(b[k+8:]), f[0]), at+k+f[0], f[1])
			}
		}
	case strings.Contains(kind, ".rel") && entry == 16:
		for k := 0; k+16 <= len(b); k += 16 {
			for _, f := range [][2]int{{0, 8}, {8, 4}, {12, 4}} {
				w.add(fmt.Sprintf("record %s %d +%d", kind, le.Uint32(b[k+8:]), f[0]), at+k+f[0], f[1])
			}
		}
	case strings.Contains(kind, ".note") || strings.Contains(kind, ".nv.callgraph") || strings.Contains(kind, ".nv.prototype"):
		for k := 0; k+4 <= len(b) && k < 64; k += 4 {
			w.add(fmt.Sprintf("content %s +%d", kind, k), at+k, 4)
		}
	default:
		for _, k := range []int{0, 4, 8, 12, len(b)/2&^7 + 2, len(b) - 8, len(b) - 1} {
			if k >= 0 && k < len(b) {
				w.add(fmt.Sprintf("content %s %d", kind, min(k, 16)), at+k, 1)
			}
		}
	}
}

func (w *fieldWalk) attributes(kind string, at int, b []byte) {
	for k := 0; k+4 <= len(b); {
		attr := fmt.Sprintf("attribute %s %d", kind, b[k+1])
		w.add(attr+" format", at+k, 1)
		w.add(attr+" number", at+k+1, 1)
		w.add(attr+" value", at+k+2, 2)
		n := 0
		if b[k] == 4 {
			n = int(binary.LittleEndian.Uint16(b[k+2:]))
		}
		for j := 0; j+4 <= n; j += 4 {
			w.add(fmt.Sprintf("%s +%d", attr, min(j, 16)), at+k+4+j, 4)
		}
		k += 4 + (n+3)&^3
	}
}
