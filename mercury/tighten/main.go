// Tighten locks the bits of mercury/table.tsv that no rule asks for and that have
// one value in all records of genuine files. nvlink ignores them, but a record
// in which one is otherwise was written by nobody.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/mercury"
)

// fewest is the number of records from which on a bit is taken to be constant;
// immediates is the first bit of those that hold numbers, any of which may come.
const (
	fewest     = 200
	immediates = 192
)

type seen struct {
	n               int
	unused, and, or [4]uint64
}

func main() {
	table := flag.String("table", "mercury/table.tsv", "")
	flag.Parse()
	if err := run(*table, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "tighten:", err)
		os.Exit(1)
	}
}

func run(table string, folders []string) error {
	b, err := os.ReadFile(table)
	if err != nil {
		return err
	}
	t, err := mercury.Parse(string(b))
	if err != nil {
		return err
	}
	models := map[int]*seen{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.cubin"))
		if err != nil {
			return err
		}
		for _, name := range files {
			if err := collect(t, name, models); err != nil {
				return err
			}
		}
	}
	lines := strings.SplitAfter(string(b), "\n")
	for at, s := range models {
		if locks := s.locks(); len(locks) > 0 && s.n >= fewest {
			f := strings.SplitN(strings.TrimSuffix(lines[at-1], "\n"), "\t", 3)
			f[2] = strings.TrimSpace(f[2] + " " + strings.Join(locks, " "))
			lines[at-1] = strings.Join(f, "\t") + "\n"
		}
	}
	return os.WriteFile(table, []byte(strings.Join(lines, "")), 0o644)
}

func collect(t *mercury.Table, name string, models map[int]*seen) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		return err
	}
	m := capsule.Open(f)
	for i := range m.Funcs {
		c := m.Funcs[i].Cap
		if c == nil {
			continue
		}
		for k := range c.Nodes {
			if c.Nodes[k].Kind != capsule.Full {
				continue
			}
			record := c.Record(&c.Nodes[k])
			line, unused, ok := t.Unused(f.Header.SM(), record)
			if !ok {
				continue
			}
			s := models[line]
			if s == nil {
				s = &seen{unused: unused, and: [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}}
				models[line] = s
			}
			s.n++
			var v [32]byte
			copy(v[:], record)
			for w := range s.and {
				var x uint64
				for i := range 8 {
					x |= uint64(v[8*w+i]) << (8 * i)
				}
				s.and[w] &= x
				s.or[w] |= x
			}
		}
	}
	return nil
}

// locks returns the constant bits as runs of a model line.
func (s *seen) locks() []string {
	var out []string
	bit := func(i int) (constant bool, value uint64) {
		w, k := i>>6, i&63
		if s.unused[w]>>k&1 == 0 || (s.and[w]^s.or[w])>>k&1 != 0 {
			return false, 0
		}
		return true, s.and[w] >> k & 1
	}
	for i := 32; i < immediates; {
		ok, v := bit(i)
		if !ok {
			i++
			continue
		}
		n := 1
		for ; i+n < immediates && n < 60; n++ {
			ok, b := bit(i + n)
			if !ok {
				break
			}
			v |= b << n
		}
		out = append(out, fmt.Sprintf("%d+%d=%x", i, n, v))
		i += n
	}
	return out
}
