package capsule

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// A capsule put together by hand from the grammar: PLAIN, RECORD of 32 bytes,
// RECORD of 4 with a span of 3, SKIP of 9.
func TestReadByHand(t *testing.T) {
	data := []byte{7, 0, 0, 0, 1, 0, 0, 0xc0, 4, 0, 0, 0, 1, 0, 0, 0}
	data = append(data, append([]byte{0x02}, make([]byte, 31)...)...)
	data = append(data, 0x51|3<<7&0xff, 3>>1, 0x42, 1, 2, 3)
	data = append(data, 0x50|9<<7&0xff, 9>>1)
	code := make([]byte, 16*14)
	binary.LittleEndian.PutUint16(code, 0x802) // 16 bytes in Mercury
	c, err := Read(data, code)
	if err != nil {
		t.Fatal(err)
	}
	if c.Text != 7 || len(c.Nodes) != 4 || c.SASS != 14*16 || c.Merc != 16+32+32 || !c.Known {
		t.Errorf("%+v", c)
	}
	if at, stored, ok := c.Locate(16 + 28); !ok || !stored || at != 16+28 {
		t.Errorf("byte 28 of the record: %d %v %v", at, stored, ok)
	}
	if _, stored, ok := c.Locate(3); !ok || stored {
		t.Error("a PLAIN node has no bytes in the capsule")
	}
	if _, _, ok := c.Locate(80); ok {
		t.Error("found a byte behind the end")
	}
}

// A note is 16 bytes of Mercury code without SASS, as six and more are in a kernel of
// CUTLASS by ptxas 13.0.88.
func TestReadNotes(t *testing.T) {
	notes := []byte{0x31, 2, 0, 0x20, 0, 1, 1, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 2, 0, 0xc8, 0, 4, 2, 5, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 0}
	data := []byte{7, 0, 0, 0, 1, 0, 0, 0xc0, 4, 0, 0, 0, 4, 0, 0, 0}
	data = append(append(data, notes...), 0x50|1<<7&0xff, 1>>1)
	code := make([]byte, 16*2)
	binary.LittleEndian.PutUint16(code, 0x802) // 16 bytes in Mercury
	c, err := Read(data, code)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Nodes) != 4 || c.SASS != 2*16 || c.Merc != 3*16 || !c.Known || c.Nodes[1].Kind != Note || c.Nodes[2].SASS != 0 {
		t.Errorf("%+v", c)
	}
	if at, stored, ok := c.Locate(16 + 3); !ok || !stored || at != 16+16+3 {
		t.Errorf("byte 3 of the second note: %d %v %v", at, stored, ok)
	}
	if _, err := Read(data[:len(data)-12], code); err == nil {
		t.Error("a note cut short reads")
	}
}

// A note of 32 bytes, as 384 are in a kernel of CUTLASS's example 18 by ptxas 13.5.37.
func TestReadLongNote(t *testing.T) {
	note := []byte{0x32, 2, 0, 0x28, 1, 4, 3, 3, 0, 0, 0, 0x84, 0, 0, 0, 0, 0x20, 0x1c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	data := append([]byte{7, 0, 0, 0, 1, 0, 0, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0}, note...)
	c, err := Read(data, nil)
	if err != nil || len(c.Nodes) != 1 || c.Nodes[0].Kind != Note || c.Merc != 32 || c.SASS != 0 {
		t.Errorf("%+v %v", c, err)
	}
	if _, err := Read(data[:len(data)-1], nil); err == nil {
		t.Error("a note cut short reads")
	}
	data[16] = 0x3f
	var unknown *Error
	if _, err := Read(data, nil); !errors.As(err, &unknown) || !unknown.Unknown {
		t.Errorf("a note of another kind: %v", err)
	}
}

// The sizes of words that CUB and CUTLASS have, as the Mercury code between EXITs of
// functions of ptxas 13.0.88 has it.
func TestPlainSize(t *testing.T) {
	for op, want := range map[uint16]uint64{0x20a: 16, 0x20f: 16, 0x21a: 16, 0x304: 16, 0xe19: 16, 0x233: 32, 0x276: 32, 0x809: 32, 0x831: 32, 0xe25: 32} {
		word := binary.LittleEndian.AppendUint16(nil, op)
		if size, ok := plainSize(append(word, make([]byte, 14)...), 0); !ok || size != want {
			t.Errorf("0x%x: %d %v", op, size, ok)
		}
	}
	// ULOP3 UR4, UR5, UR6, UR7 and with URZ.
	for third, want := range map[byte]uint64{7: 32, 255: 16} {
		word := []byte{0x92, 0x72, 4, 5, 6, 0, 0, 0, third, 0xc0, 0x8e, 0x0f, 0, 0, 0, 0}
		if size, ok := plainSize(word, 0); !ok || size != want {
			t.Errorf("ULOP3 of third source %d: %d %v", third, size, ok)
		}
	}
}

// The capsule of a function of two words, as ptxas 12.8.93 writes it: without a version.
func TestReadWithoutVersion(t *testing.T) {
	data := []byte{14, 0, 0, 0, 3, 0, 0, 0x40, 3, 0, 0, 0, 0x50, 7}
	code := make([]byte, 16*16)
	c, err := Read(data, code)
	if err != nil || len(c.Nodes) != 3 || c.SASS != uint64(len(code)) || c.Nodes[2].Kind != Skip {
		t.Errorf("%+v, %v", c, err)
	}
	data[4]++ // a fourth node, of which there is nothing
	var fault *Error
	if _, err := Read(data, code); !errors.As(err, &fault) || fault.Offset != 14 {
		t.Error(err)
	}
}

// Of every cut and of random bytes: an answer or an *Error.
func TestReadHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	each(t, func(name string, data, code []byte) {
		for range 20 {
			b := bytes.Clone(data)
			for range 1 + r.IntN(4) {
				b[r.IntN(len(b))] ^= byte(1 << r.IntN(8))
			}
			b = b[:r.IntN(len(b)+1)]
			c, err := Read(b, code)
			var e *Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%s: %v", name, err)
			}
			if err == nil {
				c.Locate(r.Uint64N(1 << 12))
			}
		}
	})
}

// Capsules that ptxas and nvlink 13.0.88 wrote: the nodes cover the SASS, and
// the first word is its section.
func TestReadCorpus(t *testing.T) {
	unknown, all := 0, 0
	each(t, func(name string, data, code []byte) {
		c, err := Read(data, code)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		all++
		if !c.Known {
			unknown++
		}
		if c.SASS != uint64(len(code)) {
			t.Errorf("%s: nodes cover 0x%x bytes of 0x%x", name, c.SASS, len(code))
		}
		if last := c.Nodes[len(c.Nodes)-1]; last.Kind != Skip {
			t.Errorf("%s: the last node is no SKIP", name)
		}
	})
	t.Logf("%d capsules, %d with a PLAIN node of unknown size", all, unknown)
	if all < 100 || unknown > all/20 {
		t.Error("too few")
	}
}

func each(t *testing.T, visit func(name string, data, code []byte)) {
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		for _, c := range p.Cases {
			files := map[string][]byte{"out": c.Output}
			for _, in := range c.Inputs {
				files[in.Name] = in.Data
			}
			for file, data := range files {
				f, err := elf.NewFile(bytes.NewReader(data))
				if err != nil {
					continue
				}
				for _, s := range f.Sections {
					if !strings.HasPrefix(s.Name, ".nv.capmerc.text.") {
						continue
					}
					body, err := s.Data()
					if err != nil || len(body) < 4 || int(body[0]) >= len(f.Sections) {
						t.Fatalf("%s: %v", file, err)
					}
					code, err := f.Sections[binary.LittleEndian.Uint32(body)].Data()
					if err != nil {
						t.Fatal(err)
					}
					visit(c.ID()+" "+file+" "+s.Name, body, code)
				}
			}
		}
	}
}

// What words by ptxas 13.0 and 13.5 take in Mercury code: in functions whose other sizes
// were known, and which have no other word of unknown size, the symbol's size says it.
func TestPlainSizes(t *testing.T) {
	for _, x := range []struct{ low, high, size uint64 }{
		{0xc09, 0, 16}, {0xd10, 0, 16}, {0x236, 0, 16}, {0x883, 0, 32}, {0x902, 0, 32},
		{0x212, 0xc0<<8 | 0xff, 16}, {0x212, 0xcc<<8 | 0xff, 32}, {0x212, 0xcc<<8 | 0x10, 32},
		{0x292, 0xe<<16 | 0xc0<<8 | 0xff, 16}, {0x292, 0xe<<16 | 0x96<<8 | 0xff, 32},
	} {
		word := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x.low), x.high)
		if size, ok := plainSize(word, 0); !ok || size != x.size {
			t.Errorf("%#x, %#x: %d %v, not %d", x.low, x.high, size, ok, x.size)
		}
	}
}

// Each fault is reported at its place: the capsule of TestReadByHand with one thing wrong.
func TestFaultPlaces(t *testing.T) {
	data := []byte{7, 0, 0, 0, 1, 0, 0, 0xc0, 4, 0, 0, 0, 1, 0, 0, 0}
	data = append(data, append([]byte{0x02}, make([]byte, 31)...)...)
	data = append(data, 0x51|3<<7&0xff, 3>>1, 0x42, 1, 2, 3)
	data = append(data, 0x50|9<<7&0xff, 9>>1)
	set := func(at int, v byte) []byte {
		bad := bytes.Clone(data)
		bad[at] = v
		return bad
	}
	for _, c := range []struct {
		name    string
		data    []byte
		at      uint64
		unknown bool
	}{
		{"version", set(4, 2), 4, false}, {"version", set(7, 0x80), 4, false}, {"cut in the version", data[:7], 4, false}, {"nothing", nil, 4, false},
		{"cut in the count", data[:11], 8, false}, {"count", set(9, 0x10), 8, false},
		{"a bit behind", set(12, 0x11), 12, false}, {"a bit behind", set(13, 1), 13, false}, {"the last bit", set(15, 0x80), 15, false},
		{"no record at all", data[:16], 16, false}, {"a byte of one", data[:17], 16, false}, {"cut", data[:47], 16, false}, {"a record is gone", data[:48], 48, false},
		{"a span of nothing", data[:50], 50, false}, {"cut behind a span", data[:53], 50, false}, {"no skip", data[:54], 54, false}, {"half a skip", data[:55], 54, false},
		{"a byte more", append(bytes.Clone(data), 0), 56, false},
		{"another record", set(16, 0x7f), 16, true}, {"another record", set(50, 0x43), 50, true}, {"another record", set(16, 0), 16, true},
	} {
		_, err := Read(c.data, nil)
		var fault *Error
		if !errors.As(err, &fault) || fault.Offset != c.at || fault.Unknown != c.unknown || fault.Reason == "" ||
			err.Error() != fmt.Sprintf("capsule: %#x: %s", fault.Offset, fault.Reason) {
			t.Errorf("%s: %v, want a fault at %#x, unknown %v", c.name, err, c.at, c.unknown)
		}
	}
	if c, err := Read(data, nil); err != nil || len(c.Nodes) != 4 {
		t.Errorf("%+v, %v", c, err)
	}
}
