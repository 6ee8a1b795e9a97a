package model_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/capsule/model"
	"github.com/twinlink/twinlink/corpus/capsules"
	"github.com/twinlink/twinlink/cubin"
)

// Whatever bytes change, Decode and Encode answer: with a file, or with an error
// that names file and place. A model that decodes encodes to at most a few times
// the input.
func TestHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	decoded, refused := 0, 0
	cubins(t, func(c *capsules.Cubin, data []byte) {
		if rng.IntN(4) != 0 {
			return
		}
		for range 12 {
			bad := append([]byte(nil), data...)
			for range 1 + rng.IntN(4) {
				bad[rng.IntN(len(bad))] ^= byte(1 << rng.IntN(8))
			}
			if rng.IntN(8) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			m, err := model.Decode(c.Name, bad)
			if err == nil {
				_, err = m.Encode()
			}
			var e *cubin.Error
			switch {
			case err == nil:
				decoded++
			case !errors.As(err, &e) || e.File != c.Name || e.Kind == 0:
				t.Errorf("%s: error without place: %v", c.Name, err)
			default:
				refused++
			}
		}
	})
	if decoded == 0 || refused == 0 {
		t.Errorf("%d decoded, %d refused: the edits are too mild or too harsh to tell", decoded, refused)
	}
}

func FuzzRebuild(f *testing.F) {
	cubins(f, func(c *capsules.Cubin, data []byte) {
		if len(data) < 6000 {
			f.Add(data)
		}
	})
	f.Fuzz(func(_ *testing.T, data []byte) {
		if m, err := model.Decode("fuzz", data); err == nil {
			_, _ = m.Encode()
		}
	})
}
