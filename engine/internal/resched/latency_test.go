package resched

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

var measured = flag.String("latencies", "", "make latency.tsv of the cubins that these patterns name")

// texts calls do with the functions of a cubin.
func texts(name string, data []byte, do func(words []word)) {
	f, err := cubin.Open(name, data)
	if err != nil || f.Header.SM() != 100 && f.Header.SM() != 103 {
		return
	}
	for i := range f.NumSections() {
		s := f.Section(i)
		if strings.HasPrefix(f.SectionName(&s), ".text.") && !s.NoBits() {
			do(split(f.Content(&s)))
		}
	}
}

// distances counts how far words that depend on each other stand apart.
type distances map[pair]map[int]int

func (d distances) count(words []word) {
	for _, b := range blocks(words) {
		var p producers
		at := make([]int, b.to-b.from+1)
		for i := b.from; i < b.to; i++ {
			w, o := &words[i], words[i].operands()
			k := i - b.from
			note := func(from int, h hazard) {
				x := pair{kindOf(&words[from]), kindOf(w), h}
				if d[x] == nil {
					d[x] = map[int]int{}
				}
				d[x][at[k]-at[from-b.from]]++
			}
			apart := k > 0 && !words[i-1].isDouble() && !w.isDouble()
			p.of(w, &o, func(from int, h hazard) {
				apart = apart && from != i-1
				if h == hazardUnit || words[from].wr() == noBoard {
					note(from, h)
				}
			})
			if apart {
				note(i-1, hazardNext)
			}
			p.add(i, w, &o)
			at[k+1] = at[k] + cycles(w)
		}
	}
}

// least returns the shortest distance that few undercut.
func least(by map[int]int) (cycles, total int) {
	for _, n := range by {
		total += n
	}
	cycles = 1 << 20
	for d, n := range by {
		if d < cycles && n*200 >= total {
			cycles = d
		}
	}
	return cycles, total
}

func TestMeasure(t *testing.T) {
	if *measured == "" {
		t.Skip("no -latencies")
	}
	d := distances{}
	for pattern := range strings.FieldsSeq(*measured) {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range list {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts(name, data, d.count)
		}
	}
	const rare = 4 // words met less often tell nothing
	var lines []string
	for p, by := range d {
		n, total := least(by)
		if total < rare || p.hazard == hazardNext && (n < 2 || total < 30) || n > 40 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%03x\t%03x\t%d\t%d\n", p.from, p.to, p.hazard, n))
	}
	slices.Sort(lines)
	head := "# producer\tconsumer\thazard\tcycles\n"
	if err := os.WriteFile("latency.tsv", []byte(head+strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// In objects of ptxas 13.0.88 words are as far apart as the table says, but for one
// in fifty. (13.5.37 leaves less room in code with -O0 and -g.)
func TestLatencies(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	d := distances{}
	for i := range list {
		if !strings.Contains(list[i].Name, "-13.0-") {
			continue
		}
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		texts(list[i].Name, data, d.count)
	}
	met, close := 0, 0
	for p, by := range d {
		l, known := latencies103()[p]
		for n, times := range by {
			if known {
				met += times
				if n < l {
					close += times
				}
			}
		}
	}
	if met < 2_000 || close*50 > met {
		t.Errorf("%d of %d pairs closer than the table says", close, met)
	}
}
