package nvidia

import "context"

// dumpText is how much of a listing Dump keeps, in bytes, where the Toolset's
// limits don't say: some 20 times the text of the largest cubin of the corpus.
const dumpText = 64 << 20

// Dump runs a release's cuobjdump or nvdisasm on one file and returns the
// listing as the result's Stdout:
//
//	name args… file
//
// Success means exit 0 and a listing. Errors: *ArgumentError where name is
// neither tool, *NotFoundError, and those of [Tool.Run].
func (s *Toolset) Dump(ctx context.Context, release, name string, args []string, file File) (*Result, error) {
	return s.read(ctx, release, name, args, file, "")
}

// Extract takes every cubin out of a library, host object or fatbin with
// cuobjdump -xelf all. They are in the result's Files, under cuobjdump's names.
// Success means that there is at least one.
func (s *Toolset) Extract(ctx context.Context, release string, file File) (*Result, error) {
	res, err := s.read(ctx, release, Cuobjdump, []string{"-xelf", "all"}, file, "*.cubin")
	if err == nil && res.Outcome == Success && len(res.Files) == 0 {
		res.Outcome = Silent
	}
	return res, err
}

func (s *Toolset) read(ctx context.Context, release, name string, args []string, file File, collect string) (*Result, error) {
	if name != Cuobjdump && name != Nvdisasm {
		return nil, &ArgumentError{name, "not a tool that lists a file"}
	}
	tool, err := s.Tool(release, name)
	if err != nil {
		return nil, err
	}
	limits := s.limits
	if limits.Text <= 0 {
		limits.Text = dumpText
	}
	argv := append(append([]string(nil), args...), file.Name)
	res, err := tool.Run(ctx, Job{Args: argv, Inputs: []File{file}, Collect: collect, Limits: limits})
	if err != nil {
		return nil, err
	}
	if res.Outcome == Success && len(res.Stdout) == 0 && collect == "" {
		res.Outcome = Silent
	}
	return res, nil
}
