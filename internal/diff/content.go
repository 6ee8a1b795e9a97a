package diff

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
)

// rowSize is how many bytes of data are one difference.
const rowSize = 16

// strings compares the string tables: which strings, and in which order.
func (c *comparison) strings() {
	for _, name := range [...]string{".shstrtab", ".strtab"} {
		a, b := c.a.content(name), c.b.content(name)
		if bytes.Equal(a, b) {
			continue
		}
		x, y := bytes.Split(a, []byte{0}), bytes.Split(b, []byte{0})
		i := 0
		for i < min(len(x), len(y)) && bytes.Equal(x[i], y[i]) {
			i++
		}
		tell := func(list [][]byte) string {
			if i >= len(list) {
				return fmt.Sprintf("%d strings, none at %d", len(list), i)
			}
			return fmt.Sprintf("%d strings, %q at %d", len(list), list[i], i)
		}
		c.values(name[1:], tell(x), tell(y))
	}
}

func (s *side) content(name string) []byte {
	sec := s.file.Section(s.byName[name])
	return s.file.Content(&sec)
}

// contents compares the bytes of the sections that aren't decoded: code by
// instruction, the rest by rows.
func (c *comparison) contents() {
	done := make(map[string]bool)
	for i := 1; i < c.a.file.NumSections(); i++ {
		s := c.a.file.Section(i)
		name := c.a.file.SectionName(&s)
		j := c.b.byName[name]
		if j == 0 || done[name] || decoded(s.Type) {
			continue
		}
		done[name] = true
		t := c.b.file.Section(j)
		a, b := c.a.file.Content(&s), c.b.file.Content(&t)
		if bytes.Equal(a, b) {
			continue
		}
		if fn, ok := strings.CutPrefix(name, ".text."); ok {
			size := instructionSize(c.a.file.Header.SM())
			c.rows("text."+fn, a, b, size, c.kept(i, j, size))
			continue
		}
		c.rows("data"+dotted(name), a, b, rowSize, nil)
	}
}

// decoded reports whether a section's content is compared as facts.
func decoded(t cuda.SectionType) bool {
	switch t {
	case cuda.SHTSymtab, cuda.SHTStrtab, cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela, cuda.SHTNote,
		cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaRelocInfo, cuda.SHTCudaCompat,
		cuda.SHTMercInfo, cuda.SHTMercRela, cuda.SHTMercResolvedRela:
		return true
	}
	return false
}

func instructionSize(sm cuda.SM) int {
	if sm < 70 {
		return 8
	}
	return 16
}

// rows compares bytes row by row; mask clears bits that don't count.
func (c *comparison) rows(key string, a, b []byte, size int, masks map[int][]byte) {
	for off := 0; off < max(len(a), len(b)); off += size {
		x, y := row(a, off, size), row(b, off, size)
		if bytes.Equal(x, y) {
			continue
		}
		if mask := masks[off]; mask != nil && len(x) == size && len(y) == size && equalUnder(mask, x, y) {
			continue
		}
		c.differ(fmt.Sprintf("%s.0x%x", key, off), rowText(x), rowText(y))
	}
}

func row(data []byte, off, size int) []byte {
	if off >= len(data) {
		return nil
	}
	return data[off:min(len(data), off+size)]
}

func rowText(row []byte) *string {
	if row == nil {
		return nil
	}
	text := fmt.Sprintf("%x", row)
	return &text
}

func equalUnder(mask, x, y []byte) bool {
	for i := range x {
		if (x[i]^y[i])&mask[i] != 0 {
			return false
		}
	}
	return true
}

// kept returns, by instruction, the bits that count where both files have a
// RELA record of the same type: its field is overwritten whatever it holds.
func (c *comparison) kept(i, j, size int) map[int][]byte {
	a, b := c.a.places(i), c.b.places(j)
	masks := make(map[int][]byte)
	for rec := range a {
		if !b[rec] || rec.typ >= cuda.RelocCount || rec.off%uint64(size) != 0 || rec.off > 1<<30 {
			continue
		}
		mask := masks[int(rec.off)]
		if mask == nil {
			mask = bytes.Repeat([]byte{0xff}, size)
			masks[int(rec.off)] = mask
		}
		d := &descriptor.Table[rec.typ]
		for k := range descriptor.Slots {
			if s := d.Slot(k); s.Action != descriptor.End && int(s.First+s.Width) <= 8*size {
				descriptor.Insert(mask, 0, s.First, s.Width)
			}
		}
	}
	return masks
}

type place struct {
	off uint64
	typ uint32
}

// places collects the RELA records of a section.
func (s *side) places(target int) map[place]bool {
	out := make(map[place]bool)
	for _, i := range s.relas[target] {
		sec := s.file.Section(i)
		table, err := s.file.Relocs(&sec)
		if err != nil {
			continue
		}
		for k := range table.Len() {
			rec := table.At(k)
			out[place{rec.Off, rec.Type}] = true
		}
	}
	return out
}
