package selfcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Every byte of the file is accounted for once: as compared with the other
// side, or with what follows from it; as looked at for itself, whether it has a
// form that the tools write; or as unchecked.

// Depth is how far something was checked.
type Depth uint8

const (
	Unchecked Depth = iota
	Form            // that it could be so
	Compared        // with what another part of the file says
)

func (d Depth) String() string { return [...]string{"unchecked", "form only", "compared"}[d] }

// Share is the bytes of a file that were checked alike.
type Share struct {
	Bytes int
	Depth Depth
	What  string
}

// part is a stretch of the file. Where stretches overlap the first given counts.
type part struct {
	off, end uint64
	depth    Depth
	what     string
}

// coverage adds what becomes of the instructions to the shares.
func (c *checker) coverage() {
	c.split(c.shares)
	for s, n := range c.shares {
		if n > 0 {
			s.Bytes = n
			c.report.Coverage = append(c.report.Coverage, s)
		}
	}
	slices.SortFunc(c.report.Coverage, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Depth, a.Depth), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.What, b.What))
	})
}

// stretches finds the shares, all instructions as one.
func (c *checker) stretches() {
	data := c.m.File.Data
	shares := map[Share]int{}
	at := uint64(0)
	for _, p := range c.parts() {
		if p.off > at {
			c.gap(at, p.off, shares)
			at = p.off
		}
		if p.end > at {
			shares[Share{Depth: p.depth, What: p.what}] += int(p.end - at)
			at = p.end
		}
	}
	if rest := uint64(len(data)) - min(at, uint64(len(data))); rest > 0 {
		if !c.farHeaders() || zeros(data[at:]) < int(rest) {
			c.add(Text, Content, 0, at, "bytes after the last section and table", "none", fmt.Sprint(rest))
		}
		shares[Share{Depth: Form, What: "bytes after everything"}] += int(rest)
	}
	c.shares = shares
}

// gap accounts for what is between sections, which is zero.
func (c *checker) gap(from, to uint64, shares map[Share]int) {
	b := c.m.File.Data[from:min(to, uint64(len(c.m.File.Data)))]
	shares[Share{Depth: Compared, What: "padding between sections: zero"}] += len(b)
	if k := zeros(b); k < len(b) {
		c.add(Text, Content, 0, from+uint64(k), "byte between sections", "0x0", hex(b[k]))
	}
}

// parts returns the stretches of the file in order.
func (c *checker) parts() []part {
	h := &c.m.File.Header
	list := append(make([]part, 0, len(c.m.Sections)+3),
		part{0, cubin.HeaderSize, Compared, "ELF header"},
		part{h.ShOff, h.ShOff + uint64(len(c.m.Sections))*cubin.SectionSize, Compared, "section headers"})
	if n := uint64(h.PhNum); n > 0 {
		list = append(list, part{h.PhOff, h.PhOff + n*cubin.ProgSize, Compared, "program headers"})
	}
	for i := 1; i < len(c.m.Sections); i++ {
		s := &c.m.Sections[i]
		if s.NoBits() || len(s.Content) == 0 {
			continue
		}
		depth, what := c.sectionDepth(i, s)
		list = append(list, part{s.Off, s.Off + uint64(len(s.Content)), depth, what})
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(a.off, b.off) })
	return list
}

// whatText is the share that split takes apart.
const whatText = "instructions"

// sectionDepth says how far the bytes of a section are checked.
func (c *checker) sectionDepth(i int, s *capsule.Section) (Depth, string) {
	counterpart := c.m.Counterpart(i)
	fn := c.m.FuncOf(uint32(i))
	switch {
	case fn != nil && fn.Cap == nil:
		return Unchecked, "functions whose capsule can't be read"
	case fn != nil && fn.Text == i:
		return Compared, whatText
	case fn != nil:
		return Compared, "capsules"
	case s.Type == cuda.SHTSymtab, s.Type == cuda.SHTMercSymtab:
		return Compared, "symbols"
	case s.Type == cuda.SHTRela, s.Type == cuda.SHTMercRela, s.Type == cuda.SHTCudaResolvedRela:
		return Compared, "relocations"
	case s.Type == cuda.SHTCudaInfo, s.Type == cuda.SHTMercInfo:
		return Compared, "attributes"
	case s.Type == cuda.SHTStrtab:
		return Form, "names"
	case s.Type == cuda.SHTNote && s.Name == ".note.nv.tkinfo":
		return Form, ".note.nv.tkinfo: its form; tool, release and options are nowhere else"
	case s.Type == cuda.SHTNote, s.Type == cuda.SHTCudaCompat:
		return Compared, "notes and .nv.compat: with the header and the code"
	case strings.HasPrefix(s.Name, constant0):
		return Compared, "constant bank 0: zero, with the parameters' size"
	case isImageHeaders(s.Name):
		return Compared, "slots of images"
	case counterpart == 0 && (s.Type == cuda.SHTCudaCallgraph || s.Type == cuda.SHTCudaPrototype):
		return Form, "call graph and prototypes: numbers of functions"
	case counterpart == 0:
		return Unchecked, "sections that only one side has: " + family(s.Name)
	case c.m.Sections[counterpart].Off == s.Off:
		return Unchecked, "one stretch for both sides: " + family(s.Name)
	case strings.HasPrefix(s.Name, ".nv.shared.reserved"), strings.HasPrefix(s.Name, ".nv.merc.nv.shared.reserved"):
		return Unchecked, "bytes of reserved shared memory"
	}
	return Compared, "data and debug sections with a copy for each side"
}

// family is the name of a section without that of its function and its side.
func family(name string) string {
	name = strings.Replace(name, ".nv.merc.", ".", 1)
	if prefix, ok := strings.CutPrefix(name, ".nv_debug"); ok {
		return ".nv_debug" + strings.TrimRight(prefix, "0123456789.")
	}
	parts := strings.SplitN(name, ".", 4) // .nv.constant2.F
	return strings.Join(parts[:min(3, len(parts))], ".")
}

// split takes apart the share of instructions, by what is known of each node:
// of 128 bits 21 are the schedule.
func (c *checker) split(shares map[Share]int) {
	total := shares[Share{Depth: Compared, What: whatText}]
	delete(shares, Share{Depth: Compared, What: whatText})
	k := &c.report.covered
	word := func(n int) int { return n * capsule.WordSize * (128 - scheduleBits) / 128 }
	add := func(d Depth, what string, n int) { shares[Share{Depth: d, What: what}] += n; total -= n }
	add(Compared, "instructions of records, made again", word(k.made))
	add(Compared, "padding of texts", capsule.WordSize*k.padding)
	add(Form, "instructions of PLAIN and tag-only nodes: opcode, bits that never vary, registers, targets", word(k.alike))
	add(Unchecked, "instructions of an unknown form", word(k.unknown))
	shares[Share{Depth: Form, What: "scheduling of instructions: that its values exist"}] += max(total, 0)
}

const scheduleBits = 21

// wordCount counts words of SASS by how far they are checked.
type wordCount struct{ made, alike, unknown, padding int }
