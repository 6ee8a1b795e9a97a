// Plant plants defects of many kinds in cubins and prints, by kind, how many of
// them the self-check finds. Only files that pass as they are are taken.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/selfcheck/internal/defects"
)

const usage = `Usage: plant [-n 100] [-seed 1] [-files 400] [-most 1000000] FOLDER...

-n      defects of each kind
-files  files at most, taken at random
-most   bytes of a file at most
-v      names of files in which a defect passed
`

func main() {
	n := flag.Int("n", 100, "")
	seed := flag.Uint64("seed", 1, "")
	files := flag.Int("files", 400, "")
	most := flag.Int64("most", 1_000_000, "")
	verbose := flag.Bool("v", false, "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	if err := run(flag.Args(), *n, *files, *most, *seed, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "plant:", err)
		os.Exit(1)
	}
}

func run(folders []string, n, files int, most int64, seed uint64, verbose bool) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	var names []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".cubin") {
				return err
			}
			if info, err := d.Info(); err == nil && info.Size() <= most {
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var list []*defects.File
	for _, name := range names {
		if len(list) == files {
			break
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if f, ok := defects.Open(name, data); ok {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no file that passes")
	}
	var results []defects.Result
	for _, k := range defects.Kinds() {
		r := k.Measure(list, n, rng)
		results = append(results, r)
		if verbose && (r.Class == defects.Semantic && r.Found < r.Planted || r.Passed > 0 && r.Class != defects.Source) {
			fmt.Fprintf(os.Stderr, "%s: %d found of %d; passed: %s\n", r.Name, r.Found, r.Planted, strings.Join(r.Missed, " "))
		}
	}
	_, err := fmt.Printf("%d files\n\n", len(list))
	return cmp.Or(err, defects.Write(os.Stdout, results))
}
