package capsule

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The Mercury group of a file is the sections with SHF_NV_MERC. Each stands
// for a SASS section:
//
//	.nv.capmerc + X                          X, by the section index in its first word
//	.nv.merc + X                             X
//	.nv.merc.nv.constant.user                .nv.constant3
//	.nv.merc.nv.constant.pic                 .nv.constant4
//	.nv.merc.nv.constant.optimizer.F         .nv.constant2.F
//	.nv.merc.nv.constant.entry_image_header_indices.F    the end of .nv.constant0.F
//	.nv.merc.rela + X                        .rela + X, renamed the same
//
// Names alone don't pair them: two static functions of one file have sections
// of equal names. What belongs to a function is paired by its owner.
//
// Source: objects of ptxas 13.0.88 and 13.5.37; linked images of nvlink
// 13.0.86 hold equal names.

const (
	mercPrefix    = ".nv.merc"
	capmercPrefix = ".nv.capmerc"
)

// Section is a section header with its name and bytes.
type Section struct {
	cubin.Section
	Name    string
	Content []byte
}

// Mercury reports whether the section belongs to the Mercury group.
func (s *Section) Mercury() bool { return s.Flags&cuda.SHFMercury != 0 }

// Func is a function that has a capsule. Indices of sections that it lacks are 0.
type Func struct {
	Name             string // its text section without ".text."
	Text, Capsule    int
	Info, MercInfo   int
	Rela, MercRela   int
	Optim, MercOptim int      // constants of the compiler
	Symbol           uint32   // index of the function's symbol, by the capsule's sh_info
	Cap              *Capsule // nil where the capsule can't be decoded
	Unsized          []uint32 // see [Capsule.Locate]
	Code             []byte   // the bytes of Text

	fault *Fault // of the capsule
}

// Image is a file with its SASS and its Mercury side found and paired.
type Image struct {
	File     *cubin.File
	Sections []Section
	SASS     Symbols
	Merc     Symbols
	Funcs    []Func
	Faults   []error // *cubin.Error: what can't be decoded

	counterpart []int32 // by section: its counterpart on the other side, 0 for none
	funcOf      []int32 // by section of a text or a capsule: index into Funcs plus 1
	broken      []broken
}

// broken is a capsule that can't be decoded.
type broken struct {
	section int
	fault   *Fault
}

// Open finds and pairs both sides of a file. What is malformed inside a
// section is in Faults; the rest is there all the same.
func Open(f *cubin.File) *Image {
	m := open(f)
	for i := range m.Funcs {
		m.Decode(i, nil)
	}
	m.Decoded()
	m.pair()
	return m
}

// OpenLean is Open with capsules that keep where every 32nd node stands, and decode again
// those that are asked for. [Image.Decode] has to be called for each function, and
// [Image.Decoded] when all were.
func OpenLean(f *cubin.File) *Image {
	m := open(f)
	m.pair()
	return m
}

// open finds both sides and the functions, whose capsules aren't decoded.
func open(f *cubin.File) *Image {
	n := f.NumSections()
	m := &Image{File: f, Sections: make([]Section, n), counterpart: make([]int32, n), funcOf: make([]int32, n)}
	symtab, merc := 0, 0
	for i := 1; i < n; i++ {
		s := f.Section(i)
		m.Sections[i] = Section{s, f.SectionName(&s), f.Content(&s)}
		switch {
		case s.Type == cuda.SHTSymtab && symtab == 0:
			symtab = i
		case s.Type == cuda.SHTMercSymtab && merc == 0:
			merc = i
		}
	}
	for _, t := range [...]struct {
		index int
		to    *Symbols
	}{{symtab, &m.SASS}, {merc, &m.Merc}} {
		if t.index != 0 {
			var fault *Fault
			*t.to, fault = m.readSymbols(t.index)
			m.fault(t.index, fault)
		}
	}
	m.findCapsules()
	return m
}

// Decode decodes the capsule of a function. It is lean where there is share.
// Different functions may be decoded at once.
func (m *Image) Decode(i int, share *Recent) {
	fn := &m.Funcs[i]
	c, unsized, fault := decode(m.Sections[fn.Capsule].Content, uint64(len(fn.Code)), fn.Code, share)
	if fn.fault = fault; fault == nil {
		fn.Cap, fn.Unsized = c, unsized
	}
}

// Decoded adds what was wrong with capsules to Faults.
func (m *Image) Decoded() {
	for i := range m.Funcs {
		if fn := &m.Funcs[i]; fn.fault != nil {
			m.broken = append(m.broken, broken{fn.Capsule, fn.fault})
		}
	}
	slices.SortFunc(m.broken, func(a, b broken) int { return a.section - b.section })
	for _, b := range m.broken {
		m.fault(b.section, b.fault)
	}
	m.broken = nil
}

func (m *Image) fault(section int, f *Fault) {
	if f != nil {
		m.Faults = append(m.Faults, f.In(m.File.Name, m.Sections[section].Name))
	}
}

// IsMercury reports whether the file has a capsule.
func (m *Image) IsMercury() bool { return len(m.Funcs) > 0 || m.Merc.Index != 0 }

// Counterpart returns the counterpart of a section on the other side, 0 for none.
func (m *Image) Counterpart(i int) int {
	if i <= 0 || i >= len(m.counterpart) {
		return 0
	}
	return int(m.counterpart[i])
}

// FuncOf returns the function whose text or capsule section i is, nil for none.
func (m *Image) FuncOf(i uint32) *Func {
	if uint64(i) >= uint64(len(m.funcOf)) || m.funcOf[i] == 0 {
		return nil
	}
	return &m.Funcs[m.funcOf[i]-1]
}

// findCapsules finds the functions.
func (m *Image) findCapsules() {
	n := 0
	for i := range m.Sections {
		if m.Sections[i].Type == cuda.SHTCudaCapmerc {
			n++
		}
	}
	m.Funcs = make([]Func, 0, n)
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Type != cuda.SHTCudaCapmerc || !s.Mercury() {
			continue
		}
		fn := Func{Capsule: i, Symbol: s.Info, Name: strings.TrimPrefix(strings.TrimPrefix(s.Name, capmercPrefix), ".text.")}
		head, ok := cubin.Window(s.Content, 0, 4)
		if !ok {
			m.broken = append(m.broken, broken{i, bad(0, uint64(len(s.Content)), "a capsule of that many bytes has no header")})
			continue
		}
		text := binary.LittleEndian.Uint32(head)
		if text == 0 || uint64(text) >= uint64(len(m.Sections)) || m.Sections[text].Mercury() || m.Sections[text].Flags&cuda.SHFExec == 0 {
			m.broken = append(m.broken, broken{i, &Fault{cubin.BadIndex, 0, uint64(text), "the capsule's first word is not a text section"}})
			continue
		}
		if m.funcOf[text] != 0 {
			m.broken = append(m.broken, broken{i, &Fault{cubin.BadIndex, 0, uint64(text), "the capsule's first word is the text of another capsule"}})
			continue
		}
		fn.Text, fn.Code = int(text), m.Sections[text].Content
		m.Funcs = append(m.Funcs, fn)
		m.funcOf[text], m.funcOf[i] = int32(len(m.Funcs)), int32(len(m.Funcs))
		m.counterpart[text], m.counterpart[i] = int32(i), int32(text)
	}
}

// pair finds the counterparts of all sections but texts and capsules.
func (m *Image) pair() {
	byName, of := map[string]*candidates{}, make([]*candidates, len(m.Sections))
	for i := range m.Sections {
		s := &m.Sections[i]
		rest, ok := strings.CutPrefix(s.Name, mercPrefix)
		if !ok || !s.Mercury() || m.counterpart[i] != 0 {
			continue
		}
		name := sassName(rest)
		if of[i] = byName[name]; of[i] == nil {
			of[i] = &candidates{}
			byName[name] = of[i]
		}
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if c := byName[s.Name]; c != nil && !s.Mercury() {
			c.all = append(c.all, int32(i))
		}
	}
	for i, c := range of {
		if c != nil {
			m.pairOne(i, c)
		}
	}
	for i := range m.Sections {
		m.enlist(i)
	}
}

// candidates is the SASS sections of one name, in order.
type candidates struct {
	all     []int32
	next    int                // all before it have a counterpart
	byOwner map[uint32][]int32 // where there are several: by sh_info
}

// pairOne pairs Mercury section i with the first of the candidates that has no
// counterpart yet; where there are several and i has an owner, with one whose owner is
// the counterpart of i's.
func (m *Image) pairOne(i int, c *candidates) {
	s := &m.Sections[i]
	if s.Flags&cuda.SHFInfoLink == 0 || s.Info == 0 || len(c.all) == 1 {
		for c.next < len(c.all) && m.counterpart[c.all[c.next]] != 0 {
			c.next++
		}
		if c.next < len(c.all) {
			m.join(i, c.all[c.next])
		}
		return
	}
	if c.byOwner == nil {
		c.byOwner = map[uint32][]int32{}
		for _, k := range c.all {
			owner := m.Sections[k].Info
			c.byOwner[owner] = append(c.byOwner[owner], k)
		}
	}
	owner := uint32(m.Counterpart(int(s.Info)))
	for list := c.byOwner[owner]; len(list) > 0; list = c.byOwner[owner] {
		k := list[0]
		c.byOwner[owner] = list[1:]
		if m.counterpart[k] == 0 {
			m.join(i, k)
			return
		}
	}
}

func (m *Image) join(i int, k int32) { m.counterpart[i], m.counterpart[k] = k, int32(i) }

// sassName returns the name on the SASS side of what .nv.merc was before.
func sassName(rest string) string {
	if x, ok := strings.CutPrefix(rest, ".rela"); ok {
		return ".rela" + sassName(x)
	}
	switch {
	case rest == ".nv.constant.user":
		return ".nv.constant3"
	case rest == ".nv.constant.pic":
		return ".nv.constant4"
	}
	if f, ok := strings.CutPrefix(rest, ".nv.constant.optimizer."); ok {
		return ".nv.constant2." + f
	}
	return rest
}

// enlist notes section i with the function that it belongs to.
func (m *Image) enlist(i int) {
	s := &m.Sections[i]
	if s.Flags&cuda.SHFInfoLink == 0 {
		return
	}
	fn := m.FuncOf(s.Info)
	if fn == nil {
		return
	}
	if !s.Mercury() {
		switch {
		case strings.HasPrefix(s.Name, ".nv.info."):
			fn.Info = i
		case s.Type == cuda.SHTRela:
			fn.Rela = i
		case strings.HasPrefix(s.Name, ".nv.constant2."):
			fn.Optim = i
		}
		return
	}
	switch s.Type {
	case cuda.SHTMercInfo:
		fn.MercInfo = i
	case cuda.SHTMercRela:
		fn.MercRela = i
	case cuda.SHTMercOptimizer:
		fn.MercOptim = i
	}
}
