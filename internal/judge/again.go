package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/oracle/check"
)

// judgeAgain judges the files that plant kept, beside the links of a bed that they were
// made of, and prints those that are not rejected.
func judgeAgain(dir string) error {
	list, err := linksIn(dir, "")
	if err != nil {
		return err
	}
	judged, left := 0, 0
	for _, folder := range list {
		kept, err := filepath.Glob(filepath.Join(keep, filepath.Base(folder)+"-*.cubin"))
		if err != nil || len(kept) == 0 {
			continue
		}
		l, inputs, _, err := load(folder)
		if err != nil {
			return err
		}
		for _, name := range kept {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			judged++
			if v := check.Check(inputs, data, l.options()); v.Outcome() != check.Rejected {
				left++
				about, _, _ := strings.Cut(v.String(), "\n")
				fmt.Printf("%s %s %s %v: %s\n", filepath.Base(name), l.Release, l.Arch, l.Args, about)
			}
		}
	}
	fmt.Printf("%d judged, %d not rejected\n", judged, left)
	return nil
}
