package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/relayout"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check"
)

// A link whose shared variables and constants are at other places, as another linker may have them. Their places are
// in the code, and the inputs' records say where: each is applied again. Nothing is moved where a record could be
// missed, or where carrying one out for the old place doesn't give what the output has.

// memory is what of a link is moved.
type memory struct {
	out       *file
	code      map[string]*header
	variables map[string]*variable
	order     []*variable
}

// variable is a shared variable or a constant.
type variable struct {
	name        string
	shared      bool
	size, align uint64
	at, to      uint64
	mentions    []mention
}

// mention is a record of code about a variable.
type mention struct {
	number uint32
	in     oracle.Inputs
	code   string
	place  []byte // in the input
}

// constantsLength is a symbol whose records ask how long the constants are.
const constantsLength = ".nv.ptx.const0.size"

// otherMemory moves what can be moved, and says how many variables that were.
func otherMemory(inputs []check.Input, output []byte, seed uint64) ([]byte, int) {
	m := &memory{out: open(output, splitmix.New(seed)), code: map[string]*header{}, variables: map[string]*variable{}}
	if !m.plain() || !m.read(inputs) || !m.find() {
		return nil, 0
	}
	m.moveShared()
	other, to, err := relayout.Constants(m.out.bytes, seed)
	if err != nil {
		return nil, 0
	}
	m.out = open(other, splitmix.New(seed))
	m.findCode()
	moved := 0
	for _, v := range m.order {
		if !v.shared {
			v.to = v.at
			if at, ok := to[v.at]; ok {
				v.to = at
			} else if len(to) > 0 {
				return nil, 0
			}
		}
		for i := range v.mentions {
			m.write(&v.mentions[i], v.to)
		}
		if v.to != v.at {
			moved++
		}
	}
	return m.out.bytes, moved
}

// plain reports whether an output is a final image of one side, each function once.
func (m *memory) plain() bool {
	if m.out.get(16, 2) != cuda.ETExec || len(m.out.symtabs) != 1 {
		return false
	}
	return m.findCode()
}

// findCode finds the functions by name, each once.
func (m *memory) findCode() bool {
	clear(m.code)
	for i := range m.out.sections {
		h := &m.out.sections[i]
		if h.code() && m.code[h.name] != nil {
			return false
		} else if h.code() {
			m.code[h.name] = h
		}
	}
	return true
}

const constants = ".nv.constant3"

// read takes the records about variables from the inputs; false: something isn't as simple as that.
func (m *memory) read(inputs []check.Input) bool {
	defined, functions := map[string]bool{}, map[string]bool{}
	var files []*file
	for _, in := range inputs {
		f := open(in.Data, nil)
		if len(f.symtabs) != 1 {
			return false
		}
		files = append(files, f)
		for i := range f.sections {
			if h := &f.sections[i]; h.code() && functions[h.name] {
				return false // which of them stands isn't asked
			} else if h.code() {
				functions[h.name] = true
			}
		}
		for _, s := range f.symbols(&f.sections[f.symtabs[0]]) {
			if s.name == constantsLength {
				return false // it changes with their places
			}
			if defined[s.name] = defined[s.name] || s.kind != byte(cuda.STTSection) && f.inConstants(&s); s.kind != byte(cuda.STTSection) && s.other&cuda.STOSpace == cuda.STOShared {
				m.note(len(files), &s, true)
			}
		}
	}
	for n, f := range files {
		symbols := f.symbols(&f.sections[f.symtabs[0]])
		for i := range f.sections {
			if h := &f.sections[i]; (h.kind == kindRel || h.kind == kindRela) && !m.readRecords(f, h, symbols, n+1, defined) {
				return false
			}
		}
	}
	return true
}

// inConstants reports whether a symbol is in the bank of constants.
func (f *file) inConstants(s *symbol) bool {
	return s.shndx > 0 && int(s.shndx) < len(f.sections) && f.sections[s.shndx].name == constants
}

// note is the variable of a symbol: of one name if it isn't local.
func (m *memory) note(input int, s *symbol, shared bool) *variable {
	key := s.name
	if s.bind == 0 {
		key = fmt.Sprintf("%d %s", input, s.name)
	}
	v := m.variables[key]
	if v == nil {
		v = &variable{name: s.name, shared: shared, align: 16}
		m.variables[key] = v
		m.order = append(m.order, v)
	}
	if v.size = max(v.size, s.size); shared {
		v.align = max(v.align, s.value) // which is its alignment in an object
	}
	return v
}

// readRecords takes those of one section.
func (m *memory) readRecords(f *file, h *header, symbols []symbol, input int, defined map[string]bool) bool {
	width := uint64(16)
	if h.kind == kindRela {
		width = 24
	}
	target := &f.sections[h.info]
	for _, at := range f.entries(h, width) {
		s := &symbols[f.get(at+12, 4)]
		shared := s.other&cuda.STOSpace == cuda.STOShared
		about := shared || f.inConstants(s) || s.bind != 0 && defined[s.name]
		if s.kind == byte(cuda.STTSection) {
			name := f.sections[s.shndx].name
			about = name == constants || strings.HasPrefix(name, ".nv.shared")
		}
		to := m.code[target.name]
		switch {
		case !about || target.code() && to == nil:
			continue
		case !target.code() || s.kind == byte(cuda.STTSection) || to.size != target.size:
			return false
		}
		number := uint32(f.get(at+8, 4))
		recipe, err := oracle.RecipeOf(number)
		if err != nil {
			return false
		}
		x := mention{number: number, code: target.name, in: oracle.Inputs{Rela: h.kind == kindRela, P: f.get(at, 8), SectionType: cuda.SHTCudaConstant0 + 3}}
		if shared {
			x.in.SectionType = cuda.SHTCudaShared
		}
		if x.in.Rela {
			x.in.A = int64(f.get(at+16, 8))
		}
		x.place = f.bytes[target.off+x.in.P:][:recipe.Bytes()]
		v := m.note(input, s, shared)
		v.mentions = append(v.mentions, x)
	}
	return true
}

// find finds the places that variables have in the output, by what its code says; false: that isn't clear.
func (m *memory) find() bool {
	places := map[string]uint64{}
	for _, s := range m.out.symbols(&m.out.sections[m.out.symtabs[0]]) {
		if _, twice := places[s.name]; twice {
			places[s.name] = 1 << 63
		} else if m.out.inConstants(&s) {
			places[s.name] = s.value
		}
	}
	m.order = slices.DeleteFunc(m.order, func(v *variable) bool { return len(v.mentions) == 0 })
	for _, v := range m.order {
		if v.at = places[v.name]; v.shared {
			if v.size == 0 {
				return false // an array of unknown length
			}
			v.at = m.told(&v.mentions[0])
		}
		for i := range v.mentions {
			if !m.says(&v.mentions[i], v.at) {
				return false
			}
		}
	}
	return true
}

// at is where a mention is in the output's bytes.
func (m *memory) at(x *mention) uint64 { return m.code[x.code].off + x.in.P }

// told is the place of a variable by one mention.
func (m *memory) told(x *mention) uint64 {
	none, err := oracle.Apply(x.number, x.place, x.in)
	if err != nil || len(none.Written()) == 0 {
		return 0
	}
	field := none.Written()[0]
	now := bits(m.out.bytes[m.at(x):], field)
	return (now - bits(none.Bytes, field)) & (1<<min(field.Width, 32) - 1)
}

// says reports whether the output has what a mention gives for a place.
func (m *memory) says(x *mention, place uint64) bool {
	in := x.in
	in.S = place
	o, err := oracle.Apply(x.number, x.place, in)
	return err == nil && !slices.ContainsFunc(o.Written(), func(f oracle.Field) bool { return bits(o.Bytes, f) != bits(m.out.bytes[m.at(x):], f) })
}

// write carries a mention out for a place.
func (m *memory) write(x *mention, place uint64) {
	in := x.in
	in.S = place
	o, err := oracle.Apply(x.number, x.place, in)
	if err != nil {
		return
	}
	for _, f := range o.Written() {
		for n := range f.Width {
			at, bit := m.at(x)+uint64(f.Start+n)/8, (f.Start+n)%8
			m.out.bytes[at] = m.out.bytes[at]&^(1<<bit) | o.Bytes[(f.Start+n)/8]&(1<<bit)
		}
	}
}

// bits are the lowest 64 bits of a field.
func bits(place []byte, f oracle.Field) (n uint64) {
	for k := range min(f.Width, 64) {
		n |= uint64(place[(f.Start+k)/8]>>((f.Start+k)%8)&1) << k
	}
	return n
}

// reserved is how much shared memory the system keeps for itself from sm_90 on, which symbols count and code doesn't.
const reserved = 0x400

// moveShared puts the shared variables one after the other, in another order and with gaps, and has each kernel that uses some ask for
// so much more.
func (m *memory) moveShared() {
	var list []*variable
	base := uint64(1 << 32)
	for _, v := range m.order {
		if v.shared {
			list, base = append(list, v), min(base, v.at)
		}
	}
	splitmix.Shuffle(m.out.r, list)
	end := base
	for _, v := range list {
		v.to = (end + uint64(m.out.r.Below(3))*v.align + v.align - 1) / v.align * v.align
		end = v.to + v.size
	}
	for _, s := range m.out.symbols(&m.out.sections[m.out.symtabs[0]]) {
		if int(s.shndx) >= len(m.out.sections) || s.kind == byte(cuda.STTSection) {
			continue
		}
		if home := m.out.sections[s.shndx].name; !strings.HasPrefix(home, ".nv.shared.") && home != ".nv_debug.shared" {
			continue
		}
		for _, v := range list {
			if before := s.value - v.at; v.name == s.name && (before == 0 || before == reserved) {
				m.out.put(s.at+8, 8, before+v.to)
			}
		}
	}
	for i := range m.out.sections {
		if h := &m.out.sections[i]; strings.HasPrefix(h.name, ".nv.shared.") && h.size > 0 && len(list) > 0 {
			m.out.put(h.at+32, 8, h.size+end-base)
		}
	}
}
