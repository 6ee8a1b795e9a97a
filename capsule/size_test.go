package capsule_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// Which field decides the size of a word shows where that field alone is another: opcodes of both sizes, as nvlink
// answers. Left out are 52 words of which it says otherwise than this package: of a UISETP with a combining predicate
// ptxas keeps a record, and an FSETP with two results or a LOP3 that names a source which it doesn't use it doesn't write.
func TestSizesByField(t *testing.T) {
	text, err := os.ReadFile("testdata/sizes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(text)) {
		var hi, lo uint64
		var want uint32
		if n, _ := fmt.Sscanf(line, "%x\t%x\t%d", &hi, &lo, &want); n != 3 {
			continue // a comment
		}
		asked++
		if got := capsule.PlainSize(lo, hi); got != want {
			t.Errorf("%016x.%016x: %d bytes, want %d", hi, lo, got, want)
		}
	}
	if asked < 300 {
		t.Errorf("only %d words", asked)
	}
}

// A number of no section has no function, however near it is to the last.
func TestFuncOfNoSection(t *testing.T) {
	data, err := os.ReadFile("../corpus/testdata/cases/unified_padded/13.0-sm_100-r/out.cubin")
	if err != nil {
		t.Fatal(err)
	}
	file, err := cubin.Open("out.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	m := capsule.Open(file)
	found := 0
	for i := range uint32(len(m.Sections)) + 3 {
		fn := m.FuncOf(i)
		if fn != nil {
			found++
		}
		if fn != nil && int(i) >= len(m.Sections) {
			t.Errorf("section %d of %d has a function", i, len(m.Sections))
		}
	}
	if want := 2 * len(m.Funcs); found != want || want == 0 {
		t.Errorf("%d sections have a function, want %d", found, want)
	}
}
