package fuzz

import (
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

// The generator must make links that succeed and links that are refused, and
// engine and oracle be of one mind about them.
func TestMixes(t *testing.T) {
	linked, refused := 0, 0
	for n := range 600 {
		m, err := ReadMix(NewReader(randomInput(n, 32)))
		if err != nil {
			t.Fatal(err)
		}
		if d := m.Judge(); d != nil {
			t.Errorf("mix %d: %s", n, d)
		}
		if m.Linked {
			linked++
		}
		if m.Refused {
			refused++
		}
	}
	if linked < 300 || refused < 20 {
		t.Errorf("%d linked, %d refused", linked, refused)
	}
}

// Engine and nvlink make the same of them, or both refuse.
func TestMixesAgainstNvlink(t *testing.T) {
	for _, release := range nvidia.Standard {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release)
			for n, asked := 0, 0; asked < 80; n++ {
				m, err := ReadMix(NewReader(randomInput(n, 32)))
				if err != nil {
					t.Fatal(err)
				}
				if m.Release != release {
					continue
				}
				asked++
				if d := m.JudgeWitness(t.Context(), set); d != nil {
					t.Errorf("mix %d: %s", n, d)
				}
			}
		})
	}
}

// An entry of KnownMixes whose fault is mended has to go.
func TestKnownMixes(t *testing.T) {
	for _, k := range KnownMixes {
		m, err := k.Example.Mix()
		if err != nil {
			t.Error(err)
			continue
		}
		d := m.judge()
		switch {
		case d == nil:
			t.Errorf("%s %q: nothing is wrong any more: take the entry out of known.go", k.Finding, k.Why)
		case m.Finding != k.Finding:
			t.Errorf("%q: %s now: mend the entry in known.go\n%s", k.Why, m.Finding, d)
		case !k.covers(&m, m.Finding):
			t.Errorf("%s %q: the example isn't covered by its own entry", k.Finding, k.Why)
		}
	}
}

// The same for KnownImages.
func TestKnownImages(t *testing.T) {
	for _, k := range KnownImages {
		t.Run(k.Programs[0], func(t *testing.T) {
			set := nvidiatest.Need(t, k.Example.Release)
			m, err := k.Example.Mix()
			if err != nil {
				t.Fatal(err)
			}
			if d := m.judgeWitness(t.Context(), set); d == nil || !k.covers(&m) {
				t.Errorf("%q: nothing is wrong any more: take the entry out of known.go", k.Why)
			}
		})
	}
}
