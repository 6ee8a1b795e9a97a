package model_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/model"
)

// Whatever bytes change, Decode and Encode answer: with a file, or with an error
// that names file and place. A model that decodes encodes to at most a few times
// the input.
func TestHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	decoded, refused := 0, 0
	cubins(t, func(c *corpus.Capsule, data []byte) {
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

// A mutant is refused, or comes back byte for byte. nvlink 13.0 dies on a quarter of them.
func TestMutants(t *testing.T) {
	list, err := corpus.Mutants()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Decode(list[i].Name, data)
		if err != nil {
			continue
		}
		if out, err := m.Encode(); err != nil || !bytes.Equal(out, data) {
			t.Errorf("%s (%s): decoded, and encoded otherwise: %v", list[i].Name, list[i].Kind, err)
		}
	}
}

func FuzzRebuild(f *testing.F) {
	cubins(f, func(c *corpus.Capsule, data []byte) {
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
