package verify

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/oracle/check"
)

// firstOptions are what the oracle is told of a recorded link.
func firstOptions(t *testing.T, c *corpus.Case) check.Options {
	t.Helper()
	release, _ := cmdline.ParseRelease(c.Release)
	_, cmd, _ := bothSides(t, release, c)
	if cmd == nil {
		t.Fatalf("%s: %v does not read", c.ID(), c.Args)
	}
	return checkOptions(&cmd.Options, c.Release)
}

func firstInputs(c *corpus.Case) []check.Input {
	var inputs []check.Input
	for _, in := range c.Inputs {
		inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
	}
	return inputs
}

// TestFirstMercuryJudged wants the oracle to accept what nvJitLink 12.8.93 and 12.9.86 linked for
// sm_100 and up, with the release and the target named and without.
func TestFirstMercuryJudged(t *testing.T) {
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	accepted := map[string]int{}
	for _, c := range corpus.CasesOf(programs) {
		if !c.Linked() {
			continue
		}
		told := firstOptions(t, &c)
		untold := told
		untold.Toolkit = ""
		for _, o := range []check.Options{told, untold} {
			v := check.Check(firstInputs(&c), c.Output, o)
			if !v.Agrees() {
				t.Errorf("%s, toolkit %q: %s", c.ID(), o.Toolkit, v)
			}
		}
		accepted[c.Release]++
	}
	if accepted["12.8"] < 20 || accepted["12.9"] < 40 {
		t.Errorf("judged: %v", accepted)
	}
}

const unwaited = "a scoreboard that is not waited for"

// firstPlants are changes of a right image; each returns false where there is no place for it.
var firstPlants = map[string]func(image []byte, f *elf.File) bool{
	"another SM in the note": func(image []byte, f *elf.File) bool {
		return flip(image, f.Section(".note.nv.cuver"), 26, 1)
	},
	"no attribute": func(image []byte, f *elf.File) bool { // the last attribute of a kernel's, of four bytes at least
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".nv.info.") && s.Size > 8 })
		if i < 0 {
			return false
		}
		return setSize(image, i, attributesBut(image, f.Sections[i]))
	},
	"a word of code": func(image []byte, f *elf.File) bool {
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".text.") })
		return i >= 0 && flip(image, f.Sections[i], 3, 0x10)
	},
	unwaited: func(image []byte, f *elf.File) bool {
		for _, s := range f.Sections {
			set := uint64(0) // scoreboards that a word in front has
			for at := uint64(0); strings.HasPrefix(s.Name, ".text.") && at+16 <= s.Size; at += 16 {
				high := binary.LittleEndian.Uint64(image[s.Offset+at+8:])
				if high>>52%64&set != 0 {
					binary.LittleEndian.PutUint64(image[s.Offset+at+8:], high&^(63<<52))
					return true
				}
				set |= 1<<(high>>46%8) | 1<<(high>>49%8)
			}
		}
		return false
	},
	"a record less": func(image []byte, f *elf.File) bool {
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".rela.text.") })
		return i >= 0 && setSize(image, i, f.Sections[i].Size-24)
	},
	"a record of the Mercury side less": func(image []byte, f *elf.File) bool {
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".nv.merc.rela.text.") })
		return i >= 0 && setSize(image, i, f.Sections[i].Size-24)
	},
	"a byte of a capsule": func(image []byte, f *elf.File) bool {
		i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return strings.HasPrefix(s.Name, ".nv.capmerc.text.") && s.Size > 40 })
		return i >= 0 && flip(image, f.Sections[i], f.Sections[i].Size-20, 0x10)
	},
	"the table of the symbols in the flags": func(image []byte, _ *elf.File) bool {
		image[51] = 3
		return true
	},
}

// flip changes a byte of a section.
func flip(image []byte, s *elf.Section, at uint64, mask byte) bool {
	if s == nil || at >= s.Size {
		return false
	}
	image[s.Offset+at] ^= mask
	return true
}

// setSize gives a section another size.
func setSize(image []byte, index int, size uint64) bool {
	binary.LittleEndian.PutUint64(image[binary.LittleEndian.Uint64(image[40:])+64*uint64(index)+32:], size)
	return true
}

// attributesBut is the size of all attributes of a section but the last.
func attributesBut(image []byte, s *elf.Section) uint64 {
	last := uint64(0)
	for at := uint64(0); at < s.Size; {
		last = at
		if at += 4; image[s.Offset+last] == 4 {
			at += uint64(binary.LittleEndian.Uint16(image[s.Offset+last+2:]))
		}
	}
	return last
}

// TestFirstMercuryRejected plants defects in what nvJitLink 12.8.93 and 12.9.86 linked.
func TestFirstMercuryRejected(t *testing.T) {
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	planted := map[string]int{}
	for _, c := range corpus.CasesOf(programs) {
		if !c.Linked() {
			continue
		}
		f, err := elf.NewFile(bytes.NewReader(c.Output))
		if err != nil {
			t.Fatal(err)
		}
		o := firstOptions(t, &c)
		for name, plant := range firstPlants {
			image := slices.Clone(c.Output)
			if name == unwaited && strings.HasSuffix(c.Name, "-of-g") {
				continue // such code waits for all scoreboards before every word
			}
			if !plant(image, f) || bytes.Equal(image, c.Output) {
				continue
			}
			planted[name]++
			if v := check.Check(firstInputs(&c), image, o); v.Agrees() {
				t.Errorf("%s: %s: accepted", c.ID(), name)
			}
		}
	}
	for name := range firstPlants {
		if planted[name] < 40 {
			t.Errorf("%s: planted %d times", name, planted[name])
		}
	}
}
