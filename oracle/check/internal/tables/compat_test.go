package tables

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// compatOf is a section of attributes as a text has them: "2=1 7h=100", each an attribute with its value, both hexadecimal,
// with h of two bytes, with s of four and a size. "-" is no section.
func compatOf(t *testing.T, text string) *image.Section {
	t.Helper()
	if text == "-" {
		return nil
	}
	s := &image.Section{Name: ".nv.compat", Kind: cuda.SHTCudaCompat, Index: 1}
	for word := range strings.FieldsSeq(text) {
		name, rest, _ := strings.Cut(word, "=")
		format := strings.TrimLeft(name, "0123456789abcdef")
		var attr, value uint64
		if n, _ := fmt.Sscanf(strings.TrimSuffix(name, format)+" "+rest, "%x %x", &attr, &value); n < 2 {
			t.Fatalf("%q", word)
		}
		switch format {
		case "h":
			s.Body = append(s.Body, byte(cuda.FormatHalf), byte(attr), byte(value), byte(value>>8))
		case "s":
			s.Body = append(s.Body, byte(cuda.FormatSized), byte(attr), 4, 0, byte(value), byte(value>>8), byte(value>>16), byte(value>>24))
		default:
			s.Body = append(s.Body, byte(cuda.FormatByte), byte(attr), byte(value), 0)
		}
	}
	s.Size = uint64(len(s.Body))
	return s
}

// linkOf is a link of inputs that have no more than .nv.compat.
func linkOf(t *testing.T, release oracle.Release, arch string, side image.Side, inputs ...string) *check {
	c := &check{apply.New(&link.Link{Release: release, Options: verdict.Options{Arch: arch}, SM: verdict.SmOf(arch), Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: &image.Image{Side: side}}})}
	for _, text := range inputs {
		m := &link.Module{Image: &image.Image{Sections: []image.Section{{}}}}
		if s := compatOf(t, text); s != nil {
			m.Sections = append(m.Sections, *s)
		}
		c.Modules = append(c.Modules, m)
	}
	return c
}

// said are the findings in words: what is compared, what is wanted and what was found.
func said(c *check) string {
	var list []string
	for _, f := range c.Verdict.Findings {
		list = append(list, fmt.Sprintf("%s %s/%s", f.Detail, f.Want, f.Got))
	}
	return strings.Join(list, "; ")
}

// TestCompat combines the attributes of inputs. 9 is the accelerator, 2 the ISA class, 5 tcgen05, 7 the Mercury ISA, 3 tensor maps,
// 6 finalization, b the fast path.
func TestCompat(t *testing.T) {
	whole, sass := image.Whole, image.SassSide
	a := []string{"2=1 3=1 5=4 6=1 7h=101 9=0"}
	two := func(x, y string) []string { return []string{x, y} }
	for i, x := range []struct {
		release oracle.Release
		arch    string
		side    image.Side
		inputs  []string
		output  string
		want    string
	}{
		// One input: as it is, but for the accelerator, which the target has.
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101", ""},
		{130, "sm_90a", whole, a, "9=1 2=1 3=1 5=4 6=1 7h=101", ""},
		{130, "sm_90a", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101", "CUDA_ACCELERATOR_TARGET 1/0"},
		{130, "sm_90", whole, a, "9=1 2=1 3=1 5=4 6=1 7h=101", "CUDA_ACCELERATOR_TARGET 0/1"},
		{130, "sm_90", whole, a, "2=1 3=1 5=4 6=1 7h=101", "CUDA_ACCELERATOR_TARGET 0/"},
		{130, "sm_90", whole, a, "9=0 2=2 3=1 5=4 6=1 7h=101", "ISA_CLASS 1/2"},
		{130, "sm_90", whole, a, "9=0 3=1 5=4 6=1 7h=101", "ISA_CLASS 1/"},
		{130, "sm_90", whole, a, "9=0 2=1 2=1 3=1 5=4 6=1 7h=101", "ISA_CLASS once/twice"},
		{130, "sm_90", whole, a, "9=0 2=1 3=3 5=4 6=1 7h=101", "INST_TENSORMAP_V1 1/3"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=8 6=1 7h=101", "INST_TCGEN05_MMA 4/8"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=0 7h=101", "ENABLE_OPPORTUNISTIC_FINALIZATION 1/0"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=100", "MERCURY_ISA_MAJOR_MINOR 257/256"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7=1", "MERCURY_ISA_MAJOR_MINOR format 3/format 2; MERCURY_ISA_MAJOR_MINOR 257/1"},
		{130, "sm_90", whole, a, "9=0 2h=1 3=1 5=4 6=1 7h=101", "ISA_CLASS format 2/format 3"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 4=1", "INST_TCGEN05_MMA_DEPRECATED /1"},
		{130, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 c=1", "? /1"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 c=1", ""},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 7h=101", ""}, // later releases leave these two out
		{135, "sm_90", whole, a, "9=0 2=1 5=4 6=1 7h=101", "INST_TENSORMAP_V1 1/"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 f=1", "? /1"},

		// Two: the largest class but 0 where one is 0; so tcgen05, each pair of bits; the later Mercury; all tensor maps; 1 where
		// finalization differs.
		{130, "sm_90", whole, two("2=1", "2=3"), "9=0 2=3 3=3 7h=100", "MERCURY_ISA_MAJOR_MINOR /256"},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "2=3 3=2 7h=100"), "9=0 bs=0 2=3 3=3 7h=101", ""},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "2=3 3=2 7h=100"), "9=0 bs=0 2=1 3=3 7h=101", "ISA_CLASS 3/1"},
		{130, "sm_100", sass, two("2=0 3=1 7h=101", "2=3 3=1 7h=100"), "9=0 bs=0 2=0 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=0 3=1 7h=101", "2=3 3=1 7h=100"), "9=0 bs=0 2=3 3=1 7h=101", "ISA_CLASS 0/3"},
		{130, "sm_100", sass, two("2=1 5=6 3=1 7h=101", "2=1 5=9 3=1 7h=101"), "9=0 bs=0 2=1 5=a 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 5=4 3=1 7h=101", "2=1 5=1 3=1 7h=101"), "9=0 bs=0 2=1 5=0 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 6=2 3=1 7h=101", "2=1 6=2 3=1 7h=101"), "9=0 bs=0 2=1 6=2 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 6=2 3=1 7h=101", "2=1 6=0 3=1 7h=101"), "9=0 bs=0 2=1 6=1 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 6=2 3=1 7h=101", "2=1 6=0 3=1 7h=101"), "9=0 bs=0 2=1 6=2 3=1 7h=101", "ENABLE_OPPORTUNISTIC_FINALIZATION 1/2"},

		// An input that says nothing: as if it said it, or not.
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "-"), "9=0 bs=0 2=1 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "-"), "9=0 bs=0 2=0 3=3 7h=101", ""},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "-"), "9=0 bs=0 2=0 3=3 7h=101 6=1", ""},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "-"), "9=0 bs=0 2=0 3=3 7h=101 6=2", "ENABLE_OPPORTUNISTIC_FINALIZATION /2"},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "2=1 3=1 7h=101"), "9=0 bs=0 2=1 3=1 7h=101 6=1", "ENABLE_OPPORTUNISTIC_FINALIZATION /1"},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "9=0"), "9=0 bs=0 2=0 3=3 7h=101", ""},
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "9=0 bs=0"), "9=0 bs=0 2=0 3=3 7h=101", ""}, // no more than the linker writes of itself
		{130, "sm_100", sass, two("2=1 3=1 7h=101", "9=0 bs=0 6=1"), "9=0 bs=0 2=0 3=3 7h=101 6=1", ""},
		{130, "sm_100", sass, []string{"9=0 bs=0"}, "9=0 bs=0 2=0 3=3 7h=100 5=0 6=1", ""},
		{130, "sm_100", sass, []string{"9=0 bs=0"}, "9=0 bs=0 2=0 3=3 7h=100 5=1 6=1", "INST_TCGEN05_MMA /1"},
		{130, "sm_100", sass, nil, "9=0 bs=0 2=0 3=3 7h=100", ""}, // executables, which nvlink omits
		{130, "sm_100", sass, nil, "9=0 bs=0", ""},
		{130, "sm_100", sass, nil, "9=0 bs=0 2=1", "ISA_CLASS /1"},
		{130, "sm_90", whole, []string{"-"}, "9=0", ""},
		{130, "sm_90", whole, []string{"-"}, "9=0 2=0", ""},
		{130, "sm_90", whole, []string{"-"}, "9=0 2=1", "ISA_CLASS /1"},

		// The fast path: of 13.0 a rule is known.
		{130, "sm_100", sass, a, "9=0 bs=1 2=1 3=1 5=4 6=1 7h=101", "CAN_FASTPATH_FINALIZE 0/1"},
		{130, "sm_100", sass, a, "9=0 2=1 3=1 5=4 6=1 7h=101", "CAN_FASTPATH_FINALIZE 0/"},
		{130, "sm_100", sass, a, "9=0 b=0 2=1 3=1 5=4 6=1 7h=101", "CAN_FASTPATH_FINALIZE format 4/format 2"},
		{135, "sm_100", sass, a, "9=0 bs=1 2=1 3=1 5=4 6=1 7h=101", ""},
		{135, "sm_100", sass, a, "9=0 2=1 3=1 5=4 6=1 7h=101", ""},

		{130, "sm_90", whole, a, "9=0 2=1 3=1 7h=101", "INST_TCGEN05_MMA 4/; ENABLE_OPPORTUNISTIC_FINALIZATION 1/"},
		{135, "sm_100", sass, []string{"2=1 3=1"}, "9=0 bs=0 2=1 3=1", ""}, // no version of Mercury is said
		{135, "sm_100", sass, []string{"2=1 3=1"}, "9=0 bs=0 2=1 3=1 7h=200", "MERCURY_ISA_MAJOR_MINOR 256/512"},
		{130, "sm_100", sass, []string{"2=1 3=1"}, "9=0 bs=0 2=1 3=1", "MERCURY_ISA_MAJOR_MINOR 256/"},
		{130, "sm_100", sass, []string{"2=1 3=1"}, "9=0 bs=0 2=1 3=1 7h=100", ""},
		{135, "sm_100", sass, a, "9=0 bs=0 2=1 3=1 5=4 6=1", "MERCURY_ISA_MAJOR_MINOR 257/"},
		{135, "sm_100", sass, a, "9=0 bs=0 2=1 3=1 5=4 6=1 7h=100", "MERCURY_ISA_MAJOR_MINOR 257/256"},
		{131, "sm_90", whole, a, "9=0 2=1 3=1 7h=101", ""},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=8 6=1 7h=101", "INST_TCGEN05_MMA 4/8"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 bs=1", ""},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 eh=1", ""},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 a=1", "? /1"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 dh=1", ""},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 d=1", "? format 3/format 2"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 e=1", "? format 3/format 2"},
		{135, "sm_90", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101 8h=1", "MERCURY_ISA_PATCH /1"},
		{130, "", whole, a, "9=1 2=1 3=1 5=4 6=1 7h=101", ""}, // nothing says what the target was
		{130, "", whole, a, "9=0 2=1 3=1 5=4 6=1 7h=101", ""},
		{130, "", whole, a, "2=1 3=1 5=4 6=1 7h=101", "CUDA_ACCELERATOR_TARGET 0/"},
		{130, "", whole, a, "9=1 2=2 3=1 5=4 6=1 7h=101", "ISA_CLASS 1/2"},
		{130, "sm_100", sass, two("2=3 3=1 7h=100", "2=1 3=1 7h=101"), "9=0 bs=0 2=3 3=1 7h=101", ""},
		{130, "sm_100", sass, two("2=1 5=0 3=1 7h=101", "2=1 5=4 3=1 7h=101"), "9=0 bs=0 2=1 5=0 3=1 7h=101", ""},
		{130, "sm_90", whole, two("-", "-"), "9=0", ""},
		{130, "sm_90", whole, two("2=1 3=1 5=4", "-"), "9=0 2=1 3=1 5=4", ""},
		{130, "sm_90", whole, two("2=1 3=1 5=4", "-"), "9=0 2=1 3=1 5=0", ""},
		{130, "sm_90", whole, two("2=1 3=1 5=4", "-"), "9=0 2=1 3=1 5=1", "INST_TCGEN05_MMA 4/1"},
		{130, "sm_90", whole, two("2=1 3=1 5=4", "2=1 3=1 5=4"), "9=0 2=1 3=1 5=0", "INST_TCGEN05_MMA 4/0"},

		// An object for sm_120 of a class that is rescheduled for sm_121.
		{130, "sm_120", sass, []string{"2=4 3=1 7h=101"}, "9=0 bs=0 2=4 3=1 7h=101", ""},

		// 12.8 and 12.9 write what the inputs say, and no more.
		{128, "sm_100", sass, a, "2=1 3=1 5=4 6=1 7h=101", ""},
		{128, "sm_100", sass, a, "9=0 2=1 3=1 5=4 6=1 7h=101", "CUDA_ACCELERATOR_TARGET /0"},
	} {
		c := linkOf(t, x.release, x.arch, x.side, x.inputs...)
		if err := c.compareCompat(compatOf(t, x.output)); err != nil {
			t.Fatal(err)
		}
		if got := said(c); got != x.want {
			t.Errorf("%d: %d %s %v to %q: %q, want %q", i, x.release, x.arch, x.inputs, x.output, got, x.want)
		}
	}
}

// TestFastPath: attribute 11 by the code that is kept: on sm_100 whether it has doubles, comparisons of a certain form, or
// products of integers or doubles; on sm_120 whether there is any.
func TestFastPath(t *testing.T) {
	const (
		mov, dadd, fsetp, dsetp = 0x202, 0x229, 0x80b, 0x42a
		imma, hmma, dmma        = 0x237, 0x23c, 0x23f
		alone                   = 7 << 23  // FSETP combines with no predicate
		plain                   = 63 << 20 // DSETP into one predicate alone
	)
	for i, x := range []struct {
		sm     int
		words  []uint64 // pairs of the opcode and the upper half
		code   bool
		want   uint64
		others uint64 // right as well, of class 4
	}{
		{100, nil, false, 0, 0},
		{100, []uint64{mov, 0}, true, 9, 9},
		{100, []uint64{mov, 0}, false, 0, 0}, // no code
		{100, []uint64{mov, 0, dadd, 0}, true, 1, 1},
		{100, []uint64{dadd, 0, mov, 0}, true, 1, 1},
		{100, []uint64{0x228, 0}, true, 1, 1}, {100, []uint64{0x22b, 0}, true, 1, 1}, {100, []uint64{0x227, 0}, true, 9, 9}, {100, []uint64{0x22c, 0}, true, 9, 9}, {100, []uint64{0xc2b, 0}, true, 1, 1},
		{100, []uint64{fsetp, alone}, true, 1, 1}, {100, []uint64{fsetp, 6 << 23}, true, 9, 9}, {100, []uint64{fsetp, 15 << 23}, true, 1, 1}, {100, []uint64{0x80c, alone}, true, 9, 9}, {100, []uint64{0x20b, alone}, true, 9, 9},
		{100, []uint64{dsetp, plain}, true, 9, 9}, {100, []uint64{dsetp, 62 << 20}, true, 1, 1}, {100, []uint64{dsetp, plain | 1<<26}, true, 1, 1}, {100, []uint64{dsetp, plain | 1<<27}, true, 9, 9}, {100, []uint64{0x22a, plain}, true, 1, 1}, {100, []uint64{dsetp, plain, dsetp, 0}, true, 1, 1},
		{100, []uint64{imma, 0}, true, 1, 1}, {100, []uint64{mov, 0, dmma, 0}, true, 1, 1}, {100, []uint64{0x236, 0}, true, 9, 9}, {100, []uint64{0x238, 0}, true, 9, 9}, {100, []uint64{hmma, 0}, true, 9, 9}, {100, []uint64{0x23e, 0}, true, 9, 9},
		{103, []uint64{imma, 0}, true, 0, 0},
		{101, []uint64{mov, 0}, true, 0, 0}, {99, []uint64{mov, 0}, true, 0, 0},
		{120, []uint64{mov, 0}, true, 0x50, 0x10}, {120, []uint64{mov, 0}, false, 0, 0}, {121, []uint64{mov, 0}, true, 0, 0}, {119, []uint64{mov, 0}, true, 0, 0},
	} {
		var body []byte
		for k := 0; k < len(x.words); k += 2 {
			body = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(body, x.words[k]|7<<12), x.words[k+1])
		}
		c := linkOf(t, 130, "", image.SassSide, "2=4 3=1 7h=101")
		c.SM = x.sm
		s := image.Section{Kind: cuda.SHTProgbits, Body: body, Size: uint64(len(body))}
		if x.code {
			s.Flags = cuda.SHFExec
		}
		c.Out.Sections = []image.Section{{}, s}
		if got := c.fastPath(); got != x.want {
			t.Errorf("%d: %x, want %x", i, got, x.want)
		}
		list, err := c.wantCompat()
		if err != nil || len(list) < 2 || list[1].value != x.want || list[1].also != x.others {
			t.Errorf("%d: %+v %v", i, list, err)
		}
		c.Modules = linkOf(t, 130, "", image.SassSide, "2=3 3=1 7h=101").Modules
		if list, _ := c.wantCompat(); len(list) < 2 || list[1].also != x.want {
			t.Errorf("%d: of another class %+v", i, list)
		}
	}
}

// TestBadCompat: attributes of an input that don't read end the check.
func TestBadCompat(t *testing.T) {
	c := linkOf(t, 130, "sm_90", image.Whole, "2=1")
	c.Modules[0].Sections[1].Body = []byte{9, 9, 9}
	if _, err := c.wantCompat(); err == nil {
		t.Error("no error")
	}
	if c.silent(c.Modules[0]) {
		t.Error("what doesn't read is no silence")
	}
	if err := c.compareCompat(compatOf(t, "9=0")); err == nil {
		t.Error("no error")
	}
	m := linkOf(t, 130, "sm_90", image.Whole, "9=0").Modules[0]
	m.Sections = append([]image.Section{{Body: []byte{9}}}, m.Sections...)
	if !c.silent(m) {
		t.Error("another section says nothing")
	}
}
