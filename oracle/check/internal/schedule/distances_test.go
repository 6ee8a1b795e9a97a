package schedule

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

var distancesOf = flag.String("distances", "", "folder of cubins that ptxas made: print what distances.txt lacks of them")

// TestDistances prints lines for distances.txt: of a folder of code that ptxas made, the least cycles
// between two words of which the second uses the result of the first, where the table has none
// or more.
func TestDistances(t *testing.T) {
	if *distancesOf == "" {
		t.Skip("no -distances")
	}
	files, err := filepath.Glob(filepath.Join(*distancesOf, "*.cubin"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cubins", err)
	}
	found := map[pairOfWords]map[uint64]int{} // how often so many cycles
	functions := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := image.ReadImage(name, data, image.SassSide, nil, image.NewBudget(uint64(len(data))))
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range f.Sections {
			if s := &f.Sections[i]; link.IsCode(s) {
				if code := codeOf(s.Body); !code.bare() {
					code.countDistances(found)
					functions++
				}
			}
		}
	}
	fmt.Printf("# %d functions\n", functions)
	table := distances()
	less := func(a, b pairOfWords) int {
		return int(a.from<<16|a.to<<2|uint64(len(flags(a)))) - int(b.from<<16|b.to<<2|uint64(len(flags(b))))
	}
	for _, p := range slices.SortedFunc(maps.Keys(found), less) {
		least := slices.Min(slices.Collect(maps.Keys(found[p])))
		all := 0
		for _, n := range found[p] {
			all += n
		}
		if has := table[p]; !has.seen || least < has.least {
			fmt.Printf("%x %x %d%s # %d of %d\n", p.from, p.to, least, flags(p), found[p][least], all)
		}
	}
}

func flags(p pairOfWords) string {
	switch {
	case p.over:
		return " over"
	case p.wait:
		return " wait"
	}
	return ""
}

// codeOf is the schedule of code as it stands.
func codeOf(body []byte) *schedule {
	s := &schedule{targets: map[int][]int{}}
	for at := 0; at+sass.Instruction <= len(body); at += sass.Instruction {
		word := body[at : at+sass.Instruction]
		s.words, s.out, s.ops = append(s.words, word), append(s.out, sass.ControlOf(word)), append(s.ops, sass.OperandsOf(word))
	}
	return s
}

// bare reports whether code has no schedule but in words that were inserted.
func (s *schedule) bare() bool {
	n := 0
	for _, x := range s.out {
		if x == (sass.Control{Write: sass.NoBoard, Read: sass.NoBoard}) {
			n++
		}
	}
	return 2*n > len(s.out)
}

// unitOf is the opcode of a word, of doubles one for all: they tell of each other.
func unitOf(word []byte) uint64 {
	if op := sass.Opcode(word); !sass.OfDoubles(op) {
		return op
	}
	return 0x29
}

// countDistances counts the pairs of words within blocks of which the first has a fixed latency.
func (s *schedule) countDistances(found map[pairOfWords]map[uint64]int) {
	slow := map[uint64]bool{}
	for i, word := range s.words {
		if s.out[i].Write != sass.NoBoard {
			slow[unitOf(word)] = true
		}
	}
	count := func(p pairOfWords, cycles uint64) {
		if found[p] == nil {
			found[p] = map[uint64]int{}
		}
		found[p][cycles]++
	}
	for i, word := range s.words {
		mine, wait := s.ops[i], false
		if slow[unitOf(word)] || inOrder[sass.Opcode(word)] || sass.Converts(sass.Opcode(word)) || !mine.Known || mine.Rough {
			continue
		}
		cycles := s.out[i].Stall
		for j := i + 1; j < len(s.words) && cycles < latest && !s.leaves(j-1); j++ {
			by := s.ops[j]
			if !by.Known || by.Rough {
				break
			}
			wait = wait || s.out[j].Wait != 0
			p := pairOfWords{from: family(word), to: family(s.words[j])}
			if sass.Touches(&mine, &by, true) == sass.Unsound && !s.exclusive(i, j) {
				if mine.Writes.Meets(&by.Reads) {
					p.wait = wait
				} else {
					p.over = true
				}
				count(p, cycles)
			}
			if by.Always {
				mine.Writes.Lose(&by.Writes)
			}
			cycles += s.out[j].Stall
		}
	}
}
