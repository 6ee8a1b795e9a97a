package cubin

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

const (
	alloc = cuda.SHFAlloc
	write = cuda.SHFAlloc | cuda.SHFWrite
	exec  = cuda.SHFAlloc | cuda.SHFExec
)

// loaded are a file's sections at 256, 272, 280, 288 and 320, one that isn't loaded, and two without bytes.
func loaded(progs ...Prog) *madeFile {
	return &madeFile{progs: progs, sections: []made{
		{name: "a", typ: cuda.SHTProgbits, flags: alloc, align: 1, off: 256, data: make([]byte, 16)},                  // 2
		{name: "b", typ: cuda.SHTProgbits, flags: exec, align: 1, off: 272, data: make([]byte, 8)},                    // 3
		{name: "c", typ: cuda.SHTProgbits, flags: alloc, align: 1, off: 280, data: make([]byte, 4)},                   // 4
		{name: "d", typ: cuda.SHTProgbits, flags: write, align: 4, off: 288, data: make([]byte, 10)},                  // 5
		{name: "e", typ: cuda.SHTNobits, flags: write, align: 4, off: 298, size: 5},                                   // 6
		{name: "f", typ: cuda.SHTNobits, flags: write, align: 16, off: 298, size: 7},                                  // 7
		{name: "g", typ: cuda.SHTProgbits, align: 1, off: 320, data: make([]byte, 3)},                                 // 8
		{name: "m", typ: cuda.SHTProgbits, flags: alloc | cuda.SHFMercury, align: 1, off: 336, data: make([]byte, 3)}, // 9
	}}
}

// A program header covers its table, nothing, or a run of sections of its permissions, which writing divides, or writing
// and executing; one that covers something else can't be laid out.
func TestWhatSegmentsCover(t *testing.T) {
	table := loaded(Prog{}).bytes(t)
	f, err := Open("a.cubin", table)
	if err != nil {
		t.Fatal(err)
	}
	phoff := f.Header.PhOff
	for _, c := range []struct {
		what        string
		p           Prog
		covers      cover
		first, last int
		byExec      bool
	}{
		{"the table", Prog{Off: phoff, FileSz: ProgSize, MemSz: ProgSize}, coverTable, 0, 0, false},
		{"more in memory than the table", Prog{Off: phoff, FileSz: ProgSize, MemSz: ProgSize + 1}, coverUnknown, 0, 0, false},
		{"less than the table", Prog{Off: phoff, FileSz: ProgSize - 1, MemSz: ProgSize - 1}, coverUnknown, 0, 0, false},
		{"beside the table", Prog{Off: phoff + 1, FileSz: ProgSize, MemSz: ProgSize}, coverUnknown, 0, 0, false},
		{"nothing", Prog{Off: 256}, coverNothing, 0, 0, false},
		{"nothing of the file", Prog{Off: 7, MemSz: 1}, coverUnknown, 0, 0, false},
		{"more of the file", Prog{Off: 7, FileSz: 1}, coverUnknown, 0, 0, false},
		{"what isn't written", Prog{Off: 256, FileSz: 28, MemSz: 28}, coverRun, 2, 4, false},
		{"what isn't written, to write", Prog{Off: 256, FileSz: 28, MemSz: 28, Flags: PFWrite}, coverUnknown, 0, 0, false},
		{"what isn't executed", Prog{Off: 256, FileSz: 16, MemSz: 16}, coverRun, 2, 2, true},
		{"what is executed", Prog{Off: 272, FileSz: 8, MemSz: 8, Flags: PFExec | PFRead}, coverRun, 3, 3, true},
		{"from the middle", Prog{Off: 272, FileSz: 12, MemSz: 12}, coverRun, 3, 4, false},
		{"part of a run", Prog{Off: 256, FileSz: 24, MemSz: 24}, coverUnknown, 0, 0, false},
		{"what is written", Prog{Off: 288, FileSz: 10, MemSz: 10 + 5 + 11 + 7, Flags: PFWrite | PFRead}, coverRun, 5, 7, false},
		{"without its rest in memory", Prog{Off: 288, FileSz: 10, MemSz: 10, Flags: PFWrite}, coverUnknown, 0, 0, false},
		{"what has no bytes", Prog{Off: 298, FileSz: 0, MemSz: 5 + 11 + 7, Flags: PFWrite}, coverRun, 6, 7, false},
		{"what isn't loaded", Prog{Off: 320, FileSz: 3, MemSz: 3}, coverUnknown, 0, 0, false},
		{"what is Mercury's", Prog{Off: 336, FileSz: 3, MemSz: 3}, coverUnknown, 0, 0, false},
	} {
		d := loaded(c.p).open(t)
		s := d.progs[0]
		if s.covers != c.covers || s.covers == coverRun && (s.first != c.first || s.last != c.last || s.byExec != c.byExec) {
			t.Errorf("%s: %+v", c.what, s)
		}
		err := d.Layout()
		if c.covers == coverUnknown {
			fault(t, c.what, err, BadTable, "", d.Header.PhOff, c.p.Off)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		p := d.Progs()[0]
		switch {
		case c.covers == coverTable && (p.Off != d.Header.PhOff || p.FileSz != ProgSize || p.MemSz != ProgSize),
			c.covers == coverNothing && p != c.p,
			c.covers == coverRun && p.Off != d.Part(c.first).Off:
			t.Errorf("%s: laid out as %+v", c.what, p)
		}
	}
	second := loaded(Prog{}, Prog{Off: 7, FileSz: 1}).open(t)
	fault(t, "the second", second.Layout(), BadTable, "", second.Header.PhOff+ProgSize, 7)
	second.Header.PhOff = 0
	var many []Prog
	for range maxSegments + 1 {
		many = append(many, Prog{Off: 256, FileSz: 28, MemSz: 28})
	}
	d := loaded(many...).open(t)
	if d.progs[maxSegments-1].covers != coverRun || d.progs[maxSegments].covers != coverUnknown {
		t.Errorf("the last two of %d cover %d and %d", len(many), d.progs[maxSegments-1].covers, d.progs[maxSegments].covers)
	}
}

// A section that is put in beside a run of its permissions belongs to it, and one that goes leaves it; with its last one the
// header is removed.
func TestRunsGrowAndShrink(t *testing.T) {
	read := Prog{Off: 256, FileSz: 28, MemSz: 28}
	byExec := Prog{Off: 256, FileSz: 16, MemSz: 16}
	written := Prog{Off: 288, FileSz: 10, MemSz: 33, Flags: PFWrite}
	for _, c := range []struct {
		what        string
		prog        Prog
		at          int
		flags       cuda.SectionFlags
		first, last int
	}{
		{"before it", read, 2, alloc, 2, 5}, {"before it, to write", read, 2, write, 3, 5}, {"before it, not loaded", read, 2, 0, 3, 5}, {"before it, Mercury's", read, 2, alloc | cuda.SHFMercury, 3, 5},
		{"before it, to execute", read, 2, exec, 2, 5}, {"behind it", read, 5, alloc, 2, 5}, {"behind it, to write", read, 5, write, 2, 4}, {"inside", read, 3, alloc, 2, 5}, {"far behind", read, 6, alloc, 2, 4},
		{"before what isn't executed", byExec, 2, alloc, 2, 3}, {"before what isn't executed, to execute", byExec, 2, exec, 3, 3}, {"behind what isn't executed, to execute", byExec, 3, exec, 2, 2}, {"behind what isn't executed", byExec, 3, alloc, 2, 3},
		{"before what is written", written, 5, write, 5, 8}, {"before what is written, to read", written, 5, alloc, 6, 8}, {"behind what is written", written, 8, write, 5, 8},
	} {
		d := loaded(c.prog).open(t)
		if err := d.Insert(c.at, "x", Section{Type: cuda.SHTProgbits, Flags: c.flags, Align: 1}, []byte{1}); err != nil {
			t.Fatal(err)
		}
		if s := d.progs[0]; s.first != c.first || s.last != c.last {
			t.Errorf("%s: %d to %d, want %d to %d", c.what, s.first, s.last, c.first, c.last)
		}
	}
	for _, c := range []struct {
		gone        []int
		first, last int // 0: the header is removed
	}{
		{[]int{2}, 2, 3}, {[]int{3}, 2, 3}, {[]int{4}, 2, 3}, {[]int{2, 3}, 2, 2}, {[]int{2, 4}, 2, 2}, {[]int{3, 4}, 2, 2}, {[]int{2, 3, 4}, 0, 0}, {[]int{5, 8}, 2, 4},
	} {
		d := loaded(read, Prog{}).open(t)
		if _, err := d.Drop(c.gone, nil); err != nil {
			t.Fatal(err)
		}
		d = laidOut(t, d)
		if c.first == 0 {
			if len(d.progs) != 1 || d.progs[0].covers != coverNothing {
				t.Errorf("without %v: %+v", c.gone, d.progs)
			}
			continue
		}
		if len(d.progs) != 2 || d.progs[0].first != c.first || d.progs[0].last != c.last {
			t.Errorf("without %v: %+v", c.gone, d.progs)
		}
	}
}
