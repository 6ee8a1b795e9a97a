package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// hostileAll asks the check about n links of a bed of which the output or an input has up to eight
// faults and wild numbers at once, and prints how long the slowest took. A panic ends it.
func hostileAll(dir, only string, seed uint64, n int) error {
	list, err := linksIn(dir, only)
	if err != nil || len(list) == 0 {
		return fmt.Errorf("no links in %s: %w", dir, err)
	}
	r := splitmix.At(seed)
	outcomes := map[check.Outcome]int{}
	var slowest time.Duration
	for i := range n {
		l, inputs, output, err := load(list[r.Below(len(list))])
		if err != nil {
			return err
		}
		files := [][]byte{output}
		for _, in := range inputs {
			files = append(files, in.Data)
		}
		at := r.Below(2 * len(files)) // half of them the output
		if at >= len(files) {
			at = 0
		}
		files[at] = wild(files[at], r)
		for k := range inputs {
			inputs[k].Data = files[k+1]
		}
		start := time.Now()
		v := check.Check(inputs, files[0], l.options())
		took := time.Since(start)
		outcomes[v.Outcome()]++
		if took > slowest {
			slowest = took
			fmt.Printf("%d: %s, file %d: %.2f s\n", i, l.Name, at, took.Seconds())
		}
	}
	fmt.Println(outcomes)
	return nil
}

// plantWild plants a fault into a file that may be broken already, which planters don't count on.
func plantWild(x *fault, f *file) {
	defer func() { _ = recover() }()
	x.plant(f)
}

// wild plants faults and writes numbers that no linker does.
func wild(data []byte, r *splitmix.Random) []byte {
	for range 1 + r.Below(8) {
		f := open(data, r)
		f.several = map[string]bool{}
		if r.OneIn(2) {
			plantWild(&faults[r.Below(len(faults))], f)
		} else if h := f.pickSection(func(h *header) bool { return true }); h != nil {
			n := splitmix.Pick(r, []uint64{0, 1, 7, h.size, h.size * 2, 1 << 31, 1<<32 - 1, 1 << 63, 1<<64 - 1, uint64(len(data)), uint64(r.Below(1 << 16))})
			if r.OneIn(2) {
				f.put(h.at+4*uint64(r.Below(16)), splitmix.Pick(r, []int{1, 4, 8}), n)
			} else if h.size > 0 {
				f.put(h.off+uint64(r.Below(int(min(h.size, 1<<20)))), splitmix.Pick(r, []int{1, 2, 4, 8}), n)
			}
		}
		data = slices.Clone(f.bytes)
	}
	return data
}
