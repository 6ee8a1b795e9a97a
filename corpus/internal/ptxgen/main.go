// Command write puts generated programs into a folder: OUT/SEED/MODULE.ptx and a list of kernels and variables beside them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/ptxgen"
)

func main() {
	seed := flag.Uint64("seed", 1, "first seed")
	count := flag.Int("n", 1, "number of programs")
	out := flag.String("o", "", "folder to write to")
	target := flag.String("target", "old", "old, lanes, stack, hopper11 or hopper12")
	size := flag.Int("size", 0, "0 any, 1 tiny, 2 small, 3 moderate")
	focus := flag.String("focus", "", "features, with commas")
	faults := flag.Bool("faults", false, "let some programs be refused")
	also := flag.String("also", "", "features besides the drawn ones, with commas")
	flag.Parse()
	targets := map[string]ptxgen.Target{"old": ptxgen.Old, "lanes": ptxgen.Lanes, "stack": ptxgen.Stack, "hopper11": ptxgen.Hopper11, "hopper12": ptxgen.Hopper12}
	t, ok := targets[*target]
	if !ok || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	for i := range uint64(*count) {
		p := ptxgen.New(*seed+i, t, ptxgen.Options{Size: ptxgen.Size(*size), Faults: *faults, Focus: named(*focus), Also: named(*also)})
		if err := write(filepath.Join(*out, fmt.Sprint(*seed+i)), p); err != nil {
			fmt.Fprintln(os.Stderr, "write:", err)
			os.Exit(1)
		}
	}
}

// named returns the features of a list.
func named(list string) (features []ptxgen.Feature) {
	for name := range strings.SplitSeq(list, ",") {
		for _, f := range ptxgen.Features() {
			if f.String() == name {
				features = append(features, f)
			}
		}
	}
	return features
}

func write(dir string, p ptxgen.Program) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, m := range p.Modules {
		if err := os.WriteFile(filepath.Join(dir, m.Name+".ptx"), []byte(m.Text), 0o644); err != nil {
			return err
		}
	}
	names := []string{}
	for _, f := range p.Features {
		names = append(names, f.String())
	}
	text, err := json.MarshalIndent(map[string][]string{"kernels": p.Kernels, "objects": append([]string{}, p.Objects...), "features": names}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "program.json"), append(text, '\n'), 0o644)
}
