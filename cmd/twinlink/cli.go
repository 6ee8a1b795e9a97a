package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/filemap"
)

// Exit statuses; link has nvlink's.
const (
	exitOK       = 0
	exitDiffer   = 1 // differ, findings; nvlink's fatal errors
	exitUsage    = 2 // wrong use, a file that can't be opened
	exitRefused  = 3 // no result for these inputs
	exitUnjudged = 4 // not everything could be judged
)

// exitStatus ends a command that has printed all there is to say.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// ended returns nil for status 0, so that a command can return it.
func ended(status int) error {
	if status == exitOK {
		return nil
	}
	return exitStatus(status)
}

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func badUsage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// execute runs the command tree.
func execute(args []string, s streams) int {
	debug.SetGCPercent(filemap.GarbagePercent)
	root := newRoot(s)
	if len(args) == 0 {
		_ = root.Help()
		return exitUsage
	}
	root.SetArgs(args)
	c, err := root.ExecuteC()
	var status exitStatus
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &usage) || c == root:
		complain(s, err)
		fmt.Fprintf(s.err, "Run '%s --help' for usage.\n", c.CommandPath())
		return exitUsage
	}
	complain(s, err)
	return statusOf(err)
}

func complain(s streams, err error) {
	fmt.Fprintf(s.err, "twinlink: %s\n", strings.TrimRight(err.Error(), "\n"))
}

// statusOf tells a file that can't be opened from one that is refused.
func statusOf(err error) int {
	var path *fs.PathError
	if errors.As(err, &path) {
		return exitUsage
	}
	return exitRefused
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "twinlink",
		Short: "Link and check NVIDIA device code",
		Long: `twinlink links relocatable cubins as NVIDIA's nvlink does, and checks device
links by any linker.

Under the name nvlink it behaves as "twinlink link".`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: false},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return badUsage("unknown command %q%s", args[0], didYouMean(c.SuggestionsFor(args[0])))
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return badUsage("%s%s", err, didYouMean(similarFlags(c, err.Error())))
	})
	root.AddGroup(
		&cobra.Group{ID: groupLink, Title: "Link and check:"},
		&cobra.Group{ID: groupLook, Title: "Inspect files:"},
		&cobra.Group{ID: groupProject, Title: "About the project:"},
	)
	for _, c := range commands() {
		root.AddCommand(c(s))
	}
	root.SetHelpCommand(helpCommand(s))
	// For the help alone: run takes it out before the tree sees a command line.
	root.PersistentFlags().String("repro", "", "if the command fails, pack everything it needs into this `FILE`; \"twinlink replay\" runs it again")
	return root
}

const (
	groupLink    = "link"
	groupLook    = "look"
	groupProject = "project"
)

// more are commands that only some builds have.
var more []func(streams) *cobra.Command

// commands makes the commands, in the order in which help shows them.
func commands() []func(streams) *cobra.Command {
	return append([]func(streams) *cobra.Command{
		linkCommand, verifyCommand, asNvlinkCommand, selfcheckCommand, finalizeCommand,
		listCommand, extractCommand, dumpCommand, diffCommand, capsuleCommand, stackCommand, reportCommand,
		demoCommand, claimsCommand, nv50Command, versionCommand,
		stormCommand, powerCommand, reduceCommand, promoteCommand, replayCommand,
	}, more...)
}

// linkCommand is in the help only: run calls link itself.
func linkCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "link [nvlink's options] FILE...",
		GroupID: groupLink,
		Short:   "Link relocatable cubins as nvlink does",
		Long: `Links with nvlink's options, messages and exit status. "twinlink link --help"
prints nvlink's options.`,
		Example:            "  twinlink link -arch=sm_90 -o out.cubin a.cubin b.cubin",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			return ended(link(args, s))
		},
	}
}

// helpCommand is cobra's, but for link, whose help is nvlink's.
func helpCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "link" {
				_, err := fmt.Fprint(s.out, cmdline.Usage(cmdline.R130, "twinlink link"))
				return err
			}
			target, rest, err := c.Root().Find(args)
			if err != nil || target == nil || len(rest) > 0 {
				return badUsage("no help on %q", strings.Join(args, " "))
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(names, ", ") + "?"
}
