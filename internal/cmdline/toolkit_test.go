package cmdline

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// The toolkit of each recorded object is the release whose ptxas made it, by the corpus's manifest, and nothing else is one:
// each byte of the header that says what a file is counts.
func TestToolkitOfRecorded(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	releases := map[string]int{}
	for _, c := range cases {
		if c.Name[:4] != c.Release || strings.Contains(c.Name, "mixed") || strings.Contains(c.Name, "newer") {
			continue // by a later nvlink
		}
		for _, in := range c.Inputs {
			want, ok := ParseRelease(c.Release)
			if !ok || in.Data == nil {
				continue
			}
			f, err := cubin.Open(in.Name, in.Data)
			if err != nil || f.Header.Type != cuda.ETRel {
				continue
			}
			if got := ToolkitOf(in.Data); got != want.Toolkit() {
				t.Errorf("%s, %s: %d, want %d", c.ID(), in.Name, got, want.Toolkit())
			}
			if releases[c.Release]++; releases[c.Release] == 1 {
				damaged(t, in.Data, want.Toolkit())
			}
		}
	}
	for _, r := range []string{"11.8", "12.4", "13.0"} {
		if releases[r] < 20 {
			t.Errorf("%d objects of %s", releases[r], r)
		}
	}
}

// damaged asks for the toolkit of an object of which one byte of the header is another.
func damaged(t *testing.T, data []byte, made uint32) {
	t.Helper()
	for _, n := range []int{0, 1, 4, 20, cubin.HeaderSize - 1} {
		if got := ToolkitOf(data[:n]); got != 0 {
			t.Errorf("%d bytes are of toolkit %d", n, got)
		}
	}
	for at := range 20 {
		bad := bytes.Clone(data)
		bad[at] ^= 0x55
		want := made
		switch at {
		case 0, 1, 2, 3, 4, 7, 18, 19: // magic, class, OS ABI, machine
			want = 0
		}
		if got := ToolkitOf(bad); got != want {
			t.Errorf("toolkit %d with another byte %d: %d, want %d", made, at, got, want)
		}
	}
	if data[7] == cuda.OSABILegacy {
		bad := bytes.Clone(data)
		binary.LittleEndian.PutUint32(bad[20:], 121)
		if got := ToolkitOf(bad); got != 121 {
			t.Errorf("e_version of 121 is of toolkit %d", got)
		}
		return
	}
	// From 13.0 on the note says it; where none does, it is 13.0.
	f, err := cubin.Open("", data)
	if err != nil {
		t.Fatal(err)
	}
	index := f.Header.Flags >> cuda.EFCuinfoShift
	header := f.Header.ShOff + uint64(index)*cubin.SectionSize
	note := f.Section(int(index))
	at := func(off, width, v uint64) []byte {
		bad := bytes.Clone(data)
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(bad[off:off+width], b[:])
		return bad
	}
	first := func(b []byte, tkinfo uint64) []byte { // as 12.9 writes them
		binary.LittleEndian.PutUint16(b[note.Off+24:], 1)
		binary.LittleEndian.PutUint32(b[tkinfo+24:], 129)
		return b
	}
	for _, c := range []struct {
		name string
		data []byte
		want uint32
	}{
		{"the note says 13.4", at(note.Off+28, 4, 134), 134},
		{"the first form, where .note.nv.tkinfo tells", first(at(header, 0, 0), f.Section(int(note.Link)).Off), 129},
		{"the first form without .note.nv.tkinfo", first(at(header+40, 4, 0), f.Section(int(note.Link)).Off), 130},
		{"a note of another type", at(header+4, 4, 1), 130},
		{"a note behind the end", at(header+24, 8, uint64(len(data))-31), 130},
		{"a note at the end", append(at(header+24, 8, uint64(len(data))), append(make([]byte, 24), 2, 0, 0, 0, 77, 0, 0, 0)...), 77},
		{"a note far behind the end", at(header+24, 8, 1<<63), 130},
		{"a note whose place wraps around", at(header+24, 8, 1<<64-28), 130},
		{"a table behind the end", at(40, 8, uint64(len(data))), 130},
		{"a table far behind the end", at(40, 8, 1<<64-64), 130},
	} {
		if got := ToolkitOf(c.data); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
