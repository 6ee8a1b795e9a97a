package fuzz

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/oracle/check"
)

// mutants is how many changed inputs every reader gets here; go test -fuzz goes
// on from there.
const mutants = 2000

// Whatever an input holds, the engine links it or refuses it, without a panic
// and within the bounds of time and memory.
func TestMutantsEngine(t *testing.T) {
	linked := 0
	for n := range uint64(mutants) {
		l, err := Mutant(n)
		if err != nil {
			t.Fatal(err)
		}
		if d := l.Judge(); d != nil {
			t.Errorf("mutant %d: %s", n, d)
		}
		if l.Linked {
			linked++
		}
	}
	// Where nearly all are refused at their first table, nothing was tried.
	if linked < mutants/5 {
		t.Errorf("%d of %d mutants link", linked, mutants)
	}
}

// The same for the readers of one file, and for the oracle, whose output to judge
// is the mutant.
func TestMutantsReaders(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for n := range mutants {
		original := files[(n*37)%len(files)]
		data := Mutate(NewReader(randomInput(n, 200)), original)
		for _, judge := range []func([]byte) *Divergence{JudgeContainer, JudgeDump} {
			if d := judge(data); d != nil {
				t.Errorf("mutant %d: %s", n, d)
			}
		}
	}
}

func TestMutantsOracle(t *testing.T) {
	list, err := bases()
	if err != nil {
		t.Fatal(err)
	}
	refused, found, agreed := 0, 0, 0
	for n := range mutants {
		b := &list[n%len(list)]
		out, err := engine.Link(b.inputs, b.options)
		if err != nil {
			continue
		}
		image := out.Image
		inputs, size := make([]check.Input, len(b.inputs)), len(image)
		for i, in := range b.inputs {
			inputs[i] = check.Input{Name: in.Name, Data: in.Data}
			size += len(in.Data)
		}
		// Half of them lie about the output, half about an input.
		r := NewReader(randomInput(n, 200))
		if n%2 == 0 {
			image = Mutate(r, image)
		} else {
			inputs[n%len(inputs)].Data = Mutate(r, inputs[n%len(inputs)].Data)
		}
		var v check.Verdict
		if d := within("oracle", size, func() *Divergence {
			v = check.Check(inputs, image, check.Options{Debug: b.options.Debug, PreserveRelocs: b.options.PreserveRelocs})
			return nil
		}); d != nil {
			t.Errorf("mutant %d of %s: %s", n, b.id, d)
		}
		switch {
		case v.Refusal != nil:
			refused++
		case v.Agrees():
			agreed++
		default:
			found++
		}
	}
	if refused < mutants/50 || found < mutants/5 || agreed < mutants/50 {
		t.Errorf("%d refused, %d found wrong, %d accepted: the mutants are of one kind only", refused, found, agreed)
	}
}

// The output may not depend on how many threads there are, nor on what map order
// a run gets, nor on the link before it.
func TestDeterminism(t *testing.T) {
	list, err := bases()
	if err != nil {
		t.Fatal(err)
	}
	answer := func(b *base) string {
		out, err := engine.Link(b.inputs, b.options)
		if err != nil {
			return "refused: " + err.Error()
		}
		return fmt.Sprintf("%s %+v %x", out.Release, out.Diags, out.Image)
	}
	before := make([]string, len(list))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i := range list {
		before[i] = answer(&list[i])
	}
	runtime.GOMAXPROCS(2)
	for i := len(list) - 1; i >= 0; i-- {
		for range 2 {
			if got := answer(&list[i]); got != before[i] {
				t.Errorf("%s: another answer", list[i].id)
			}
		}
	}
}

// The inputs are borrowed: a link leaves them as they are.
func TestInputsAreLeftAlone(t *testing.T) {
	list, err := bases()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		b := &list[i]
		var copies [][]byte
		for _, in := range b.inputs {
			copies = append(copies, bytes.Clone(in.Data))
		}
		_, _ = engine.Link(b.inputs, b.options)
		for j, in := range b.inputs {
			if !bytes.Equal(in.Data, copies[j]) {
				t.Fatalf("%s: input %s is changed", b.id, in.Name)
			}
		}
	}
}
