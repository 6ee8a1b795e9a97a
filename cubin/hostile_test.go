package cubin_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/cputime"
)

// exercise reads data as everything it may be and changes it in every way. It
// wants typed refusals, an unchanged file back, and a file that opens after
// each change. It reports whether the file opened.
func exercise(t *testing.T, data []byte) bool {
	t.Helper()
	d, err := cubin.Decode("hostile", data)
	if err != nil {
		typed(t, err)
		return false
	}
	out, err := d.Encode()
	if err != nil || !bytes.Equal(out, data) {
		t.Fatalf("an unchanged file doesn't come back: %v", err)
	}
	for i := 1; i < d.NumSections(); i++ {
		if _, err := rewrite(d, i); err != nil {
			typed(t, err)
		}
	}
	bounded(t, "layout", len(data), func() { reopen(t, d) })
	for _, change := range []func(d *cubin.Editor) error{
		shiftSymbols,
		func(d *cubin.Editor) error { return shiftSections(d, 1+d.NumSections()/3) },
		func(d *cubin.Editor) error { _, err := d.Drop([]int{d.NumSections() / 2}, nil); return err },
		func(d *cubin.Editor) error { return d.SetData(d.NumSections()-1, []byte("short")) },
	} {
		bounded(t, "change", len(data), func() {
			d, err := cubin.Decode("hostile", data)
			if err != nil {
				t.Fatal(err)
			}
			if err := change(d); err != nil {
				typed(t, err)
				return
			}
			reopen(t, d)
		})
	}
	return true
}

func typed(t *testing.T, err error) {
	t.Helper()
	var fault *cubin.Error
	if !errors.As(err, &fault) {
		t.Errorf("an error of type %T: %v", err, err)
	}
}

// reopen lays out, writes and reads again.
func reopen(t *testing.T, d *cubin.Editor) {
	t.Helper()
	if err := d.Layout(); err != nil {
		typed(t, err)
		return
	}
	out, err := d.Encode()
	if err != nil {
		t.Errorf("laid out, but not written: %v", err)
		return
	}
	again, err := cubin.Decode("again", out)
	if err != nil {
		typed(t, err) // a symbol's name or section may be what was dropped
		return
	}
	for i := range again.NumSections() {
		if d.SharesWith(i) == i && !bytes.Equal(again.Data(i), d.Data(i)) {
			t.Errorf("section %d has other bytes after writing and reading", i)
		}
	}
}

// bounded runs f and wants it to be done within a second of processor time and
// to allocate no more than 64 MB and eight times its input.
func bounded(t *testing.T, name string, size int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cputime.Now()
	f()
	took := cputime.Now() - began
	runtime.ReadMemStats(&after)
	if took > time.Second {
		t.Errorf("%s: %v", name, took)
	}
	if sum := after.TotalAlloc - before.TotalAlloc; sum > uint64(64<<20+8*size) {
		t.Errorf("%s: %d bytes allocated for %d", name, sum, size)
	}
}

// TestTruncations cuts small cubins of each generation at every byte.
func TestTruncations(t *testing.T) {
	for _, prefix := range []string{"empty/11.8", "13.0-sm_100-other"} {
		_, data := shortest(t, prefix)
		opened := 0
		for n := range data {
			if exercise(t, bytes.Clone(data[:n])) {
				opened++
			}
		}
		if opened > cubin.ProgSize*8 {
			t.Errorf("%s: %d of %d opened", prefix, opened, len(data))
		}
	}
}

// TestMutants changes a few bytes of real cubins.
func TestMutants(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	r := rand.New(rand.NewPCG(1, 2))
	var seeds [][]byte
	for _, prefix := range []string{"empty/11.8", "calls/12.4-sm_90", "textures/13.0", "13.0-sm_100-mercury", "13.5-sm_110-linked", "names/13.0"} {
		_, data := shortest(t, prefix)
		seeds = append(seeds, data)
	}
	opened := 0
	for range rounds {
		data := mutant(r, seeds[r.IntN(len(seeds))])
		if exercise(t, data) {
			opened++
		}
		if t.Failed() {
			t.Fatalf("with %x", data)
		}
	}
	t.Logf("%d of %d mutants opened", opened, rounds)
	if opened < rounds/10 || opened == rounds {
		t.Errorf("%d of %d mutants opened", opened, rounds)
	}
}

// mutant changes bytes, most of them in the tables at the end.
func mutant(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + r.IntN(4) {
		at := r.IntN(len(data))
		if r.IntN(2) == 0 {
			at = len(data) - 1 - r.IntN(len(data)/3)
		}
		switch r.IntN(4) {
		case 0:
			data[at] = byte(r.Uint32())
		case 1:
			data[at] ^= 1 << r.IntN(8)
		case 2:
			data[at] = []byte{0, 1, 0x7f, 0x80, 0xff}[r.IntN(5)]
		case 3:
			if at&^7+8 <= len(data) {
				binary.LittleEndian.PutUint64(data[at&^7:], uint64(r.IntN(len(data))))
			}
		}
	}
	return data
}

// bomb returns a file of n section headers, each as section makes it, after
// body bytes.
func bomb(n, body int, section func(i int, s *cubin.Section)) []byte {
	const names = 64
	data := make([]byte, names+2+body)
	data = append(data, make([]byte, -len(data)&7)...)
	h := cubin.Header{Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, cuda.OSABICuda13, cuda.ABIVersionCuda13}, Type: cuda.ETRel, Machine: cuda.EMCuda,
		Version: 1, ShOff: uint64(len(data)), EhSize: cubin.HeaderSize, ShEntSize: cubin.SectionSize, ShStrNdx: 1}
	h.Put((*[cubin.HeaderSize]byte)(data))
	for i := range n {
		s := cubin.Section{Type: cuda.SHTProgbits, Off: names, Size: uint64(body), Align: 1}
		switch i {
		case 0:
			s = cubin.Section{Size: uint64(n)}
		case 1:
			s = cubin.Section{Type: cuda.SHTStrtab, Off: names, Size: 2}
		default:
			section(i, &s)
		}
		var b [cubin.SectionSize]byte
		s.Put(&b)
		data = append(data, b[:]...)
	}
	return data
}

// TestBombs looks at small files that describe much.
func TestBombs(t *testing.T) {
	const n, body = 30_000, 2 << 20
	for _, c := range []struct {
		name    string
		section func(i int, s *cubin.Section)
	}{
		{"all sections over the same bytes", func(int, *cubin.Section) {}},
		{"sections that overlap", func(i int, s *cubin.Section) { s.Off, s.Size = s.Off+uint64(i), s.Size-uint64(i) }},
		{"sections within each other", func(i int, s *cubin.Section) { s.Size -= uint64(i) }},
		{"a chain of owners", func(i int, s *cubin.Section) {
			s.Flags, s.Info, s.Size = cuda.SHFInfoLink, uint32(max(i-1, 2)), 0
		}},
		{"alignments of 1 MB", func(_ int, s *cubin.Section) { s.Size, s.Align = 1, 1<<20 }},
		{"no bytes and alignments of 1 MB", func(_ int, s *cubin.Section) { s.Type, s.Align = cuda.SHTNobits, 1<<20 }},
		{"offsets at the end of numbers", func(_ int, s *cubin.Section) { s.Type, s.Off = cuda.SHTNobits, ^uint64(0) }},
		{"calls everywhere", func(i int, s *cubin.Section) { s.Type, s.Size = cuda.SHTCudaCallgraph, s.Size-uint64(i)*8 }},
		{"symbols everywhere", func(i int, s *cubin.Section) {
			s.Type, s.Size, s.EntSize, s.Link = cuda.SHTMercSymtab, s.Size-s.Size%24-24*uint64(i), 24, 1
		}},
		{"relocations everywhere", func(i int, s *cubin.Section) {
			s.Type, s.Size, s.EntSize, s.Link = cuda.SHTRela, s.Size-s.Size%24-24*uint64(i), 24, 2
			if i == 2 {
				s.Type, s.Link = cuda.SHTMercSymtab, 1
			}
		}},
	} {
		data := bomb(n, body, c.section)
		bounded(t, c.name, len(data), func() {
			d, err := cubin.Decode(c.name, data)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if out, err := d.Encode(); err != nil || !bytes.Equal(out, data) {
				t.Errorf("%s: an unchanged file doesn't come back: %v", c.name, err)
			}
		})
		bounded(t, c.name+", one dropped", len(data), func() {
			d, err := cubin.Decode(c.name, data)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if _, err := d.Drop([]int{n - 1}, nil); err != nil {
				typed(t, err)
			}
			reopen(t, d)
		})
		bounded(t, c.name+", a symbol more", len(data), func() {
			d, err := cubin.Decode(c.name, data)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if err := d.InsertSymbol(2, 1, cubin.Sym{}); err != nil {
				typed(t, err)
			}
			reopen(t, d)
		})
	}
}
