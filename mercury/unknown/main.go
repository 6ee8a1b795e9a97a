// Unknown prints records of the cubins in folders or wheels that the table doesn't know, as lines for
// mercury/ptx/records.txt. Of records that differ in registers alone it prints
// one.
package main

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/families"
	"github.com/twinlink/twinlink/mercury"
)

func main() {
	most := flag.Int("most", 60, "records of a tag")
	not := flag.Int("not", 107, "an SM whose cubins are skipped")
	words := flag.Bool("words", false, "after each record print the SM and its words")
	table := flag.String("table", "", "a table to use instead of the built-in one")
	known := flag.Bool("known", false, "those that the table does know instead")
	records := flag.String("records", "", "print the records of this file that no SM has a rule for")
	flag.Parse()
	run := func() error { return run(flag.Args(), *most, cuda.SM(*not), *words, *known) }
	if *records != "" {
		run = func() error { return ofFile(*records, *table) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "unknown:", err)
		os.Exit(1)
	}
}

func run(places []string, most int, not cuda.SM, words, known bool) error {
	seen := map[string]bool{}
	count := map[uint32]int{}
	var lines []string
	for _, place := range places {
		err := families.Each(place, func(name string, data []byte) {
			f, err := cubin.Open(name, data)
			if err != nil || f.Header.SM() == not {
				return
			}
			m := capsule.Open(f)
			for i := range m.Funcs {
				if m.Funcs[i].Cap == nil {
					continue
				}
				of(&m.Funcs[i], f.Header.SM(), known, func(tag uint32, record, sass []byte) {
					if k := kind(record); !seen[k] && count[tag] < most {
						seen[k] = true
						count[tag]++
						lines = append(lines, line(record, f.Header.SM(), sass, words))
					}
				})
			}
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(lines)
	w := bufio.NewWriter(os.Stdout)
	if _, err := w.WriteString(strings.Join(lines, "")); err != nil {
		return err
	}
	return w.Flush()
}

// sms are those that rules are asked for.
var sms = [...]cuda.SM{100, 103, 107, 110, 120, 121}

// ofFile prints the records of a file, one a line, for which a table has no rule on any SM.
func ofFile(name, table string) error {
	t := mercury.Default()
	if table != "" {
		text, err := os.ReadFile(table)
		if err != nil {
			return err
		}
		if t, err = mercury.Parse(string(text)); err != nil {
			return err
		}
	}
	list, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		record, err := hex.DecodeString(line)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(sms[:], func(sm cuda.SM) bool { return t.Words(sm, record) > 0 }) {
			fmt.Println(line)
		}
	}
	return nil
}

// line is a record, and where wanted the words that stand for it.
func line(record []byte, sm cuda.SM, sass []byte, words bool) string {
	if !words {
		return fmt.Sprintf("%x\n", record)
	}
	s := fmt.Sprintf("%x sm_%d", record, sm)
	for w := range slices.Chunk(sass, 16) {
		s += fmt.Sprintf(" %x", w)
	}
	return s + "\n"
}

// of calls found with the records of a function that are known, or that aren't.
func of(fn *capsule.Func, sm cuda.SM, known bool, found func(tag uint32, record, sass []byte)) {
	for k := range fn.Cap.Nodes {
		n := &fn.Cap.Nodes[k]
		if n.Kind != capsule.Full || n.Span == 0 {
			continue
		}
		words := make([]mercury.Word, n.Span)
		for i := range words {
			words[i] = mercury.GetWord(fn.Code[n.SASS+16*uint32(i):])
		}
		record := fn.Cap.Record(n)
		if mercury.Decode(sm, record, words, make([]mercury.Word, n.Span), make([]mercury.Word, n.Span)) == mercury.Known == known {
			found(fn.Cap.Tag(n), record, fn.Code[n.SASS:n.SASS+16*uint32(n.Span)])
		}
	}
}

// kind is a record without what may be registers: bits 6 to 15 of each operand,
// and what follows them.
func kind(r []byte) string {
	b := slices.Clone(r)
	for i := 10; i+1 < len(b) && i < 24; i += 2 {
		b[i] &= 0x3f
		b[i+1] = 0
	}
	clear(b[min(24, len(b)):])
	return string(b)
}
