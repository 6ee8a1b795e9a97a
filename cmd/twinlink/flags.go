package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/twinlink/twinlink/internal/progress"
)

// choice is a flag that takes one of a few words.
type choice struct {
	value string
	words []string
	given bool

	formerly map[string]string // words of earlier versions, and what they are called now
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(v string) error {
	if now, ok := c.formerly[v]; ok {
		v = now
	}
	if !slices.Contains(c.words, v) {
		named := slices.DeleteFunc(slices.Clone(c.words), func(w string) bool { return w == "" }) // the default that can't be named
		return badUsage("must be one of %s", strings.Join(named, ", "))
	}
	c.value, c.given = v, true
	return nil
}

// choose adds a flag whose first word is the default.
func choose(c *cobra.Command, name, about string, words ...string) *choice {
	f := &choice{value: words[0], words: words}
	c.Flags().Var(f, name, about)
	_ = c.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	return f
}

// chooseProgress adds --progress.
func chooseProgress(c *cobra.Command) *choice {
	var words []string
	for _, m := range progress.Modes() {
		words = append(words, string(m))
	}
	return choose(c, "progress", "how to show progress", words...)
}

// atLeast wants so many arguments.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return badUsage("%s", what)
		}
		return nil
	}
}

// exactly wants so many arguments and no more.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return badUsage("%s", what)
		}
		return nil
	}
}

// similarFlags returns the flags of a command that are spelled nearly like the
// unknown one that a message names.
func similarFlags(c *cobra.Command, message string) []string {
	_, name, found := strings.Cut(message, "unknown flag: --")
	if !found {
		return nil
	}
	var near []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && distance(f.Name, name) <= 2 {
			near = append(near, "--"+f.Name)
		}
	})
	return near
}

// distance is the number of edits that make one word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// asksForHelp reports whether a command that parses its own options is asked
// to explain itself.
func asksForHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}
