package corpus_test

import (
	"fmt"

	"github.com/twinlink/twinlink/corpus"
)

// Links are recorded runs of nvlink: here, how many of a release there are, and
// how many of those it refused.
func ExampleLinks() {
	programs, err := corpus.Links()
	if err != nil {
		fmt.Println(err)
		return
	}
	linked, refused := 0, 0
	for _, c := range corpus.CasesOf(programs) {
		switch {
		case c.Release != "12.4":
		case c.Output != nil:
			linked++
		default:
			refused++
		}
	}
	fmt.Println(linked > refused, refused > 0)
	// Output: true true
}

// A capsule is a device object for sm_100 and up, with the command that made it.
func ExampleCapsules() {
	capsules, err := corpus.Capsules()
	if err != nil {
		fmt.Println(err)
		return
	}
	c := &capsules[0]
	data, err := c.Data()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: ptxas %s, ELF file %v\n", c.Name, c.Release, string(data[1:4]) == "ELF")
	// Output: tensor-13.0-sm_100: ptxas 13.0, ELF file true
}
