package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/oracle/check"
)

// TestOtherMemory moves the shared variables and constants of nvlink's recorded links: they are right still, and wrong where the code
// of one function was left as it was.
func TestOtherMemory(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	links, variables, left := 0, 0, 0
	for i, c := range cases {
		if !c.Linked() || !c.Complete() || len(c.Output) == 0 || slices.ContainsFunc(c.Inputs, func(in corpus.Input) bool { return !bytes.HasPrefix(in.Data, []byte("\x7fELF")) }) {
			continue
		}
		var inputs []check.Input
		for _, in := range c.Inputs {
			inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
		}
		l := link{Release: c.Release, Arch: c.Arch, Args: c.Args}
		if !check.Check(inputs, c.Output, l.options()).Agrees() {
			continue
		}
		other, n := otherMemory(inputs, c.Output, uint64(i))
		if n == 0 {
			continue
		}
		links, variables = links+1, variables+n
		if v := check.Check(inputs, other, l.options()); !v.Agrees() {
			t.Errorf("%s: %d variables elsewhere:\n%s", c.ID(), n, v)
		}
		was, now := open(c.Output, nil), open(other, nil)
		if slices.ContainsFunc(was.sections, func(h header) bool { return strings.HasPrefix(h.name, ".nv.shared.") }) {
			continue // a kernel's own variable may be at the old place as well
		}
		for k := range was.sections {
			a, b := &was.sections[k], &now.sections[k]
			if !a.code() || bytes.Equal(was.bytes[a.off:a.off+a.size], now.bytes[b.off:b.off+b.size]) {
				continue
			}
			wrong := bytes.Clone(other)
			copy(wrong[b.off:], was.bytes[a.off:a.off+a.size])
			if left++; check.Check(inputs, wrong, l.options()).Agrees() {
				t.Errorf("%s: %s names the old places, and is accepted", c.ID(), a.name)
			}
			break
		}
	}
	t.Logf("%d links, %d variables, %d with code left as it was", links, variables, left)
	if links < 50 || left < 20 {
		t.Errorf("%d links, %d with code left as it was", links, left)
	}
}
