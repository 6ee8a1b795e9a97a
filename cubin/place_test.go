package cubin_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// TestBytesBetween keeps what no header describes: after the last table, and
// between sections, where Layout moves it with the section before.
func TestBytesBetween(t *testing.T) {
	name, data := shortest(t, "constants/13.0")
	junk := append(bytes.Clone(data), "behind the file"...)
	d := decode(t, name, junk)
	same(t, name, encode(t, d), junk)
	same(t, name, layout(t, d), junk)

	d = decode(t, name, data)
	if err := d.SetTail(1, []byte("between")); err != nil {
		t.Fatal(err)
	}
	out := layout(t, d)
	end := d.Part(1).Off + d.Part(1).Size
	if !bytes.HasPrefix(out[end:], []byte("between")) || d.Part(2).Off < end+7 {
		t.Errorf("behind section 1 stands %q", out[end:d.Part(2).Off])
	}
	again := decode(t, name, out)
	if !bytes.HasPrefix(again.Tail(1), []byte("between")) {
		t.Errorf("read as %q", again.Tail(1))
	}
	same(t, name, layout(t, again), out)
}

// TestOverlap moves a section into another one.
func TestOverlap(t *testing.T) {
	name, data := shortest(t, "constants/13.0")
	for _, into := range []int{1, 2, 4} {
		d := decode(t, name, data)
		d.Part(3).Off = d.Part(into).Off + 1
		_, err := d.Encode()
		want(t, err, cubin.BadExtent)
		if err := d.Layout(); err != nil {
			t.Error(err)
		}
		checkNumbers(t, name, encode(t, d))
	}
}

// TestIntern finds a name that is there, whole, and appends others once.
func TestIntern(t *testing.T) {
	name, data := shortest(t, "constants/13.0")
	d := decode(t, name, data)
	size := len(d.Data(1))
	for text, there := range map[string]bool{"": true, ".symtab": true, "symtab": false, "new": false} {
		off, err := d.Intern(1, text)
		if got, ok := d.String(1, uint64(off)); err != nil || !ok || got != text {
			t.Errorf("%q stands at 0x%x: %q, %v", text, off, got, err)
		}
		if (int(off) < size) != there {
			t.Errorf("%q stands at 0x%x of the 0x%x before", text, off, size)
		}
		if again, _ := d.Intern(1, text); again != off {
			t.Errorf("%q stands at 0x%x and 0x%x", text, off, again)
		}
	}
	if got := len(d.Data(1)); got != size+len("symtab")+len("new")+2 {
		t.Errorf("%d bytes more", got-size)
	}
}

// TestSegmentGrows puts a section beside a run of an image, and takes out what
// a program header covers.
func TestSegmentGrows(t *testing.T) {
	for _, prefix := range []string{"globals/11.8", "globals/13.0", "13.0-sm_100-linked", "13.5-sm_100-linked"} {
		name, data := image(t, prefix)
		d := decode(t, name, data)
		init := d.Lookup(".nv.global.init")
		before := covering(t, d, d.Part(init).Off)
		h := cubin.Section{Type: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFWrite, Align: 4}
		if err := d.Insert(init, ".more", h, []byte("16 bytes of data")); err != nil {
			t.Fatal(err)
		}
		layout(t, d)
		after := covering(t, d, d.Part(init).Off)
		if after.Off != d.Part(init).Off || after.FileSz < before.FileSz+16 {
			t.Errorf("%s: %+v became %+v", name, before, after)
		}

		d = decode(t, name, data)
		headers := len(d.Progs())
		var loaded []int
		for i := range d.NumSections() {
			if d.Part(i).Flags&(cuda.SHFAlloc|cuda.SHFWrite|cuda.SHFMercury) == cuda.SHFAlloc|cuda.SHFWrite {
				loaded = append(loaded, i)
			}
		}
		if _, err := d.Drop(loaded, nil); err != nil {
			t.Fatal(err)
		}
		out := decode(t, name, layout(t, d))
		if got := len(out.Progs()); got != headers-1 || out.Header.PhNum != uint16(got) {
			t.Errorf("%s: %d program headers of %d without data", name, got, headers)
		}
	}
}

// image returns the smallest image of that name with .nv.global.init.
func image(t *testing.T, prefix string) (name string, data []byte) {
	t.Helper()
	each(t, func(t *testing.T, n string, b []byte) {
		d := decode(t, n, b)
		if bytes.HasPrefix([]byte(n), []byte(prefix)) && len(d.Progs()) > 0 && d.Lookup(".nv.global.init") != 0 && (data == nil || len(b) < len(data)) {
			name, data = n, b
		}
	})
	if data == nil {
		t.Fatalf("no image named %s…", prefix)
	}
	return name, data
}

// covering returns the program header of the run that begins at off.
func covering(t *testing.T, d *cubin.Editor, off uint64) cubin.Prog {
	t.Helper()
	i := slices.IndexFunc(d.Progs(), func(p cubin.Prog) bool { return p.Off == off })
	if i < 0 {
		t.Fatalf("%s: no program header begins at 0x%x: %+v", d.Name(), off, d.Progs())
	}
	return d.Progs()[i]
}

// TestSharedRecords moves symbols whose call graphs are one stretch of file.
func TestSharedRecords(t *testing.T) {
	data := bytes.Clone(mercury(t)["13.5-sm_100-mercury.cubin"])
	f, err := cubin.Open("shared", data)
	if err != nil {
		t.Fatal(err)
	}
	sass, merc := f.Lookup(".nv.callgraph"), f.Lookup(".nv.merc.nv.callgraph")
	a := f.Section(sass)
	binary.LittleEndian.PutUint64(data[f.Header.ShOff+uint64(merc)*cubin.SectionSize+24:], a.Off)
	d := decode(t, "shared", data)
	if d.SharesWith(merc) != sass {
		t.Fatal("not shared")
	}
	before, err := d.Callgraph(sass)
	if err != nil {
		t.Fatal(err)
	}
	if err := shiftSymbols(d); err != nil {
		t.Fatal(err)
	}
	after, err := d.Callgraph(merc)
	if err != nil {
		t.Fatal(err)
	}
	for k, g := range before {
		for n, p := range g.Pairs {
			if p.X++; !g.NamesString() {
				p.Y++
			}
			if got := after[k].Pairs[n]; got != p {
				t.Errorf("pair %v instead of %v", got, p)
			}
		}
	}
}

// TestDropCompat wants cuinfo as nvlink writes it where there is no .nv.compat.
func TestDropCompat(t *testing.T) {
	data := mercury(t)["13.0-sm_100-mercury.cubin"]
	d := decode(t, "compat", data)
	if _, err := d.Drop([]int{d.Lookup(".nv.compat")}, nil); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, "compat", layout(t, d))
	p := d.Part(d.Lookup(".note.nv.cuinfo"))
	if p.Flags != cuda.SHFCuinfo || p.Info != 0 {
		t.Errorf("cuinfo has flags 0x%x and sh_info %d", uint64(p.Flags), p.Info)
	}
}
