package capsule

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
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
