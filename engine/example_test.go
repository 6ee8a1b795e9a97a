package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/twinlink/twinlink/engine"
)

func object(name string) engine.Input {
	data, err := os.ReadFile("../internal/dump/testdata/12.4-sm_80-" + name)
	if err != nil {
		panic(err)
	}
	return engine.Input{Name: name, Data: data}
}

// Link two objects. The result is what nvlink 12.4 wrote of them.
func ExampleLink() {
	out, err := engine.Link([]engine.Input{object("a.cubin"), object("b.cubin")}, engine.Options{Arch: "sm_80"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("as nvlink", out.Release)
	fmt.Println("same bytes:", bytes.Equal(out.Image, object("linked.cubin").Data))
	// Output:
	// as nvlink 12.4
	// same bytes: true
}

// What nvlink refuses is a LinkError with nvlink's messages and exit status.
func ExampleLinkError() {
	_, err := engine.Link([]engine.Input{object("a.cubin")}, engine.Options{Arch: "sm_80"})
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		for _, d := range refused.Diags {
			fmt.Println(d.Text)
		}
		fmt.Println("exit status", refused.Exit)
	}
	// Output:
	// Undefined reference to 'twice' in 'a.cubin'
	// Undefined reference to 'table' in 'a.cubin'
	// exit status 255
}
