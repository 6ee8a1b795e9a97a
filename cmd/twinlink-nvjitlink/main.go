// Twinlink-nvjitlink is the process in which twinlink asks NVIDIA's nvJitLink: a
// library that may crash, hang or print what it likes. It is started by
// twinlink, which looks for it beside itself, and has no command line.
package main

import (
	"fmt"
	"os"

	"github.com/twinlink/twinlink/internal/nvjitlink/worker"
)

func main() {
	worker.Main()
	fmt.Fprintln(os.Stderr, "twinlink-nvjitlink: started by twinlink to run nvJitLink; it has no command line of its own")
	os.Exit(2)
}
