package check

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

var updateBytes = flag.Bool("bytes", false, "write testdata/bytes.tsv anew")

// TestEveryByte changes the bytes of small links of nvlink's one by one, every fifth, and wants the places that no finding
// tells to be those of testdata/bytes.tsv: a comparison that goes makes them more, one that comes fewer.
//
//	go test ./oracle/check -run TestEveryByte -bytes
func TestEveryByte(t *testing.T) {
	const name, step = "testdata/bytes.tsv", 5
	want := map[string]string{}
	if text, err := os.ReadFile(name); err == nil {
		for line := range strings.Lines(string(text)) {
			link, places, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			want[link] = places
		}
	}
	var b strings.Builder
	b.WriteString("# Bytes of links, each fifth, whose change has no finding: link, places (TestEveryByte)\n")
	links := 0
	for i, c := range slices.Concat(mercuryCases(t), linkedCases(t)) {
		link := c.Program + "/" + c.Name
		places, listed := want[link]
		if *updateBytes && (len(c.Output) > 8000 || i%12 != 0) || !*updateBytes && !listed || testing.Short() && links == 6 && !*updateBytes {
			continue
		}
		inputs, options := inputsOf(c), optionsOf(c)
		if v := Check(inputs, c.Output, options); v.Total > 0 || v.Refusal != nil {
			continue
		}
		links++
		got := corpus.Unseen(c.Output, step, func(changed []byte) bool {
			v := Check(inputs, changed, options)
			return v.Total > 0 || v.Refusal != nil
		})
		fmt.Fprintf(&b, "%s\t%s\n", link, got)
		if !*updateBytes && got != places {
			t.Errorf("%s: nothing tells a change of %s; listed %s", link, got, places)
		}
	}
	if links < 6 {
		t.Errorf("%d links", links)
	}
	if *updateBytes {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
