package mercury

import "testing"

// The table in this program can be read and is in order, and what is read of it when a tag
// is first asked for is what reading all of it gives.
func TestForms(t *testing.T) {
	whole, err := Parse(learned)
	if err != nil {
		t.Fatal(err)
	}
	lazy, n := &Table{lazy: true}, 0
	whole.forms.Range(func(number, forms any) bool {
		got := lazy.formsOf(number.(uint32))
		if len(got) != len(forms.([]*form)) {
			t.Fatalf("%08x: %d, want %d", number, len(got), len(forms.([]*form)))
		}
		for i, f := range forms.([]*form) {
			if got[i].tag != number || len(got[i].models) != len(f.models) {
				t.Errorf("%08x: form %d is another", number, i)
			}
		}
		n++
		return true
	})
	if n < 400 {
		t.Errorf("%d numbers", n)
	}
	for _, number := range []uint32{0, 0x201, 0xffe, 0x01000000, 1<<32 - 1} {
		if lazy.formsOf(number) != nil {
			t.Errorf("forms of %08x", number)
		}
	}
}

// Unused names the line of a model, whether all of the table was read or that alone.
func TestUnusedLine(t *testing.T) {
	whole, err := Parse(learned)
	if err != nil {
		t.Fatal(err)
	}
	record := []byte("\x01\x0b\x04\x0a\xf8\x00\x04\x00\x00\x00\x01\x00\x02\x02\x00\x00")
	want, _, ok := whole.Unused(100, record)
	got, _, ok2 := (&Table{lazy: true}).Unused(100, record)
	if !ok || !ok2 || got != want || want < 1000 {
		t.Errorf("line %d, want %d", got, want)
	}
}
