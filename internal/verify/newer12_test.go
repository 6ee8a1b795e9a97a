package verify

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
)

// TestNewerInputs12 puts links of objects of 13.x, up to sm_90a, to the libraries of 12.5 to 12.9, which
// make files of their own kind of them. Those before refuse them.
func TestNewerInputs12(t *testing.T) {
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
			for _, c := range all {
				if !slices.ContainsFunc(c.Inputs, isOf13) || !c.Complete() || !c.Linked() || c.Arch >= "sm_91" || c.Arch < "sm_50" {
					continue
				}
				if q, cmd, out := bothSides(t, release, &c); cmd != nil {
					questions, asked, ours = append(questions, q), append(asked, c), append(ours, out)
				}
			}
			results, err := lib.Ask(t.Context(), questions)
			if err != nil {
				t.Fatal(err)
			}
			same := 0
			for i := range results {
				r := &results[i]
				switch linked := r.Outcome == nvjitlink.Linked && !r.Complained(); {
				case !linked && ours[i] == nil:
				case !linked || ours[i] == nil:
					t.Errorf("%s: linked here: %t; %s: %s", asked[i].ID(), ours[i] != nil, r, r.Message())
				case slices.ContainsFunc(asked[i].Inputs, isWholeProgram) && nvjitlink.Same(r.Output, ours[i].Image) != "":
					t.Logf("%s, whole program: %s", asked[i].ID(), nvjitlink.Same(r.Output, ours[i].Image)) // docs/known-differences.md
				case nvjitlink.Same(r.Output, ours[i].Image) != "":
					t.Errorf("%s: %s", asked[i].ID(), nvjitlink.Same(r.Output, ours[i].Image))
				default:
					same++
				}
			}
			t.Logf("%d links: %d the same", len(results), same)
			if takes := release.String() >= "12.5"; takes != (same > 0) || takes && same < 140 {
				t.Errorf("only %d links are the same", same)
			}
		})
	}
}

// isOf13 reports whether an input has the header of 13.x.
func isOf13(in corpus.Input) bool { return len(in.Data) > 7 && in.Data[7] == cuda.OSABICuda13 }
