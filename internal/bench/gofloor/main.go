//go:build linux

// Command gofloor is floor.c in plain Go: what the language costs a linker that decides
// nothing. It maps the inputs, hashes every name, copies every section, adds a symbol's
// value at every relocation and writes the file once. Inputs must be sound; its tables are
// the heap's.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

func main() {
	debug.SetGCPercent(-1) // it ends before it is worth it
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "gofloor:", err)
		os.Exit(1)
	}
}

var le = binary.LittleEndian

// input is a mapped file.
type input struct {
	data    []byte
	headers []byte
	names   []byte
}

func (f *input) len() int            { return len(f.headers) / cubin.SectionSize }
func (f *input) header(k int) header { return f.headers[k*cubin.SectionSize:][:cubin.SectionSize] }

func (f *input) content(h header) []byte { return f.data[le.Uint64(h[24:]):][:h.size()] }

// header is a section header as it is in the file.
type header []byte

func (h header) typ() cuda.SectionType { return cuda.SectionType(le.Uint32(h[4:])) }
func (h header) size() uint64          { return le.Uint64(h[32:]) }
func (h header) link() int             { return int(le.Uint32(h[40:])) }
func (h header) info() int             { return int(le.Uint32(h[44:])) }

// section is what is kept of a section: its header, its name's number, where it lies.
type section struct {
	header header
	name   uint32
	off    uint64
}

// linker is the state of a link.
type linker struct {
	names
	inputs   []input
	sections []section
	symbols  []cubin.Symbol
	symbolOf []uint32 // by name
	of       []uint32 // by symbol of the input: its name
	out      []byte
	at       uint64
}

func run(output string, paths []string) error {
	l := &linker{inputs: make([]input, len(paths))}
	total, sections, symbols := 0, 0, 0
	for i, path := range paths {
		f, err := open(path)
		if err != nil {
			return err
		}
		l.inputs[i] = f
		total, sections = total+len(f.data), sections+f.len()
		for k := range f.len() {
			if h := f.header(k); h.typ() == cuda.SHTSymtab {
				symbols += int(h.size() / cubin.SymbolSize)
			}
		}
	}
	l.begin(sections + symbols)
	l.sections, l.symbols = make([]section, 0, sections), make([]cubin.Symbol, 1, symbols+1)
	l.symbolOf = make([]uint32, sections+symbols+1)
	var err error
	if l.out, err = pages(total + total/4); err != nil {
		return err
	}
	l.at = cubin.HeaderSize
	for i := range l.inputs {
		l.merge(&l.inputs[i])
	}
	first := 0
	for i := range l.inputs {
		l.relocate(&l.inputs[i], l.sections[first:])
		first += l.inputs[i].len() - 1
	}
	l.putTables()
	if err := os.WriteFile(output+".tmp", l.out[:l.at], 0o600); err != nil {
		return err
	}
	return os.Rename(output+".tmp", output)
}

// pages returns memory in large pages, as the C program has all of its own.
func pages(n int) ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, err
	}
	return b, syscall.Madvise(b, syscall.MADV_HUGEPAGE)
}

func open(path string) (input, error) {
	f, err := os.Open(path)
	if err != nil {
		return input{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return input{}, err
	}
	in := input{}
	if in.data, err = syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE); err != nil {
		return input{}, err
	}
	in.headers = in.data[le.Uint64(in.data[40:]):][:int(le.Uint16(in.data[60:]))*cubin.SectionSize]
	in.names = in.content(in.header(int(le.Uint16(in.data[62:]))))
	return in, nil
}

// names are numbers of names.
type names struct {
	slots []struct{ hash, id uint32 }
	text  [][]byte
}

func (n *names) begin(expect int) {
	size := 1
	for size < 2*expect {
		size *= 2
	}
	n.slots = make([]struct{ hash, id uint32 }, size)
	n.text = make([][]byte, 1, expect+1)
}

// id returns the number of the name at an offset of a string table.
func (n *names) id(table []byte, off uint32) uint32 {
	s := table[off:]
	s = s[:bytes.IndexByte(s, 0)]
	h := uint64(1469598103934665603)
	rest := s
	for ; len(rest) >= 8; rest = rest[8:] {
		h = (h ^ le.Uint64(rest)) * 0x9E3779B97F4A7C15
		h ^= h >> 29
	}
	for _, c := range rest {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	h ^= h >> 32
	hash, mask := uint32(h)|1, uint64(len(n.slots)-1)
	at := h * 0x9E3779B1 >> 7 & mask
	for ; n.slots[at].hash != 0; at = (at + 1) & mask {
		if e := n.slots[at]; e.hash == hash && bytes.Equal(n.text[e.id], s) {
			return e.id
		}
	}
	n.text = append(n.text, s)
	n.slots[at].hash, n.slots[at].id = hash, uint32(len(n.text)-1)
	return n.slots[at].id
}

// merge copies the sections of an input and merges its symbols.
func (l *linker) merge(f *input) {
	offsets := make([]uint64, f.len())
	var symbols, strings []byte
	for k := 1; k < f.len(); k++ {
		s := section{header: f.header(k), name: l.id(f.names, le.Uint32(f.header(k)))}
		switch s.header.typ() {
		case cuda.SHTSymtab:
			symbols, strings = f.content(s.header), f.content(f.header(s.header.link()))
		case cuda.SHTStrtab, cuda.SHTNobits, cuda.SHTRela, cuda.SHTRel:
		default:
			s.off = alignUp(l.at, le.Uint64(s.header[48:]))
			l.at = s.off + uint64(copy(l.out[s.off:], f.content(s.header)))
			offsets[k] = s.off
		}
		l.sections = append(l.sections, s)
	}
	for k := cubin.SymbolSize; k < len(symbols); k += cubin.SymbolSize {
		s := symbols[k:][:cubin.SymbolSize]
		e := cubin.Symbol{Info: s[4], Other: s[5], Shndx: le.Uint16(s[6:]), Value: le.Uint64(s[8:]), Size: le.Uint64(s[16:])}
		if int(e.Shndx) < len(offsets) {
			e.Value += offsets[e.Shndx]
		}
		name := l.id(strings, le.Uint32(s))
		switch id := l.symbolOf[name]; {
		case id == 0:
			l.symbolOf[name] = uint32(len(l.symbols))
			l.symbols = append(l.symbols, e)
		case e.Shndx != 0:
			l.symbols[id] = e
		}
	}
}

// relocate adds symbols' values at the places that an input's records name. Its sections
// are the first of those given.
func (l *linker) relocate(f *input, sections []section) {
	for k := 1; k < f.len(); k++ {
		h := f.header(k)
		switch h.typ() {
		case cuda.SHTSymtab:
			l.nameSymbols(f.content(h), f.content(f.header(h.link())))
		case cuda.SHTRela, cuda.SHTRel:
			size := cubin.RelaSize
			if h.typ() == cuda.SHTRel {
				size = cubin.RelSize
			}
			to := sections[h.info()-1]
			body := l.out[to.off:][:to.header.size()]
			for b := f.content(h); to.off != 0 && len(b) >= size; b = b[size:] {
				value := l.symbols[l.symbolOf[l.of[le.Uint32(b[12:])]]].Value
				if size == cubin.RelaSize {
					value += le.Uint64(b[16:])
				}
				if at := le.Uint64(b); at+16 <= uint64(len(body)) {
					place := body[at+4:]
					le.PutUint32(place, le.Uint32(place)^uint32(value))
				}
			}
		}
	}
}

// nameSymbols looks up the names of an input's symbols again.
func (l *linker) nameSymbols(symbols, strings []byte) {
	l.of = slices.Grow(l.of[:0], len(symbols)/cubin.SymbolSize)[:len(symbols)/cubin.SymbolSize]
	for k := range l.of {
		l.of[k] = l.id(strings, le.Uint32(symbols[k*cubin.SymbolSize:]))
	}
}

// putTables writes names, symbols and headers after the sections.
func (l *linker) putTables() {
	offsets := make([]uint32, len(l.text))
	for i, s := range l.text {
		offsets[i] = uint32(l.at)
		l.at += uint64(copy(l.out[l.at:], s)) + 1
	}
	l.at = alignUp(l.at, 8)
	for _, s := range l.symbols[1:] {
		s.Put((*[cubin.SymbolSize]byte)(l.out[l.at:]))
		l.at += cubin.SymbolSize
	}
	for i := range l.sections {
		if s := &l.sections[i]; s.off != 0 {
			b := l.out[l.at:][:cubin.SectionSize]
			copy(b, s.header)
			le.PutUint32(b, offsets[s.name])
			le.PutUint64(b[24:], s.off)
			l.at += cubin.SectionSize
		}
	}
}

func alignUp(n, align uint64) uint64 {
	if align == 0 {
		return n
	}
	return (n + align - 1) &^ (align - 1)
}
