package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What faults drawn at random in this package showed that no test asked.

// TestTwice gives the first module of links twice, and wants each of its functions that is not weak to be reported: an
// image has one of the two.
func TestTwice(t *testing.T) {
	functions := 0
	for i, c := range linkedCases(t) {
		in := inputsOf(c)
		if i%5 != 0 || c.Program == "empty" { // no function
			continue
		}
		v := Check(append(in, Input{"again.cubin", bytes.Clone(in[0].Data)}), c.Output, optionsOf(c))
		if v.Agrees() {
			t.Errorf("%s: accepted", c.ID())
		}
		for _, f := range v.Findings {
			if f.Kind == InputConflict && f.Symbol != "" && strings.HasPrefix(f.Detail, "the function is defined in "+in[0].Name) {
				functions++
			}
		}
	}
	if functions < 50 {
		t.Errorf("%d functions are reported", functions)
	}
}

// TestRegisterTypes wants a table of what registers hold that ends early not to be read.
func TestRegisterTypes(t *testing.T) {
	whole := []byte("k\x00\x02\x00\x00\x00ab" + "f\x00\x01\x00\x00\x00c")
	if names, ok := registerTypes(whole); !ok || !slices.Equal(names, []string{"k", "f"}) {
		t.Errorf("%q, %v", names, ok)
	}
	for n := 1; n < len(whole); n++ {
		if names, ok := registerTypes(whole[:n]); ok && n != 8 {
			t.Errorf("%d bytes are read as %q", n, names)
		}
	}
}

// TestStrayInCode moves a record of code behind its end, where no input has anything, and wants it reported as stray
// without Strict too: in data it may be what is left of a definition that lost.
func TestStrayInCode(t *testing.T) {
	moved := 0
	for _, c := range linkedCases(t) {
		options := optionsOf(c)
		if !options.PreserveRelocs && !options.Relocatable {
			continue
		}
		e := editorOf(t, c)
		for i := range e.out.sections {
			s := &e.out.sections[i]
			if s.kind != 4 || s.size == 0 || !strings.HasPrefix(s.name, ".rela.text.") {
				continue
			}
			e.put(s.offset, 8, 1<<20)
			v := Check(inputsOf(c), e.bytes, options)
			if moved++; !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == RelocationStray && f.Offset == 1<<20 }) {
				t.Errorf("%s: %s: no stray record: %s", c.ID(), s.name, v)
			}
			break
		}
	}
	if moved == 0 {
		t.Error("no link has a record to move")
	}
}
