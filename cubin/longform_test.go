package cubin_test

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

// A file in ELF's form for very many sections has the same sections and symbols, keeps its form through the editor, and
// one that says zero or more sections than it has room for is refused.
func TestLongForm(t *testing.T) {
	each(t, func(t *testing.T, name string, data []byte) {
		long := corpus.LongForm(data)
		short, err := cubin.Open(name, data)
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(name, long)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f.NumSections() != short.NumSections() {
			t.Errorf("%s: %d sections, want %d", name, f.NumSections(), short.NumSections())
		}
		for i := 1; i < f.NumSections(); i++ {
			a, b := f.Section(i), short.Section(i)
			if a != b || f.SectionName(&a) != short.SectionName(&b) {
				t.Errorf("%s: section %d is %s, want %s", name, i, f.SectionName(&a), short.SectionName(&b))
			}
		}
		same(t, name, layout(t, decode(t, name, long)), long)
		for _, count := range []uint64{0, uint64(len(data)), 1 << 58, 1<<64 - 1} {
			bad := append([]byte(nil), long...)
			h := bad[f.Header.ShOff:]
			for i := range 8 {
				h[32+i] = byte(count >> (8 * i))
			}
			_, err := cubin.Open(name, bad)
			want(t, err, cubin.BadTable)
		}
	})
}
