// Unknown prints records of cubins that the table doesn't know, as lines for
// mercury/ptx/records.txt. Of records that differ in registers alone it prints
// one.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
)

func main() {
	most := flag.Int("most", 60, "records of a tag")
	not := flag.Int("not", 107, "an SM whose cubins are left out")
	flag.Parse()
	if err := run(flag.Args(), *most, cuda.SM(*not)); err != nil {
		fmt.Fprintln(os.Stderr, "unknown:", err)
		os.Exit(1)
	}
}

func run(folders []string, most int, not cuda.SM) error {
	seen := map[string]bool{}
	count := map[uint32]int{}
	var lines []string
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.cubin"))
		if err != nil {
			return err
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			f, err := cubin.Open(name, data)
			if err != nil || f.Header.SM() == not {
				continue
			}
			m := capsule.Open(f)
			for i := range m.Funcs {
				if m.Funcs[i].Cap == nil {
					continue
				}
				of(&m.Funcs[i], f.Header.SM(), func(tag uint32, record []byte) {
					if k := kind(record); !seen[k] && count[tag] < most {
						seen[k] = true
						count[tag]++
						lines = append(lines, fmt.Sprintf("%x\n", record))
					}
				})
			}
		}
	}
	slices.Sort(lines)
	w := bufio.NewWriter(os.Stdout)
	if _, err := w.WriteString(strings.Join(lines, "")); err != nil {
		return err
	}
	return w.Flush()
}

// of calls found with the unknown records of a function.
func of(fn *capsule.Func, sm cuda.SM, found func(tag uint32, record []byte)) {
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
		if mercury.Decode(sm, record, words, make([]mercury.Word, n.Span), make([]mercury.Word, n.Span)) != mercury.Known {
			found(fn.Cap.Tag(n), record)
		}
	}
}

// kind is a record without what may be registers: bits 6 to 15 of each operand,
// and what stands behind them.
func kind(r []byte) string {
	b := slices.Clone(r)
	for i := 10; i+1 < len(b) && i < 24; i += 2 {
		b[i] &= 0x3f
		b[i+1] = 0
	}
	clear(b[min(24, len(b)):])
	return string(b)
}
