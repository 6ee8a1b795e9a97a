package probe

import (
	"context"
	"errors"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// patient is how long a link may take. Some records make nvlink run for ever; where the kernel
// counts processor time that tells them, however busy the machine is.
var patient = nvidia.Limits{Time: time.Minute, CPU: time.Second}

// Tools finds NVIDIA's tools for many small questions: they wait as patient says, and their files are in memory.
func Tools(ctx context.Context) (*nvidia.Toolset, error) {
	return nvidia.Find(ctx, nvidia.Options{Limits: patient, Scratch: nvidia.InMemory()})
}

// Budget is how many links may still be made. It is counted, not timed: what is given up
// for it is the same on every machine. Several oracles may share one.
type Budget struct{ Left int }

// ErrBudget is the answer to a question for which no link is left.
var ErrBudget = errors.New("probe: the links that it may cost are made")

// hangs is what a link costs that doesn't end, in links: about as much time as so many take.
const hangs = 100

// take asks for a link.
func (b *Budget) take() error {
	if b == nil {
		return nil
	}
	if b.Left <= 0 {
		return ErrBudget
	}
	b.Left--
	return nil
}

// hung adds what a link that didn't end costs more than others.
func (b *Budget) hung() {
	if b != nil {
		b.Left -= hangs - 1
	}
}
