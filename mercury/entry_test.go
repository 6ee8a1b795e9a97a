package mercury

import "testing"

// The table in this program can be read, and what is read of it when a tag is
// first asked for is what reading all of it gives.
func TestIndex(t *testing.T) {
	whole, err := Parse(learned)
	if err != nil {
		t.Fatal(err)
	}
	lazy := index(learned)
	for _, by := range [...]struct {
		name       string
		whole, got map[uint32]*entry
	}{{"form", whole.forms, lazy.forms}, {"plain", whole.plain, lazy.plain}} {
		if len(by.whole) != len(by.got) || len(by.got) == 0 {
			t.Errorf("%s: %d, want %d", by.name, len(by.got), len(by.whole))
		}
		for tag, e := range by.whole {
			got := by.got[tag].get()
			if len(got) != len(e.forms) {
				t.Fatalf("%s %08x: %d, want %d", by.name, tag, len(got), len(e.forms))
			}
			for i, f := range e.forms {
				if got[i].tag != tag || len(got[i].models) != len(f.models) || len(f.models) > 0 && got[i].models[0].line != f.models[0].line {
					t.Errorf("%s %08x: form %d is another", by.name, tag, i)
				}
			}
		}
	}
}
