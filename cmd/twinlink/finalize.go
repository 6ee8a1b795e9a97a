package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/finalizer"
	"github.com/twinlink/twinlink/internal/outfile"
	"github.com/twinlink/twinlink/selfcheck"
)

func finalizeCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "finalize -arch sm_T [OPTIONS] FILE... [-o OUT]",
		GroupID: groupLink,
		Short:   "Determine whether a file can be finalized for a target",
		Long: `Determines whether NVIDIA's finalizer makes code for sm_T from a file, and why.
With -o it writes that code if it is a copy, as attribute 11 of .nv.compat allows.

  --rules observed   as nvlink 13.0.88 does (default)
  --rules document   as the document "Capsule Mercury & Finalization" states
  --format text|json
  OPTIONS            the finalizer's own:
    --opportunistic-finalization-lvl N   level 0 to 4, instead of the file's
    --self-check       compare the SASS with the capsule; a file that fails isn't copied
    --out-sass         with --self-check: the regenerated SASS, in OUT.sass
    --binary-kind K    mercury, capmerc or sass; only the file's own kind is made
    --cap-merc, --fastpath-off, …

An option that would need NVIDIA's scheduler, or that changes what a copy can't
change, is refused by name.

Exit status: 0 accepted, 2 usage error, 3 refused.`,
		Example:            "  twinlink finalize -arch sm_103 out.cubin",
		DisableFlagParsing: true,
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if asksForHelp(args) {
			return c.Help()
		}
		return finalizeFiles(args, s)
	}
	return c
}

// finalize is one finalize command.
type finalize struct {
	target cuda.SM
	rules  finalizer.Rules
	words  []string // the finalizer's options
	files  []string
	out    string
	json   bool
}

// verdict is what is told of a file.
type verdict struct {
	File    string  `json:"file"`
	Source  cuda.SM `json:"source"`
	Target  cuda.SM `json:"target"`
	Rules   string  `json:"rules"`
	Verdict string  `json:"verdict"`
	Code    int     `json:"code"`
	Name    string  `json:"name"`
	Reason  string  `json:"reason"`
	Copy    bool    `json:"copy"` // the target's code is the file's
}

func finalizeFiles(args []string, s streams) error {
	var f finalize
	if err := f.parse(args); err != nil {
		return badUsage("%s", err)
	}
	status := exitOK
	for _, name := range f.files {
		v := f.judge(name)
		if v.Verdict != "accept" {
			status = exitRefused
		}
		if f.json {
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s\n", text)
			continue
		}
		fmt.Fprintf(s.out, "%s: %s: sm_%d for sm_%d: %s (%d): %s\n", v.File, v.Verdict, v.Source, v.Target, v.Name, v.Code, v.Reason)
	}
	return ended(status)
}

func (f *finalize) parse(args []string) error {
	for len(args) > 0 {
		used, err := f.parseOne(args)
		if err != nil {
			return err
		}
		args = args[used:]
	}
	switch {
	case f.target == 0:
		return errors.New("no -arch")
	case len(f.files) == 0:
		return errors.New("no file")
	case f.out != "" && len(f.files) > 1:
		return errors.New("-o takes one file")
	}
	return nil
}

// parseOne takes the first argument, with its value. It returns how many words these are.
func (f *finalize) parseOne(args []string) (used int, err error) {
	name, value, inline := strings.Cut(args[0], "=")
	take := f.option(name)
	if take == nil {
		return f.parseOther(args)
	}
	if inline {
		return 1, take(value)
	}
	if len(args) < 2 {
		return 0, fmt.Errorf("%s needs a value", args[0])
	}
	return 2, take(args[1])
}

// option returns what takes the value of an option of this command's own; nil for any other.
func (f *finalize) option(name string) func(value string) error {
	switch name {
	case "-arch", "--arch", "-arch-name", "--gpu-name":
		return func(v string) (err error) {
			f.target, err = parseSM(v)
			return err
		}
	case "-o", "--output":
		return func(v string) error {
			f.out = v
			return nil
		}
	case "-rules", "--rules":
		return func(v string) error {
			var ok bool
			if f.rules, ok = finalizer.ParseRules(v); !ok {
				return fmt.Errorf("no rules called %q", v)
			}
			return nil
		}
	case "-format", "--format":
		return func(v string) error {
			if f.json = v == "json"; !f.json && v != "text" {
				return fmt.Errorf("no format called %q", v)
			}
			return nil
		}
	}
	return nil
}

// parseOther takes an option of the finalizer's, or a file.
func (f *finalize) parseOther(args []string) (used int, err error) {
	known, takes := finalizer.IsOption(args[0])
	switch {
	case known && takes && len(args) > 1:
		f.words = append(f.words, args[:2]...)
		return 2, nil
	case known:
		f.words = append(f.words, args[0])
	case strings.HasPrefix(args[0], "-"):
		return 0, fmt.Errorf("no option %s", args[0])
	default:
		f.files = append(f.files, args[0])
	}
	return 1, nil
}

// parseSM reads sm_NN; an a or f after it plays no role.
func parseSM(name string) (cuda.SM, error) {
	digits, ok := strings.CutPrefix(name, "sm_")
	n, err := strconv.ParseUint(strings.TrimRight(digits, "af"), 10, 16)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is no target", name)
	}
	return cuda.SM(n), nil
}

// refusal is why a file isn't finalized.
type refusal struct {
	code   finalizer.Code
	reason string
}

func internalError(err error) *refusal { return &refusal{finalizer.Internal, err.Error()} }

// judge decides about a file, and makes the output where one is wanted.
func (f *finalize) judge(name string) verdict {
	v := verdict{File: name, Target: f.target, Rules: "observed", Verdict: "accept"}
	if f.rules == finalizer.Document {
		v.Rules = "document"
	}
	code := finalizer.OK
	reason, no := f.run(name, &v)
	if no != nil {
		v.Verdict, code, reason = "refuse", no.code, no.reason
	}
	v.Code, v.Name, v.Reason = int(code), code.String(), reason
	return v
}

// run decides about a file, makes the output, and says on what ground.
func (f *finalize) run(name string, v *verdict) (reason string, no *refusal) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", internalError(err)
	}
	file, err := cubin.Open(name, data)
	if err != nil {
		return "", internalError(err)
	}
	x, no := factsOf(file)
	v.Source = x.SM
	if no != nil {
		return "", no
	}
	opt, no := f.options(&x)
	if no != nil {
		return "", no
	}
	d := finalizer.Decide(&x, f.target, f.rules)
	v.Copy = d.Accepted && finalizer.Copyable(&x, f.target)
	if !d.Accepted {
		return "", &refusal{d.Code, d.Reason}
	}
	if f.out != "" || len(f.words) > 0 {
		var fault *finalizer.OptionError
		if err := opt.Possible(&x, f.target); errors.As(err, &fault) {
			return "", &refusal{fault.Code, err.Error()}
		}
	}
	reason = d.Reason
	if !opt.Fastpath {
		reason += "; the fast path isn't used for a file's own target"
	}
	var made []outfile.File
	if opt.SelfCheck {
		sass, no := reconstitute(name, data)
		if no != nil {
			return "", no
		}
		reason += "; self-check passed"
		if opt.OutSASS {
			again, err := cubin.Open(f.out+".sass", sass)
			if err != nil {
				return "", internalError(err)
			}
			made = append(made, outfile.File{Path: f.out + ".sass", Data: finalizer.Retarget(again, f.target)})
		}
	}
	if f.out != "" {
		if err := outfile.Write(append(made, outfile.File{Path: f.out, Data: finalizer.Retarget(file, f.target)})); err != nil {
			return "", internalError(err)
		}
		reason += "; copied"
	}
	return reason, nil
}

// factsOf reads what the finalizer decides by.
func factsOf(file *cubin.File) (finalizer.Facts, *refusal) {
	x, err := finalizer.FactsOf(file)
	switch {
	case err != nil:
		return x, internalError(err)
	case x.ABI != cuda.ABIVersionLegacy && x.ABI != cuda.ABIVersionCuda13:
		return x, &refusal{finalizer.BadABI, fmt.Sprintf("EI_ABIVERSION %d", x.ABI)}
	case x.Type != cuda.ETRel && x.Type != cuda.ETExec && x.Type != cuda.ETEwp:
		return x, &refusal{finalizer.Internal, fmt.Sprintf("e_type %#x", x.Type)}
	}
	return x, nil
}

// options reads the finalizer's own options. A level given there stands for the file's.
func (f *finalize) options(x *finalizer.Facts) (finalizer.Options, *refusal) {
	opt := finalizer.DefaultOptions(f.target, f.rules)
	err := opt.ParseOptions(f.words)
	if err == nil && len(f.words) > 0 {
		err = opt.Check(x)
	}
	var fault *finalizer.OptionError
	if errors.As(err, &fault) {
		return opt, &refusal{fault.Code, err.Error()}
	}
	if opt.OutSASS && f.out == "" {
		return opt, &refusal{finalizer.OptionConflict, "--out-sass requires -o"}
	}
	if opt.LevelSet {
		x.Level = uint8(opt.Level)
	}
	return opt, nil
}

// reconstitute returns a file's SASS regenerated, where the self-check passes.
func reconstitute(name string, data []byte) ([]byte, *refusal) {
	r, sass, err := selfcheck.Reconstitute(name, data, selfcheck.Options{})
	switch {
	case err != nil:
		return nil, internalError(err)
	case r.Verdict == selfcheck.Refused:
		return nil, &refusal{finalizer.DecodeFailed, r.Err.Error()}
	case r.Code() != 0:
		return nil, &refusal{finalizer.Code(r.Code()), fmt.Sprintf("self-check: %d findings", len(r.Findings)+r.More)}
	case r.Verdict != selfcheck.Pass:
		return nil, &refusal{finalizer.SASSFailed, "self-check: some instructions have an unknown form"}
	}
	return sass, nil
}
