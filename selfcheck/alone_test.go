package selfcheck_test

import (
	"bytes"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// relocatedWords returns which words of a function relocations of either side fill.
func relocatedWords(t *testing.T, m *capsule.Image, fn *capsule.Func) []bool {
	t.Helper()
	filled := make([]bool, len(fn.Code)/capsule.WordSize)
	each := func(section int, do func(off uint64)) {
		if section == 0 {
			return
		}
		list, err := m.File.Relocs(&m.Sections[section].Section)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list.Len() {
			do(list.At(i).Off)
		}
	}
	each(fn.Rela, func(off uint64) { filled[off/capsule.WordSize] = true })
	each(fn.MercRela, func(off uint64) {
		for k := range fn.Cap.Nodes {
			// A SKIP is as long as nothing in Mercury.
			if n := &fn.Cap.Nodes[k]; n.Kind != capsule.Skip && uint64(n.Merc) <= off && (k+1 == len(fn.Cap.Nodes) || off < uint64(fn.Cap.Nodes[k+1].Merc)) {
				filled[n.SASS/capsule.WordSize] = true
			}
		}
	})
	return filled
}

// A link of an object is compared word by word, but for what relocations of either
// side fill.
func TestCompareLinked(t *testing.T) {
	met := map[selfcheck.Change]int{}
	moved := 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, data)
		if err != nil || f.Header.Type != cuda.ETRel {
			return
		}
		object := capsule.Open(f)
		for i := range object.Funcs {
			fn := &object.Funcs[i]
			if fn.Cap == nil || fn.MercRela == 0 || len(fn.Unsized) > 0 {
				continue
			}
			filled := relocatedWords(t, object, fn)
			change := func(want selfcheck.Change, word int, bit uint) {
				other, err := cubin.Open(c.Name, bytes.Clone(data))
				if err != nil {
					t.Fatal(err)
				}
				linked := capsule.Open(other)
				linked.Funcs[i].Code[word*capsule.WordSize+int(bit/8)] ^= 1 << (bit % 8)
				got := selfcheck.CompareLinked(object, linked)[i]
				if got.Change != want || want != selfcheck.Same && got.Offset != uint64(word*capsule.WordSize) {
					t.Fatalf("%s: %s: word %d is %s at 0x%x, want %s", c.Name, fn.Name, word, got.Change, got.Offset, want)
				}
				met[want]++
			}
			plain := 0
			for k := range filled {
				switch {
				case filled[k]:
					change(selfcheck.Same, k, 20)
					moved++
				case plain < 2:
					plain++
					change(selfcheck.Other, k, 20)
					change(selfcheck.Scheduled, k, 106)
				}
			}
		}
	})
	if met[selfcheck.Same] < 50 || met[selfcheck.Other] < 50 || met[selfcheck.Scheduled] < 50 {
		t.Errorf("compared %v", met)
	}
}

// A Mercury relocation after the function's end fills nothing, whatever it says.
func TestCompareLinkedBehindEnd(t *testing.T) {
	done := 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		f, err := cubin.Open(c.Name, bytes.Clone(data))
		if err != nil || f.Header.Type != cuda.ETRel {
			return
		}
		object := capsule.Open(f)
		for i := range object.Funcs {
			fn := &object.Funcs[i]
			if fn.Cap == nil || fn.MercRela == 0 {
				continue
			}
			content := object.Sections[fn.MercRela].Content
			content[0], content[1], content[2] = byte(fn.Cap.MercSize), byte(fn.Cap.MercSize>>8), byte(fn.Cap.MercSize>>16)
			if got := selfcheck.CompareLinked(object, object)[i]; got.Change != selfcheck.Same {
				t.Errorf("%s: %s: %s", c.Name, fn.Name, got.Change)
			}
			done++
		}
	})
	if done < 20 {
		t.Errorf("%d functions", done)
	}
}

// The address in a frame of a function inside a kernel is that of the SASS, or
// Mercury's, as 13.5 writes it.
func TestFrameLocation(t *testing.T) {
	const name, frame = "shapes-13.0-sm_100-whole", "byte 4 196 = 96\nbyte 4 197 = 8" // 2144
	var data []byte
	capsules(t, func(c *corpus.Capsule, d []byte) {
		if c.Name == name {
			data = bytes.Clone(d)
		}
	})
	for _, edit := range bytes.Split([]byte(frame), []byte("\n")) {
		if err := corpus.Edit(data, string(edit)); err != nil {
			t.Fatal(err)
		}
	}
	if r := selfcheck.Check(name, data, selfcheck.Options{}); len(r.Findings) > 0 {
		t.Errorf("%s", first(r))
	}
}
