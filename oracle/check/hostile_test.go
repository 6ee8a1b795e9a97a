package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

func caseOf(t testing.TB, id string) corpus.Case {
	t.Helper()
	for _, c := range linkedCases(t) {
		if c.ID() == id {
			return c
		}
	}
	t.Fatalf("no case %s", id)
	return corpus.Case{}
}

// An output that is not one: it diverges, with the reason.
func TestNoOutput(t *testing.T) {
	c := caseOf(t, "calls/13.0-sm_90a")
	other := caseOf(t, "shared_all/12.4-sm_90")
	for _, x := range []struct {
		name   string
		output []byte
		want   Kind
	}{
		{"empty", nil, Unreadable},
		{"text", []byte("not an ELF file, but longer than an ELF header, which takes sixty-four bytes"), Unreadable},
		{"header only", c.Output[:64], Unreadable},
		{"half", c.Output[:len(c.Output)/2], Unreadable},
		{"one byte short", c.Output[:len(c.Output)-1], Unreadable},
		{"an input", c.Inputs[0].Data, FunctionMissing},
		{"another program", other.Output, OtherProgram},
	} {
		v := Check(inputsOf(c), x.output, optionsOf(c))
		found := false
		for _, f := range v.Findings {
			found = found || f.Kind == x.want
		}
		if v.Refusal != nil || !found {
			t.Errorf("%s: want %v, got %v", x.name, x.want, v)
		}
	}
}

// An input that can't be read gives no answer.
func TestBadInput(t *testing.T) {
	c := caseOf(t, "calls/13.0-sm_90a")
	for _, x := range []struct {
		name string
		data []byte
		want RefusalKind
	}{
		{"empty", nil, NotELF},
		{"text", []byte("text"), NotELF},
		{"cut", c.Inputs[0].Data[:len(c.Inputs[0].Data)-200], BadTable},
	} {
		in := append([]Input{{Name: x.name, Data: x.data}}, inputsOf(c)...)
		v := Check(in, c.Output, optionsOf(c))
		if v.Refusal == nil || v.Refusal.Kind != x.want || v.Refusal.File != x.name {
			t.Errorf("%s: want refusal %q, got %v", x.name, x.want, v)
		}
	}
}

// Random bytes changed in inputs and outputs: an answer, whatever it is.
func TestHostileBytes(t *testing.T) {
	cases := append(linkedCases(t), mercuryCases(t)...)
	cases = append(cases, slices.Repeat(mercuryCases(t), 8)...)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 1500 {
		c := cases[r.IntN(len(cases))]
		inputs, output := inputsOf(c), append([]byte(nil), c.Output...)
		data := &output
		if round%2 == 0 {
			in := &inputs[r.IntN(len(inputs))]
			in.Data = append([]byte(nil), in.Data...)
			data = &in.Data
		}
		if round%5 == 0 {
			*data = (*data)[:r.IntN(len(*data))]
		}
		for range 1 + r.IntN(12) {
			if len(*data) > 0 {
				(*data)[r.IntN(len(*data))] = byte(r.Uint32())
			}
		}
		// Numbers of a header table, where it hurts most.
		if n := len(*data); n > 64 {
			table := int(image.Number(*data, 40, 8))
			if table > 0 && table < n-64 {
				at := table + r.IntN(n-table)
				(*data)[at] ^= byte(1 << r.IntN(8))
			}
		}
		Check(inputs, output, optionsOf(c))
	}
}

// A few hundred bytes that claim to be very much.
func TestBudget(t *testing.T) {
	c := caseOf(t, "calls/13.0-sm_90a")
	in := inputsOf(c)
	in[0].Data = append([]byte(nil), in[0].Data...)
	shoff := image.Number(in[0].Data, 40, 8)
	for i := range image.Number(in[0].Data, 60, 2) {
		h := shoff + 64*i
		if image.Number(in[0].Data, h+4, 4) == 0x70000007 || image.Number(in[0].Data, h+4, 4) == 1 {
			// sh_addralign of 2^60: the section after would begin there.
			in[0].Data[h+55] = 0x10
		}
	}
	v := Check(in, c.Output, optionsOf(c))
	if v.Agrees() {
		t.Error("accepted")
	}
}
