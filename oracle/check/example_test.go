package check_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/oracle/check"
)

// Judge a link by nvlink 13.0 in two steps, which gave two shared arrays one place.
func ExampleCheck() {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("..", "..", "internal", "trophies", "testdata", name))
		if err != nil {
			panic(err)
		}
		return data
	}
	inputs := []check.Input{{Name: "tile1.cubin", Data: read("tile1.cubin")}, {Name: "tile2.cubin", Data: read("tile2.cubin")}}
	v := check.Check(inputs, read("tiles.cubin"), check.Options{Arch: "sm_90"})
	accepted, rejected, notJudged := v.Count()
	fmt.Println(v.Outcome(), accepted, rejected, notJudged)
	first := v.Findings[0]
	fmt.Println(first.Kind, first.Section, first.Symbol, first.Got)
	fmt.Println(first.Meaning())
	// Output:
	// rejected 0 2 0
	// shared.overlap .text.fills tile2 0x4
	// Two shared variables that one kernel uses overlap: writing one changes the other.
}
