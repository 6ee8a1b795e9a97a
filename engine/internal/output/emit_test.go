package output

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
)

// pieces are given as (offset, size); an odd one is found, an even one made.
type pieces [][2]uint64

func (p pieces) Len() int                        { return len(p) }
func (p pieces) Extent(i int) (off, size uint64) { return p[i][0], p[i][1] }

func (p pieces) Found(i int) []byte {
	if i%2 == 0 {
		return nil
	}
	return p.bytes(i)
}

func (p pieces) Fill(i int, b []byte) { copy(b, p.bytes(i)) }

func (p pieces) bytes(i int) []byte { return bytes.Repeat([]byte{byte(i + 1)}, int(p[i][1])) }

// disk keeps what is written to it.
type disk struct {
	mu     sync.Mutex
	b      []byte
	wrote  int
	broken error
}

func (d *disk) WriteAt(b []byte, off int64) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wrote += len(b)
	copy(d.b[off:], b)
	return len(b), d.broken
}

// A file that is written in windows is the one that is held whole, and each byte
// is written once.
func TestEmit(t *testing.T) {
	for name, p := range map[string]pieces{
		"nothing":            {},
		"small":              {{0, 64}, {64, 1}, {72, 8}, {0, 0}, {80, 100}},
		"large":              {{0, 64}, {128, Window}, {128 + Window, Window + 1}, {200 + 2*Window, 3 * Window}},
		"zeros before large": {{0, 64}, {4096, 2 * Window}, {4096 + 2*Window + 100, 7}},
		"many":               slices.Collect(manyPieces),
	} {
		end := uint64(16)
		for _, x := range p {
			end = max(end, x[0]+x[1])
		}
		for _, size := range []uint64{end, end + 100} {
			whole, err := Emit(p, size, nil)
			if err != nil || uint64(len(whole)) != size {
				t.Fatalf("%s: %d bytes, want %d, %v", name, len(whole), size, err)
			}
			want := make([]byte, size)
			for i, x := range p {
				copy(want[x[0]:], p.bytes(i))
			}
			d := &disk{b: make([]byte, size)}
			if _, err := Emit(p, size, d); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(whole, want) || !bytes.Equal(d.b, want) || d.wrote != int(size) {
				t.Errorf("%s: other bytes, or %d written of %d", name, d.wrote, size)
			}
		}
	}
}

func manyPieces(yield func([2]uint64) bool) {
	at := uint64(0)
	for i := range 3000 {
		n := uint64(i * 37 % 1000)
		if !yield([2]uint64{at, n}) {
			return
		}
		at += n + uint64(i%5)
	}
}

func TestEmitFails(t *testing.T) {
	d := &disk{b: make([]byte, 64), broken: errors.New("full")}
	if _, err := Emit(pieces{{0, 64}}, 64, d); !errors.Is(err, d.broken) {
		t.Errorf("%v", err)
	}
}
