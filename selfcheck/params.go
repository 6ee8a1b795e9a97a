package selfcheck

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
)

// added checks the attributes that the finalizer appends.
func (c *checker) added(fn *capsule.Func, merc, tail []record) {
	size, params := paramSize(merc)
	c.parameters(fn, merc)
	images := c.hasImages(fn)
	var want []cuda.InfoAttr
	if params {
		want = append(want, cuda.AttrCbankParamSize, cuda.AttrParamCbank)
	}
	if bank := c.constant0Of(fn); bank != 0 && !params && !images {
		c.constantBank(fn, bank, 0)
	}
	want = append(want, cuda.AttrSwWar)
	for _, r := range tail {
		if r.Attr == attr103 || r.Attr == attr107 || r.Attr == attr109 {
			want = append(want, r.Attr)
			c.leave(exSASSOnlyInfo)
		}
	}
	if images {
		want = append(want, cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank)
	}
	if len(tail) != len(want) {
		c.add(Text, Count, fn.Info, 0, "attributes that the finalizer adds", fmt.Sprint(len(want)), fmt.Sprint(len(tail)))
		return
	}
	for k := range tail {
		r := &tail[k]
		if r.Attr != want[k] {
			c.add(Text, Content, fn.Info, r.at, "attribute", fmt.Sprint(want[k]), attrName(r))
			continue
		}
		c.addedOne(fn, r, size)
	}
}

func (c *checker) addedOne(fn *capsule.Func, r *record, size uint16) {
	at := r.at + 4
	wrong := func(expected string) { c.add(Text, Content, fn.Info, r.at, r.Attr.String(), expected, attrValue(r)) }
	switch r.Attr {
	case cuda.AttrCbankParamSize:
		if r.Format != cuda.FormatHalf || r.Value != size {
			wrong(hex(size))
			c.repair(fn.Info, r.at+2, []byte{byte(size), byte(size >> 8)})
		}
	case cuda.AttrParamCbank:
		if r.Format != cuda.FormatSized || len(r.Data) != 8 {
			wrong("8 bytes")
			return
		}
		bank := c.constant0Of(fn)
		s := c.m.SASS.At(binary.LittleEndian.Uint32(r.Data))
		if s == nil || s.Type() != cuda.STTSection || bank == 0 || int(s.Section) != bank {
			wrong("the symbol of the kernel's " + constant0[:len(constant0)-1])
			return
		}
		c.field(Text, Content, fn.Info, at+4, 4, r.Attr.String(), paramBase|uint64(size)<<16, uint64(binary.LittleEndian.Uint32(r.Data[4:])))
		c.constantBank(fn, bank, uint64(size))
	case cuda.AttrSwWar:
		if r.Format != cuda.FormatSized || len(r.Data) != 4 || binary.LittleEndian.Uint32(r.Data)&^8 != 0 {
			wrong("0 or 8")
			return
		}
		c.leave(exSoftwareWAR)
	case attr103:
		want := uint16(0)
		if hasQMMA(fn.Code) {
			want = 1
		}
		if r.Format != cuda.FormatByte || r.Value != want {
			wrong(hex(want))
		}
	case attr107:
		if r.Format != cuda.FormatHalf || r.Value != 1 {
			wrong("1")
		}
	case attr109:
		if r.Format != cuda.FormatByte || r.Value > 1 {
			wrong("0 or 1")
		}
	case cuda.AttrBindlessTextureBank, cuda.AttrBindlessSurfaceBank:
		if r.Format != cuda.FormatByte || r.Value != 0 {
			wrong("0")
		}
	}
}

func attrValue(r *record) string {
	if r.Format == cuda.FormatSized {
		return fmt.Sprintf("%x", r.Data)
	}
	return hex(r.Value)
}

// paramSize returns where the parameters end, and false where there are none.
func paramSize(merc []record) (uint16, bool) {
	end, any := uint32(0), false
	for k := range merc {
		if p, ok := parameterOf(&merc[k]); ok {
			end, any = max(end, p.at+p.size), true
		}
	}
	return uint16(end), any
}

// constant0Of returns the section of a kernel's constant bank 0.
func (c *checker) constant0Of(fn *capsule.Func) int { return int(c.bank0[fn.Text]) }

// constantBank checks the size of bank 0: the parameters end it, but for slots of
// textures and surfaces.
func (c *checker) constantBank(fn *capsule.Func, bank int, size uint64) {
	s := &c.m.Sections[bank]
	want := paramBase + size
	if images := c.images[fn.Capsule]; images != 0 {
		slots := c.m.Sections[images].Size
		if s.Size < want+slots || s.Size > (c.largestBank()+15)&^15+slots || (s.Size-slots)%16 != 0 {
			c.add(Text, Metadata, bank, 0, "size of the constant bank", "room for the parameters and "+fmt.Sprint(slots/4)+" slots", hex(s.Size))
		}
	} else {
		c.number(Text, Metadata, bank, 0, "size of the constant bank", want, s.Size)
	}
	if k := zeros(s.Content); k < len(s.Content) {
		c.number(Text, Content, bank, uint64(k), "constant bank 0", 0, uint64(s.Content[k]))
	}
}

// zeros returns how many zeros bytes begin with.
func zeros(b []byte) (n int) {
	const block = 64
	for len(b)-n >= block && [block]byte(b[n:]) == ([block]byte{}) {
		n += block
	}
	for len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:]) == 0 {
		n += 8
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// largestBank returns the size that no kernel's parameters go beyond.
func (c *checker) largestBank() uint64 {
	var most uint64
	for _, k := range c.bank0 {
		most = max(most, c.m.Sections[k].Size)
	}
	return most
}

// hasImages reports whether a kernel has slots of textures or surfaces.
func (c *checker) hasImages(fn *capsule.Func) bool { return c.images[fn.Capsule] != 0 }
