package nvidia

import (
	"context"
	"path"
	"strings"
)

// DefaultOutput is the name that Link gives its output where args name none.
// It shows in messages and nowhere in the output's bytes.
const DefaultOutput = "out.cubin"

// Link runs a release's nvlink over inputs, in their order:
//
//	nvlink args… [-o out.cubin] inputs…
//
// Success means that the output exists and starts with ELF's magic; ask
// [Result.Linked] whether it can be believed. Errors: *NotFoundError, and those
// of [Tool.Run].
func (s *Toolset) Link(ctx context.Context, release string, args []string, inputs []File) (*Result, error) {
	tool, err := s.Tool(release, Nvlink)
	if err != nil {
		return nil, err
	}
	res, err := tool.produce(ctx, s.limits, args, DefaultOutput, inputs)
	if err != nil {
		return nil, err
	}
	res.Unreliable = unreliableInputs(tool.Version, inputs)
	res.Hollow = hollow(res.Output)
	return res, nil
}

// Assemble runs a release's ptxas to make a relocatable object of PTX:
//
//	ptxas -c args… [-o NAME.cubin] NAME.ptx
//
// Success and errors are as Link's.
func (s *Toolset) Assemble(ctx context.Context, release string, args []string, source File) (*Result, error) {
	return s.AssembleWhole(ctx, release, append([]string{"-c"}, args...), source)
}

// AssembleWhole runs a release's ptxas without -c: what it makes is a whole program, or one that others
// extend (-ewp).
func (s *Toolset) AssembleWhole(ctx context.Context, release string, args []string, source File) (*Result, error) {
	tool, err := s.Tool(release, Ptxas)
	if err != nil {
		return nil, err
	}
	out := strings.TrimSuffix(source.Name, path.Ext(source.Name)) + ".cubin"
	return tool.produce(ctx, s.limits, args, out, []File{source})
}

// produce runs a tool that makes one ELF file of its inputs.
func (t Tool) produce(ctx context.Context, limits Limits, args []string, out string, inputs []File) (*Result, error) {
	argv := append([]string(nil), args...)
	if given, ok := outputName(args); ok {
		out = given
	} else {
		argv = append(argv, "-o", out)
	}
	for _, f := range inputs {
		if f.Name == out {
			// A tool that then fails would leave the input to be read as its output.
			return nil, &FileNameError{f.Name, "input and output"}
		}
		if !f.Aside {
			argv = append(argv, f.Name)
		}
	}
	res, err := t.Run(ctx, Job{Args: argv, Inputs: inputs, Outputs: []string{out}, Limits: limits})
	if err != nil {
		return nil, err
	}
	res.Output = res.Files[out]
	if res.Outcome == Success && !isELF(res.Output) {
		res.Outcome = Silent
	}
	return res, nil
}

// outputName returns the file that -o names, in any of the four spellings that
// the tools take. As with them the last one counts.
func outputName(args []string) (name string, ok bool) {
	for i, a := range args {
		switch {
		case a == "-o" || a == "--output-file":
			if i+1 < len(args) {
				name, ok = args[i+1], true
			}
		case strings.HasPrefix(a, "-o="):
			name, ok = a[len("-o="):], true
		case strings.HasPrefix(a, "--output-file="):
			name, ok = a[len("--output-file="):], true
		}
	}
	return name, ok
}
