package verify

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
	"github.com/twinlink/twinlink/oracle/check"
)

// wrong12 are links that come out wrong, as equal constants under a kernel filter, of
// which the later pieces move and the code doesn't follow (docs/trophies.md).
var wrong12 = map[string]bool{
	"equal_constants/11.8-sm_61-kernels": true,
	"equal_constants/12.4-sm_75-kernels": true,
	"patched_constants/11.8-sm_75-kept":  true,
	"lost_pointers/12.4-sm_75":           true, // a pointer is zero
	"yield_operation/11.8-sm_75":         true, // a YIELD becomes an illegal instruction
	"yield_operation/12.4-sm_80":         true,
	"uncounted_functions/11.8-sm_90-ab":  true, // a kernel has no stack for what it calls through a pointer
	// Of static kernels of one name only the first has a bank of parameters and a section of shared memory.
	"shared_by_name/11.8-sm_80":   true,
	"shared_by_name/11.8-sm_80-g": true,
	"shared_by_name/12.4-sm_80":   true,
	"shared_by_name/12.4-sm_80-g": true,
	"static_kernels/11.8-sm_52":   true,
	"static_kernels/12.4-sm_90":   true,
}

// known12 are links that a release makes otherwise; docs/known-differences.md
// says why.
var known12 = map[string]bool{
	"12.3 alias_unused/11.8-sm_60": true,
	"12.3 random_3/11.8-sm_50":     true,
}

// TestReleases12 holds the releases of 12.x that only nvJitLink knows: the
// recorded links of 11.8 and 12.4, linked as each of them, are to be its
// library's images byte for byte.
func TestReleases12(t *testing.T) {
	all := recordedLinks(t)
	for _, release := range cmdline.Releases {
		if !release.ByNvJitLink() {
			continue
		}
		t.Run(release.String(), func(t *testing.T) {
			lib := nvjitlinktest.Need(t, release.String())
			var questions []nvjitlink.Question
			var asked []corpus.Case
			var ours []*engine.Output
			var judge []check.Options
			for _, c := range all {
				if c.Release != "11.8" && c.Release != "12.4" || !c.Complete() {
					continue
				}
				q, cmd, out := bothSides(t, release, &c)
				if cmd != nil {
					questions, asked, ours = append(questions, q), append(asked, c), append(ours, out)
					judge = append(judge, checkOptions(&cmd.Options, release.String()))
				}
			}
			results, err := lib.Ask(t.Context(), questions)
			if err != nil {
				t.Fatal(err)
			}
			same, refused := 0, 0
			for i := range results {
				r := &results[i]
				linked := r.Outcome == nvjitlink.Linked && !r.Complained()
				if linked && asked[i].Exit == 0 { // the library takes what nvlink refuses, and links it wrongly
					judged(t, &asked[i], r.Output, judge[i])
				}
				if known12[release.String()+" "+asked[i].ID()] {
					if linked && ours[i] != nil && nvjitlink.Same(r.Output, ours[i].Image) == "" {
						t.Errorf("%s: as the library, yet listed as known to differ", asked[i].ID())
					}
					continue
				}
				switch {
				case !linked && ours[i] == nil:
					refused++
				case linked && ours[i] == nil && strings.HasPrefix(asked[i].Arch, "sm_90") && (asked[i].Release == "11.8" || strings.Contains(asked[i].Name, "mixed-release")):
					// The library links objects of 11.8 for sm_90, which nvlink refuses.
				case linked && ours[i] == nil && slices.ContainsFunc(asked[i].Inputs, isWholeProgram):
					// And -ewp objects of other toolkits: nvlink 13.0.88 refuses them, nvJitLink 13.0 doesn't.
				case linked && ours[i] == nil && asked[i].ID() == "too_many_constants/11.8-sm_80-filter":
					// Which constants a filter omits isn't known: docs/known-differences.md.
				case !linked || ours[i] == nil:
					t.Errorf("%s: linked here: %t; %s: %s", asked[i].ID(), ours[i] != nil, r, r.Message())
				case nvjitlink.Same(r.Output, ours[i].Image) != "":
					t.Errorf("%s: %s", asked[i].ID(), nvjitlink.Same(r.Output, ours[i].Image))
				default:
					same++
				}
			}
			t.Logf("%d links: %d the same, %d refused by both", len(results), same, refused)
			if same < 90 {
				t.Errorf("only %d images were compared", same)
			}
		})
	}
}

// recordedLinks are the links of the corpus and those of single behaviours.
func recordedLinks(t *testing.T) []corpus.Case {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	more, err := corpus.Behaviours()
	if err != nil {
		t.Fatal(err)
	}
	return append(all, corpus.CasesOf(more)...)
}

// judged wants the oracle to accept what a library linked, but for what is wrong.
func judged(t *testing.T, c *corpus.Case, image []byte, o check.Options) {
	t.Helper()
	var inputs []check.Input
	for _, in := range c.Inputs {
		inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
	}
	switch v := check.Check(inputs, image, o); {
	case wrong12[c.ID()]:
		if v.Total == 0 {
			t.Errorf("%s: accepted, yet it is wrong", c.ID())
		}
	case v.Refusal != nil:
		t.Errorf("%s: not judged: %v", c.ID(), v.Refusal)
	case v.Total > 0:
		t.Errorf("%s: rejected: %s", c.ID(), v.Findings[0].String())
	}
}

// recordedCommand is a recorded link as a release reads it; an error where it doesn't know an option.
func recordedCommand(release cmdline.Release, c *corpus.Case) ([]engine.Input, *cmdline.Command, error) {
	var inputs []engine.Input
	data := make(map[string][]byte)
	for _, in := range c.Inputs {
		inputs = append(inputs, engine.Input{Name: in.Name, Data: in.Data})
		data[in.Name] = in.Data
	}
	cmd, err := cmdline.Parse(release, c.Args, func(name string) ([]byte, error) {
		if data[name] == nil {
			return nil, fs.ErrNotExist
		}
		return data[name], nil
	})
	if err != nil {
		return nil, nil, err
	}
	cmd.Options.Toolkit = release.String()
	return inputs, cmd, nil
}

// linkedOrRefused links; nil where the engine refuses. Any other error fails the test.
func linkedOrRefused(t *testing.T, c *corpus.Case, inputs []engine.Input, opt engine.Options) *engine.Output {
	t.Helper()
	out, err := engine.Link(inputs, opt)
	var refused *engine.LinkError
	if err != nil && !errors.As(err, &refused) {
		t.Errorf("%s: %v", c.ID(), err)
	}
	return out
}

// bothSides is a recorded link as a question to a library, and what the engine
// makes of it; nil where it is refused. cmd is nil where the question can't be put.
func bothSides(t *testing.T, release cmdline.Release, c *corpus.Case) (q nvjitlink.Question, cmd *cmdline.Command, out *engine.Output) {
	t.Helper()
	inputs, cmd, err := recordedCommand(release, c)
	if err != nil {
		return q, nil, nil // the release doesn't know an option
	}
	names := map[string]bool{}
	for _, in := range c.Inputs {
		q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
		names[in.Name] = true
	}
	args := slices.DeleteFunc(slices.Clone(c.Args), func(a string) bool { return names[a] || a == "-o" || a == cmd.Output })
	if q.Options, err = nvjitlink.FromNvlink(release.String(), args); err != nil {
		return q, nil, nil
	}
	return q, cmd, linkedOrRefused(t, c, inputs, cmd.Options)
}

// isWholeProgram reports whether an input was compiled as a whole program that can be extended.
func isWholeProgram(in corpus.Input) bool {
	return len(in.Data) > 17 && binary.LittleEndian.Uint16(in.Data[16:]) == cuda.ETEwp
}
