package usage

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

// What nvlink printed under -v of every recorded image of its own.
func TestRecorded(t *testing.T) {
	list, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() ([]corpus.Program, error){corpus.Behaviours, corpus.Mercury} {
		programs, err := read()
		if err != nil {
			t.Fatal(err)
		}
		list = append(slices.Clone(list), corpus.CasesOf(programs)...)
	}
	compared := map[string]int{}
	for _, c := range list {
		if !slices.Contains(c.Args, "-v") && !slices.Contains(c.Args, "--verbose") || c.Output == nil {
			continue
		}
		var said []string
		for line := range strings.Lines(c.Stderr) {
			if text, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "nvlink info    : "); ok && (strings.Contains(text, " bytes gmem") || strings.HasPrefix(text, "Function properties") || strings.HasPrefix(text, "used ")) {
				said = append(said, text)
			}
		}
		f, err := cubin.Open(c.ID(), c.Output)
		if err != nil {
			t.Fatal(err)
		}
		u, err := Of(f, slices.ContainsFunc(c.Args, func(a string) bool { return strings.HasPrefix(a, "--disable-smem-reservation") }))
		if err != nil {
			t.Errorf("%s: %v", c.ID(), err)
			continue
		}
		if c.Release > "13.0" && u.HasBarriers && u.KeepBarriers(0) {
			continue // what the memory held
		}
		if got := u.Lines(); !slices.Equal(got, said) {
			t.Errorf("%s:\n got %q\nsaid %q", c.ID(), got, said)
		}
		compared[c.Release]++
	}
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		if compared[release] == 0 {
			t.Errorf("no image of %s", release)
		}
	}
	t.Log(compared)
}
