package tables

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// compatValue is one attribute of .nv.compat.
type compatValue struct {
	attr  cuda.CompatAttr
	value uint64
	also  uint64 // right as well
	quiet bool   // no input says it
}

// unsaid are the values that -r of nvlink 13.0 and 13.5 writes for objects without
// .nv.compat: nothing that another target could do, every form of tensor map, the first Mercury.
var unsaid = map[cuda.CompatAttr]uint64{cuda.CompatISAClass: 0, cuda.CompatInstTcgen05MMA: 0, cuda.CompatInstTensormapV1: 3,
	cuda.CompatEnableOpportunisticFinalization: 1, cuda.CompatMercuryISAMajorMinor: 0x100}

// wantCompat combines the inputs' attributes.
//
//	9  accelerator     from the target
//	2  ISA class       the largest, but 0 if any is 0
//	5  tcgen05         the same for each pair of bits
//	7  Mercury ISA     the largest
//	3  tensor maps     all bits
//	6  finalization    the common value, 1 where they differ
//
// Later ones have no 6 and write 11 to 14 as well (nvJitLink 13.2, nvlink 13.5).
func (c *check) wantCompat() ([]compatValue, error) {
	in, err := c.compatOfInputs()
	if err != nil {
		return nil, err
	}
	want := c.compatOfLink(in)
	for _, attr := range [...]cuda.CompatAttr{cuda.CompatISAClass, cuda.CompatInstTcgen05MMA, cuda.CompatMercuryISAMajorMinor,
		cuda.CompatInstTensormapV1, cuda.CompatEnableOpportunisticFinalization} {
		if values := in.seen[attr]; len(values) > 0 {
			w := compatValue{attr: attr, value: combine(attr, values), quiet: !in.said[attr]}
			w.also = w.value
			if value, written := unsaid[attr]; in.silent && written {
				w.also = combine(attr, append(values, value))
			}
			want = append(want, w)
		}
	}
	return want, nil
}

// inputCompat is what the inputs say.
type inputCompat struct {
	seen   map[cuda.CompatAttr][]uint64 // values, those for what an input doesn't say among them
	said   map[cuda.CompatAttr]bool
	silent bool // some input says nothing
}

func (c *check) compatOfInputs() (*inputCompat, error) {
	in := &inputCompat{seen: map[cuda.CompatAttr][]uint64{}, said: map[cuda.CompatAttr]bool{}, silent: c.silentInput()}
	for _, m := range c.Modules {
		for i := range m.Sections {
			if m.Sections[i].Kind != cuda.SHTCudaCompat {
				continue
			}
			list, err := m.ReadAttributes(&m.Sections[i], c.Budget)
			if err != nil {
				return nil, err
			}
			in.add(list, c.Out.Side)
		}
	}
	return in, nil
}

// add adds what one section says. What -r made of objects of 12.x says nothing but the accelerator, and 12.8 and 12.9 no
// version of Mercury.
func (in *inputCompat) add(list []image.Attribute, side image.Side) {
	has := map[cuda.CompatAttr]bool{}
	for _, a := range list {
		attr := cuda.CompatAttr(a.Attr)
		has[attr], in.said[attr] = true, true
		in.seen[attr] = append(in.seen[attr], image.Number(a.Value, 0, uint64(min(len(a.Value), 8))))
	}
	for _, attr := range [...]cuda.CompatAttr{cuda.CompatISAClass, cuda.CompatInstTensormapV1, cuda.CompatMercuryISAMajorMinor} {
		if !has[attr] && (attr != cuda.CompatMercuryISAMajorMinor || side != image.Whole) {
			in.seen[attr] = append(in.seen[attr], unsaid[attr])
		}
	}
}

// compatOfLink are the attributes that come from the target and from the code that was written.
func (c *check) compatOfLink(in *inputCompat) []compatValue {
	if c.FirstMercury() {
		return nil
	}
	accelerator := uint64(0)
	if c.accelerated() {
		accelerator = 1
	}
	want := []compatValue{{attr: cuda.CompatAcceleratorTarget, value: accelerator, also: accelerator}}
	if c.Out.Side != image.Whole {
		w := compatValue{attr: cuda.CompatCanFastpathFinalize, value: c.fastPath()}
		if w.also = w.value; slices.Contains(in.seen[cuda.CompatISAClass], classForScheduling) {
			w.also &^= fastPath121
		}
		want = append(want, w)
	}
	return want
}

// silentInput reports whether some input is silent, or all were executables, which nvlink omits: what -r made of
// these is silent too.
func (c *check) silentInput() bool {
	return len(c.Modules) == 0 || slices.ContainsFunc(c.Modules, c.silent)
}

// silent reports whether an input says nothing of what it needs: it has no .nv.compat, as
// up to 12.x, or only what the linker writes of itself in it, as what -r of 13.0 made of such inputs. A
// second link by 13.0 writes all values of unsaid for these.
func (c *check) silent(m *link.Module) bool {
	for i := range m.Sections {
		if m.Sections[i].Kind != cuda.SHTCudaCompat {
			continue
		}
		list, err := m.ReadAttributes(&m.Sections[i], c.Budget)
		if err != nil || slices.ContainsFunc(list, func(a image.Attribute) bool {
			return cuda.CompatAttr(a.Attr) != cuda.CompatAcceleratorTarget && cuda.CompatAttr(a.Attr) != cuda.CompatCanFastpathFinalize
		}) {
			return false
		}
	}
	return true
}

// compatFormat is the format of an attribute.
func compatFormat(attr cuda.CompatAttr) cuda.InfoFormat {
	switch attr {
	case cuda.CompatMercuryISAMajorMinor, cuda.CompatMercuryISAPatch, 13, 14:
		return cuda.FormatHalf
	case cuda.CompatCanFastpathFinalize:
		return cuda.FormatSized
	}
	return cuda.FormatByte
}

// Code for sm_120 whose class is 4 is rescheduled for sm_121, so that the bit for it is
// not set.
//
// Source: an object whose class was changed, by nvlink 13.0.88.
const (
	classForScheduling = 4
	fastPath121        = 0x40
)

// fastPath is attribute 11, which the finalizer takes from the code it wrote:
// on sm_100 1, and 8 more where there is no arithmetic on doubles, but for their plain comparison
// with an immediate, no FSETP with an immediate that combines with no predicate, and no product of matrices of
// integers or doubles; on sm_120 0x50; elsewhere, and without code, 0.
//
// Source: 362 inputs and outputs of nvlink 13.0.88, 22 kernels that compare floats, 38 with doubles, and 171 of one
// kind of instruction each.
func (c *check) fastPath() uint64 {
	switch c.SM {
	case 120:
		if slices.ContainsFunc(c.Out.Sections, func(s image.Section) bool { return link.IsCode(&s) }) {
			return 0x50
		}
		return 0
	case 100:
	default:
		return 0
	}
	mask := uint64(0)
	for i := range c.Out.Sections {
		s := &c.Out.Sections[i]
		if !link.IsCode(s) {
			continue
		}
		mask |= 9
		for at := uint64(0); at+sass.Instruction <= s.Size; at += sass.Instruction {
			w, _ := image.Cut(s.Body, at, sass.Instruction)
			switch op := sass.Opcode(w); {
			case op == 0x42a && image.Number(w, 8, 8)>>20%128 == 63: // DSETP with an immediate, into one predicate alone
			case op == 0x80b && image.Number(w, 8, 8)>>23%8 == 7, op%256 >= 0x28 && op%256 <= 0x2b, // FSETP; DMUL, DADD, DSETP, DFMA
				op == 0x237, op == 0x23f: // IMMA, DMMA
				return 1
			}
		}
	}
	return mask
}

func combine(attr cuda.CompatAttr, values []uint64) uint64 {
	result := values[0]
	for _, v := range values[1:] {
		switch attr {
		case cuda.CompatISAClass:
			result = absorb(result, v)
		case cuda.CompatInstTcgen05MMA:
			pairs := uint64(0)
			for shift := 0; shift < 64; shift += 2 {
				pairs += absorb(result>>shift%4, v>>shift%4) << shift
			}
			result = pairs
		case cuda.CompatMercuryISAMajorMinor:
			result = max(result, v)
		case cuda.CompatInstTensormapV1:
			result |= v
		default:
			if result != v {
				result = 1
			}
		}
	}
	return result
}

// absorb is the larger of two numbers, and 0 where one is 0.
func absorb(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

func (c *check) compareCompat(s *image.Section) error {
	got, err := c.Out.ReadAttributes(s, c.Budget)
	if err != nil {
		return c.Unreadable(err)
	}
	want, err := c.wantCompat()
	if err != nil {
		return err
	}
	tell := func(attr cuda.CompatAttr, want, got string) {
		c.Verdict.Add(verdict.Finding{Kind: verdict.CompatValue, Section: s.Name, Want: want, Got: got, Detail: attr.String()})
	}
	have := map[cuda.CompatAttr]uint64{}
	for _, a := range got {
		attr := cuda.CompatAttr(a.Attr)
		if _, twice := have[attr]; twice {
			tell(attr, "once", "twice")
		}
		if want := compatFormat(attr); a.Format != want {
			tell(attr, fmt.Sprintf("format %d", want), fmt.Sprintf("format %d", a.Format))
		}
		have[attr] = image.Number(a.Value, 0, uint64(min(len(a.Value), 8)))
	}
	for _, w := range want {
		g, ok := have[w.attr]
		delete(have, w.attr)
		switch {
		case w.attr == cuda.CompatCanFastpathFinalize && c.Release != 130: // its rule was seen with 13.0 only
		case !ok && w.quiet && w.attr == cuda.CompatMercuryISAMajorMinor && c.Release != 130:
		case !ok && (c.Release <= 130 || w.attr != cuda.CompatEnableOpportunisticFinalization && w.attr != cuda.CompatInstTcgen05MMA):
			tell(w.attr, fmt.Sprint(w.value), "")
		case w.attr == cuda.CompatAcceleratorTarget && c.Options.Arch == "":
			// Nothing else says what the target was.
		case ok && g != w.value && g != w.also:
			tell(w.attr, fmt.Sprint(w.value), fmt.Sprint(g))
		}
	}
	for _, a := range got {
		if value, written := unsaid[cuda.CompatAttr(a.Attr)]; written && have[cuda.CompatAttr(a.Attr)] == value && c.silentInput() {
			continue
		}
		if _, left := have[cuda.CompatAttr(a.Attr)]; left && (c.Release <= 130 || a.Attr < 11 || a.Attr > 14) {
			tell(cuda.CompatAttr(a.Attr), "", fmt.Sprint(have[cuda.CompatAttr(a.Attr)]))
		}
	}
	return nil
}
