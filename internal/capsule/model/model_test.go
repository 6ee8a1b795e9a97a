package model_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/model"
)

var cubins = corpustest.Capsules

// Every file of ptxas and nvlink 13.0.88 and 13.5.37 comes back byte for byte.
func TestRebuild(t *testing.T) {
	forms := map[string]int{}
	cubins(t, func(c *corpus.Capsule, data []byte) {
		m, err := model.Decode(c.Name, data)
		if err != nil {
			t.Error(err)
			return
		}
		for i := range m.Sections {
			if b := m.Sections[i].Body; b != nil {
				forms[b.Form()]++
			}
		}
		out, err := m.Encode()
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(out, data) {
			t.Errorf("%s: %d bytes rebuilt of %d, or others", c.Name, len(out), len(data))
		}
	})
	for _, form := range []string{"attributes", "call graph", "capsule", "code", "frames", "lines", "notes", "pairs", "registers", "relocations", "strings", "symbols"} {
		if forms[form] == 0 {
			t.Errorf("no section decoded as %s", form)
		}
	}
}

// Encoding takes nothing from the input: without it only the container is left.
func TestRebuildFromModelAlone(t *testing.T) {
	cubins(t, func(c *corpus.Capsule, data []byte) {
		if c.Name[0] > 'c' {
			return
		}
		data = bytes.Clone(data)
		m, err := model.Decode(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		want := bodies(m)
		for i := range m.Sections {
			s := &m.Sections[i]
			if _, raw := s.Body.(model.Bytes); s.Body != nil && !raw && !views(s.Body) {
				p := m.Part(i)
				clear(data[p.Off : p.Off+p.Size])
			}
		}
		if diff := cmp.Diff(want, bodies(m)); diff != "" {
			t.Errorf("%s: the model changes with the input:\n%s", c.Name, diff)
		}
	})
}

// views reports whether a body holds parts of the input: payloads, records and
// operands that have no structure here.
func views(b model.Body) bool {
	switch b.Form() {
	case "symbols", "relocations", "code", "call graph", "pairs", "words", "strings":
		return false
	}
	return true
}

func bodies(m *model.Model) map[int]string {
	all := map[int]string{}
	for i := range m.Sections {
		if b := m.Sections[i].Body; b != nil && !views(b) {
			all[i] = string(b.Append(nil))
		}
	}
	return all
}

// A change in the model is a change in the file, and nowhere else.
func TestChange(t *testing.T) {
	cubins(t, func(c *corpus.Capsule, data []byte) {
		if c.Source != "capsules/ptx/calls.ptx" {
			return
		}
		m, err := model.Decode(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Sections {
			a, ok := m.Sections[i].Body.(*model.Attributes)
			if !ok || m.Sections[i].Name != ".nv.merc.nv.info" {
				continue
			}
			a.List = append(a.List, cubin.InfoRecord{Format: 4, Attr: 0x2f, Data: []byte{1, 0, 0, 0, 9, 0, 0, 0}})
			out, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := model.Decode(c.Name, out)
			if err != nil {
				t.Fatal(err)
			}
			for k := range m.Sections {
				if diff := cmp.Diff(encoded(m, k), encoded(again, k)); diff != "" {
					t.Errorf("%s: section %s after a change of %s:\n%s", c.Name, m.Sections[k].Name, m.Sections[i].Name, diff)
				}
			}
		}
	})
}

func encoded(m *model.Model, i int) []byte {
	if b := m.Sections[i].Body; b != nil {
		return b.Append(nil)
	}
	return nil
}
