package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/oracle/check"
)

var update = flag.Bool("update", false, "record the rewritten files in testdata")

// image is a linked cubin for sm_90 whose tables can be renumbered as a stripper or
// another linker would have them.
type image struct {
	data     []byte
	sections []header
}

// header is a section header in words.
type header struct {
	name, kind, link, info uint32
	at, size               uint64
	bytes                  []byte
}

func open(data []byte) *image {
	m := &image{data: bytes.Clone(data)}
	at, n := binary.LittleEndian.Uint64(data[40:]), binary.LittleEndian.Uint16(data[60:])
	for i := range uint64(n) {
		b := m.data[at+64*i : at+64*i+64]
		u := binary.LittleEndian.Uint32
		m.sections = append(m.sections, header{name: u(b), kind: u(b[4:]), link: u(b[40:]), info: u(b[44:]),
			at: binary.LittleEndian.Uint64(b[24:]), size: binary.LittleEndian.Uint64(b[32:]), bytes: b})
	}
	return m
}

func (m *image) nameOf(h *header) string {
	names := m.sections[binary.LittleEndian.Uint16(m.data[62:])]
	s, _, _ := bytes.Cut(m.data[names.at+uint64(h.name):], []byte{0})
	return string(s)
}

func (m *image) body(h *header) []byte { return m.data[h.at : h.at+h.size] }

// renumber gives sections and symbols the numbers that the maps say; what maps to 0
// is gone. Every table that holds such numbers follows.
func (m *image) renumber(section, symbol []uint32) {
	word := func(b []byte, to []uint32) {
		binary.LittleEndian.PutUint32(b, to[binary.LittleEndian.Uint32(b)])
	}
	for i := range m.sections {
		h := &m.sections[i]
		body := m.body(h)
		switch h.kind {
		case 2: // symbols
			old := bytes.Clone(body)
			clear(body)
			left, locals := 0, 0
			for i := range uint32(len(old) / 24) {
				if to := symbol[i]; to != 0 || i == 0 {
					entry := body[24*to : 24*to+24]
					copy(entry, old[24*i:24*i+24])
					if s := binary.LittleEndian.Uint16(entry[6:]); s != 0 && s < 0xff00 {
						binary.LittleEndian.PutUint16(entry[6:], uint16(section[s]))
					}
					left++
					if entry[4]>>4 == 0 {
						locals++
					}
				}
			}
			binary.LittleEndian.PutUint64(h.bytes[32:], uint64(24*left))
			h.info = uint32(locals)
		case 4: // RELA
			for at := 0; at < len(body); at += 24 {
				word(body[at+12:], symbol)
			}
			h.info = section[h.info]
		case 0x70000000: // attributes
			for at := 0; at < len(body); {
				size := 4
				if body[at] == 4 {
					size += int(binary.LittleEndian.Uint16(body[at+2:]))
				}
				switch body[at+1] {
				case 0x0a, 0x11, 0x12, 0x2f: // PARAM_CBANK, FRAME_SIZE, MIN_STACK_SIZE, REGCOUNT
					word(body[at+4:], symbol)
				}
				at += size
			}
			h.info = section[h.info]
		case 0x70000001: // call graph: pairs after headings
			heading := uint32(0)
			for at := 0; at < len(body); at += 8 {
				x, y := binary.LittleEndian.Uint32(body[at:]), binary.LittleEndian.Uint32(body[at+4:])
				if x == 0 && y >= 0xfffffffc {
					heading = y
					continue
				}
				word(body[at:], symbol)
				if heading == 0xffffffff || heading == 0xfffffffc {
					word(body[at+4:], symbol)
				}
			}
		case 7: // a note
			if h.info != 0 {
				h.info = symbolOrSection(h, section)
			}
		default:
			if name := m.nameOf(h); strings.HasPrefix(name, ".text.") {
				h.info = h.info&0xff000000 | symbol[h.info&0xffffff]
			} else if h.info != 0 {
				h.info = section[h.info]
			}
		}
		binary.LittleEndian.PutUint32(h.bytes[44:], h.info)
		h.link = section[h.link]
		binary.LittleEndian.PutUint32(h.bytes[40:], h.link)
	}
	m.data[51] = byte(section[m.data[51]]) // e_flags has the number of .note.nv.cuinfo
	binary.LittleEndian.PutUint16(m.data[62:], uint16(section[binary.LittleEndian.Uint16(m.data[62:])]))
	table := binary.LittleEndian.Uint64(m.data[40:])
	list := make([][]byte, len(m.sections))
	n := 0
	for i := range m.sections {
		if to := section[i]; to != 0 || i == 0 {
			list[to] = bytes.Clone(m.sections[i].bytes)
			n++
		} else {
			clear(m.body(&m.sections[i]))
		}
	}
	for i := range m.sections {
		at := table + 64*uint64(i)
		clear(m.data[at : at+64])
		if i < n {
			copy(m.data[at:], list[i])
		}
	}
	binary.LittleEndian.PutUint16(m.data[60:], uint16(n))
}

// symbolOrSection is the number in a note's header: that of the section it is about.
func symbolOrSection(h *header, section []uint32) uint32 {
	if int(h.info) < len(section) {
		return section[h.info]
	}
	return h.info
}

// strip takes out debug information and the symbols of sections that nothing names, and
// renumbers.
func strip(data []byte) []byte {
	m := open(data)
	section := make([]uint32, len(m.sections))
	var symbols *header
	next := uint32(1)
	for i := 1; i < len(m.sections); i++ {
		h := &m.sections[i]
		if h.kind == 2 {
			symbols = h
		}
		if name := m.nameOf(h); !strings.HasPrefix(name, ".debug_") && !strings.HasPrefix(name, ".rela.debug_") {
			section[i], next = next, next+1
		}
	}
	symbol := make([]uint32, symbols.size/24)
	next = 1
	for i := 1; i < len(symbol); i++ {
		entry := m.data[symbols.at+24*uint64(i):]
		shndx := binary.LittleEndian.Uint16(entry[6:])
		bank := int(shndx) < len(m.sections) && strings.HasPrefix(m.nameOf(&m.sections[shndx]), ".nv.constant0.")
		if entry[4]%16 != 3 || bank { // PARAM_CBANK names the bank
			symbol[i], next = next, next+1
		}
	}
	m.renumber(section, symbol)
	return m.data
}

// reorder has the sections in reverse, and the symbols too, the local ones first.
func reorder(data []byte) []byte {
	m := open(data)
	n := uint32(len(m.sections))
	section := make([]uint32, n)
	var symbols *header
	for i := uint32(1); i < n; i++ {
		section[i] = n - i
		if m.sections[i].kind == 2 {
			symbols = &m.sections[i]
		}
	}
	count := uint32(symbols.size / 24)
	symbol := make([]uint32, count)
	for i := uint32(1); i < count; i++ {
		if i < symbols.info {
			symbol[i] = symbols.info - i
		} else {
			symbol[i] = count - 1 - (i - symbols.info)
		}
	}
	m.renumber(section, symbol)
	return m.data
}

// A file without debug information and section symbols, its numbers closed up, is the
// same program; so is one whose sections and symbols are in another order. docs/verify.md
// shows both.
func TestRewritten(t *testing.T) {
	right := read(t, "tables-right").Data
	inputs := []check.Input{read(t, "table1"), read(t, "table2")}
	for name, data := range map[string][]byte{"tables-stripped": strip(right), "tables-other": reorder(right)} {
		file := "testdata/" + name + ".cubin"
		if *update {
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if recorded, err := os.ReadFile(file); err != nil || !bytes.Equal(recorded, data) {
			t.Errorf("%s is not what the test makes (-update): %v", file, err)
		}
		if v := check.Check(inputs, data, check.Options{Arch: "sm_90"}); !v.Agrees() {
			t.Errorf("%s:\n%s", name, v)
		}
		if v := check.Check(inputs, data, check.Options{Arch: "sm_90", Strict: true}); v.Agrees() {
			t.Errorf("%s is accepted as nvlink's own", name)
		}
	}
	// The same without the tables that must follow.
	for _, broken := range []func(h *header) bool{
		func(h *header) bool { return h.kind == 0x70000000 },
		func(h *header) bool { return h.kind == 0x70000001 },
		func(h *header) bool { return h.kind == 4 },
	} {
		data := strip(right)
		was, is := open(right), open(data)
		for i := range was.sections {
			j := slices.IndexFunc(is.sections, func(h header) bool { return is.nameOf(&h) == was.nameOf(&was.sections[i]) })
			if broken(&was.sections[i]) && j > 0 {
				copy(is.body(&is.sections[j]), was.body(&was.sections[i]))
			}
		}
		if v := check.Check(inputs, is.data, check.Options{Arch: "sm_90"}); v.Agrees() {
			t.Error("accepted with the old numbers in a table")
		}
	}
}
