package main

import (
	"fmt"
	"runtime/debug"

	"github.com/twinlink/twinlink/internal/cmdline"
)

const usageText = `Usage: twinlink COMMAND ...

  link       link relocatable cubins as nvlink does: twinlink link --help
  dump       print what a cubin holds
  diff       print how two cubins differ
  capsule    show the capsules of sm_100 and up, or rebuild a file through a model
  selfcheck  check that both sides of such a file say the same
  finalize   say what may be finalized for which target, and do it where it is a copy
  verify     put a link, or a linked file, to engine, oracle and nvlink
  claims     print the verdicts on what the seed documents state
  demo       link real programs and check them three ways
  version    print the version and the releases of nvlink it behaves as
  help       print this text, or that of a command

Started under the name nvlink it is "twinlink link".
`

func help(args []string, s streams) int {
	if len(args) == 0 {
		fmt.Fprint(s.out, usageText)
		return exitOK
	}
	switch args[0] {
	case "link":
		fmt.Fprint(s.out, cmdline.Usage(cmdline.R130, "twinlink link"))
	case "dump":
		fmt.Fprint(s.out, dumpUsage)
	case "diff":
		fmt.Fprint(s.out, diffUsage)
	case "capsule":
		fmt.Fprint(s.out, capsuleUsage)
	case "selfcheck":
		fmt.Fprint(s.out, selfcheckUsage)
	case "finalize":
		fmt.Fprint(s.out, finalizeUsage)
	case "verify":
		fmt.Fprint(s.out, verifyUsage)
	case "claims":
		fmt.Fprint(s.out, claimsUsage)
	default:
		fmt.Fprintf(s.err, "twinlink: no help on %q\n", args[0])
		return exitUsage
	}
	return exitOK
}

func version(args []string, s streams) int {
	if len(args) > 0 {
		fmt.Fprintln(s.err, "twinlink: version takes no argument")
		return exitUsage
	}
	v, goVersion := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			v = info.Main.Version
		}
		goVersion = ", " + info.GoVersion
	}
	fmt.Fprintf(s.out, "twinlink %s%s\nbehaves as nvlink", v, goVersion)
	for i, r := range cmdline.Releases {
		if i > 0 {
			fmt.Fprint(s.out, ",")
		}
		fmt.Fprintf(s.out, " %s", r)
	}
	fmt.Fprintln(s.out)
	return exitOK
}
