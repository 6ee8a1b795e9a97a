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
		for _, way := range relayout.Ways {
			other, err := relayout.File(output, way, seed+uint64(crc32.ChecksumIEEE([]byte(l.Name))))
			if err != nil {
				return fmt.Errorf("%s: %w", l.Name, err)
			}
			v := check.Check(inputs, other, l.options())
			if v.Agrees() {
				accepted[way]++
				continue
			}
			countKinds(kinds, way.String()+" ", &v)
			if each {
				fmt.Printf("%s %s %s %v %v %v: %s\n", l.Name, l.Release, l.Arch, l.Args, l.Tags, way, v)
			}
			if keep != "" {
				if err := os.WriteFile(filepath.Join(keep, l.Name+"-"+way.String()+".cubin"), other, 0o666); err != nil {
					return err
				}
			}
		}
	}
	printCounts(kinds)
	for _, way := range relayout.Ways {
		fmt.Printf("%4d of %4d  %s\n", accepted[way], all, way)
	}
	return nil
}
