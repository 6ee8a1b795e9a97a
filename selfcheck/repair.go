package selfcheck

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// repair is what the Mercury side says of a stretch of the SASS side, noted
// where the two disagree.
type repair struct {
	section int
	off     uint64
	data    []byte
	whole   bool // data is all of the section
}

// field is number for a field of the SASS side that can be rewritten.
func (c *checker) field(k Kind, a Aspect, section int, off uint64, width int, what string, expected, found uint64) {
	if expected == found {
		return
	}
	c.add(k, a, section, off, what, hex(expected), hex(found))
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], expected)
	c.repair(section, off, b[:width])
}

func (c *checker) repair(section int, off uint64, data []byte) {
	if c.opts.keepRepairs {
		c.repairs = append(c.repairs, repair{section, off, append([]byte(nil), data...), false})
	}
}

// repairWord notes an instruction.
func (c *checker) repairWord(section int, off uint64, w Word) {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], w.Lo)
	binary.LittleEndian.PutUint64(b[8:], w.Hi)
	c.repair(section, off, b[:])
}

// repairRelocs notes all records of a section.
func (c *checker) repairRelocs(section int, list []cubin.Reloc) {
	if !c.opts.keepRepairs || c.m.Sections[section].Type != cuda.SHTRela {
		return
	}
	data := make([]byte, 0, len(list)*cubin.RelaSize)
	for i := range list {
		var b [cubin.RelaSize]byte
		list[i].PutRela(&b)
		data = append(data, b[:]...)
	}
	c.repairs = append(c.repairs, repair{section, 0, data, true})
}

func (p *repair) apply(d *cubin.Editor) error {
	if p.whole {
		return d.SetData(p.section, p.data)
	}
	return d.Patch(p.section, p.off, p.data)
}

// Reconstitute checks a file and returns it with its SASS side as the Mercury
// side has it: instructions of stored nodes, symbols, attributes, relocations,
// code addresses in data, padding. What Mercury can't tell stays: PLAIN
// instructions, which are the source of Mercury, scheduling, and forms that the
// report counts as unknown. A file that passes comes back byte for byte. A
// refused file gives no bytes.
func Reconstitute(name string, data []byte, opts Options) (*Report, []byte, error) {
	opts.keepRepairs = true
	r, c := check(name, data, opts)
	if r.Verdict == Refused {
		return r, nil, nil
	}
	d := c.m.File.Editor()
	resized := false
	for i := range c.repairs {
		p := &c.repairs[i]
		resized = resized || p.whole && len(p.data) != len(d.Data(p.section))
		if err := p.apply(d); err != nil {
			return r, nil, err
		}
	}
	if resized {
		if err := d.Layout(); err != nil {
			return r, nil, err
		}
	}
	out, err := d.Encode()
	return r, out, err
}
