package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/internal/relayout"
	"github.com/twinlink/twinlink/oracle/check"
)

// judgeLayouts writes each accepted link of a bed in other layouts, and prints in which it is accepted still.
func judgeLayouts(dir, only string, seed uint64, each bool) error {
	list, err := linksIn(dir, only)
	if err != nil {
		return err
	}
	accepted, all := map[relayout.Way]int{}, 0
	moved, right := 0, 0
	kinds := map[string]int{}
	for _, folder := range list {
		l, inputs, output, err := load(folder)
		if err != nil {
			return err
		}
		if !check.Check(inputs, output, l.options()).Agrees() {
			continue
		}
		all++
		seed := seed + uint64(crc32.ChecksumIEEE([]byte(l.Name)))
		if other, n := otherMemory(inputs, output, seed); n > 0 {
			moved++
			if v := check.Check(inputs, other, l.options()); v.Agrees() {
				right++
			} else if err := refused(&l, kinds, each, "memory", other, &v); err != nil {
				return err
			}
		}
		for _, way := range relayout.Ways {
			other, err := relayout.File(output, way, seed)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Name, err)
			}
			v := check.Check(inputs, other, l.options())
			if v.Agrees() {
				accepted[way]++
			} else if err := refused(&l, kinds, each, way.String(), other, &v); err != nil {
				return err
			}
		}
	}
	printCounts(kinds)
	for _, way := range relayout.Ways {
		fmt.Printf("%4d of %4d  %s\n", accepted[way], all, way)
	}
	fmt.Printf("%4d of %4d  shared variables and constants elsewhere\n", right, moved)
	return nil
}

// refused counts a layout that isn't accepted, prints it, and keeps the file.
func refused(l *link, kinds map[string]int, each bool, way string, other []byte, v *check.Verdict) error {
	countKinds(kinds, way+" ", v)
	if each {
		fmt.Printf("%s %s %s %v %v %s: %s\n", l.Name, l.Release, l.Arch, l.Args, l.Tags, way, *v)
	}
	if keep == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(keep, l.Name+"-"+way+".cubin"), other, 0o666)
}
