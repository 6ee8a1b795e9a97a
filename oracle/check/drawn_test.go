package check

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// What faults chosen at random in this package showed that no test asked.

// TestTwice gives the first module of links twice, and wants each of its functions that is not weak to be reported: an
// image has one of the two.
func TestTwice(t *testing.T) {
	functions := 0
	for i, c := range linkedCases(t) {
		in := inputsOf(c)
		if i%5 != 0 || c.Program == "empty" { // no function
			continue
		}
		v := Check(append(in, Input{Name: "again.cubin", Data: bytes.Clone(in[0].Data)}), c.Output, optionsOf(c))
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

// TestStrayInCode moves a record of code after its end, where no input has anything, and wants it reported as stray
// without Strict too: in data it may be what is left of a definition that lost.
func TestStrayInCode(t *testing.T) {
	moved := 0
	for _, c := range linkedCases(t) {
		options := optionsOf(c)
		if !options.PreserveRelocs && !options.Relocatable {
			continue
		}
		e := editorOf(t, c)
		for i := range e.out.Sections {
			s := &e.out.Sections[i]
			if s.Kind != 4 || s.Size == 0 || !strings.HasPrefix(s.Name, ".rela.text.") {
				continue
			}
			e.put(s.Offset, 8, 1<<20)
			v := Check(inputsOf(c), e.bytes, options)
			if moved++; !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == RelocationStray && f.Offset == 1<<20 }) {
				t.Errorf("%s: %s: no stray record: %s", c.ID(), s.Name, v)
			}
			break
		}
	}
	if moved == 0 {
		t.Error("no link has a record to move")
	}
}
