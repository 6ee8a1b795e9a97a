package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var updateFlags = flag.Bool("flags", false, "write testdata/flags.txt anew")

// What scripts rely on is listed in testdata/flags.txt: each command's flags with their kinds and defaults, and that a flag's
// default is what the flag is given to. A change shows there:
//
//	go test ./cmd/twinlink -run TestCommandFlags -flags
func TestCommandFlags(t *testing.T) {
	var b strings.Builder
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		fmt.Fprintf(&b, "%s (%s)\n", c.CommandPath(), c.GroupID)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			fmt.Fprintf(&b, "  --%s %s %q %s\n", f.Name, f.Shorthand, f.DefValue, f.Value.Type())
			if f.DefValue != f.Value.String() {
				t.Errorf("%s --%s is %q before it is given, and not its default %q", c.CommandPath(), f.Name, f.Value, f.DefValue)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	var out bytes.Buffer
	walk(newRoot(streams{&out, &out}))
	const name = "testdata/flags.txt"
	if *updateFlags {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("flags are other than listed:\n%s", b.String())
	}
}
