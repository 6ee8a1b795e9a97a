// Command libfuzzer lists the targets that libFuzzer can run and writes their seeds. Built with the tag libfuzzer as a
// C archive it is a target itself; .clusterfuzzlite/build.sh does that.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/fuzz"
)

func main() {
	list := flag.Bool("list", false, "print the names of the targets")
	dir := flag.String("seeds", "", "write the seeds of the target that is named to this folder")
	flag.Parse()
	if *list {
		for _, t := range fuzz.Targets {
			fmt.Println(t.Name)
		}
		return
	}
	if *dir == "" || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(*dir, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "libfuzzer:", err)
		os.Exit(1)
	}
}

func find(name string) *fuzz.Target {
	for i := range fuzz.Targets {
		if fuzz.Targets[i].Name == name {
			return &fuzz.Targets[i]
		}
	}
	return nil
}

func write(dir, name string) error {
	t := find(name)
	if t == nil {
		return fmt.Errorf("no target %q", name)
	}
	list, err := t.Seeds()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("%s has no seeds", name)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, seed := range list {
		sum := sha256.Sum256(seed)
		if err := os.WriteFile(filepath.Join(dir, hex.EncodeToString(sum[:8])), seed, 0o644); err != nil {
			return err
		}
	}
	return nil
}
