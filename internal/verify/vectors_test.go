package verify_test

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// linkVector links a vector's inputs with the engine as a release.
func linkVector(v *relocs.Vector, release string, inputs []relocs.Input) relocs.Answer {
	args := append([]string{"-o", "out.cubin"}, v.Args()...)
	var in []engine.Input
	for _, i := range inputs {
		args = append(args, i.Name)
		in = append(in, engine.Input{Name: i.Name, Data: i.Data})
	}
	r, _ := cmdline.ParseRelease(release)
	cmd, err := cmdline.Parse(r, args, nil)
	if err != nil {
		return relocs.Answer{Message: err.Error()}
	}
	out, err := engine.Link(in, cmd.Options)
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		return relocs.Answer{Message: refused.Error(), Exit: refused.Exit}
	}
	var b strings.Builder
	for i := range out.Diags {
		b.WriteString(out.Diags[i].String() + "\n")
	}
	return relocs.Answer{Image: out.Image, Message: b.String()}
}

// TestVectors runs every vector of corpus/relocs through the engine, as each
// release. How many must agree stands in vectorsLeast.
func TestVectors(t *testing.T) {
	var mu sync.Mutex
	total, open := map[string]int{}, map[string]int{}
	queue := make(chan *relocs.Vector, 64)
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for v := range queue {
				faults, err := judgeVector(v)
				mu.Lock()
				side := sideOf(v)
				total[side] += len(v.Releases())
				open[side] += len(faults)
				if len(faults) > 0 && open[side] <= 3 {
					t.Logf("open: %v", faults[0])
				}
				if err != nil {
					t.Errorf("%s: %v", v.ID, err)
				}
				mu.Unlock()
			}
		})
	}
	for v := range relocs.Vectors() {
		queue <- v
	}
	close(queue)
	done.Wait()
	for side, least := range vectorsLeast {
		good := total[side] - open[side]
		t.Logf("%s: %d of %d as nvlink", side, good, total[side])
		if total[side] < 1000 || float64(good) < least*float64(total[side]) {
			t.Errorf("%s: %d of %d differ from nvlink; %.1f %% have to agree", side, open[side], total[side], 100*least)
		}
	}
}

// judgeVector returns how the engine differs from the releases it was run as.
func judgeVector(v *relocs.Vector) (faults []error, err error) {
	inputs, err := v.Inputs()
	if err != nil {
		return nil, err
	}
	for _, release := range v.Releases() {
		if err := v.Compare(release, inputs, linkVector(v, release, inputs)); err != nil {
			faults = append(faults, err)
		}
	}
	return faults, nil
}

// sideOf tells vectors of SASS from those of Capsule Mercury.
func sideOf(v *relocs.Vector) string {
	if strings.HasPrefix(v.Template.Arch, "sm_1") {
		return "Mercury"
	}
	return "SASS"
}

// vectorsLeast is the share of the runs in which the engine does what nvlink
// did. It may only rise: what differs is hostile input (constant banks that
// ptxas never makes, images named where no code is; addresses of code at a
// Mercury operand in a bank).
var vectorsLeast = map[string]float64{"SASS": 0.985, "Mercury": 0.9895}
