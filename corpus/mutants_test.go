package corpus_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

func mutants(t *testing.T) []corpus.Mutant {
	t.Helper()
	list, err := corpus.Mutants()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestMutants(t *testing.T) {
	list := mutants(t)
	if len(list) < 200 {
		t.Errorf("%d mutants, want 200 or more", len(list))
	}
	bases := map[string][]byte{}
	for _, c := range capsules(t) {
		data, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		bases[c.Name] = data
	}
	outcomes := map[string]int{}
	for i := range list {
		m := &list[i]
		data, err := m.Data()
		if err != nil {
			t.Error(err)
		}
		if bytes.Equal(data, bases[m.Base]) || len(data) != len(bases[m.Base]) {
			t.Errorf("%s: an edit that changes nothing, or the size", m.Name)
		}
		for _, release := range []string{"13.0", "13.5"} {
			r, ok := m.Results[release]
			if !ok {
				t.Errorf("%s: no result of nvlink %s", m.Name, release)
			}
			outcomes[r.Outcome]++
		}
	}
	for _, o := range []string{"success", "refused", "crashed"} {
		if outcomes[o] == 0 {
			t.Errorf("nvlink %s none", o)
		}
	}
}

// nvlink still does what is recorded, with one mutant of each kind.
func TestRecorded(t *testing.T) {
	arch := map[string]string{}
	for _, c := range capsules(t) {
		arch[c.Name] = c.Arch
	}
	for _, release := range []string{"13.0", "13.5"} {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release, nvidia.Nvlink)
			asked := map[string]bool{}
			list := mutants(t)
			for i := range list {
				m := &list[i]
				want := m.Results[release]
				if asked[m.Kind] || want.Unsteady || want.Outcome == "hung" {
					continue
				}
				asked[m.Kind] = true
				data, err := m.Data()
				if err != nil {
					t.Fatal(err)
				}
				res, err := set.Link(context.Background(), release, []string{"-arch=" + arch[m.Base]}, []nvidia.File{{Name: "in0.cubin", Data: data}})
				if err != nil {
					t.Fatal(err)
				}
				if res.Outcome.String() != want.Outcome || res.ExitCode != want.Exit {
					t.Errorf("%s (%s): %s, exit %d, recorded %s, %d", m.Name, m.Kind, res.Outcome, res.ExitCode, want.Outcome, want.Exit)
				}
				if want.Output == "changed" {
					if sum := sha256.Sum256(res.Output); hex.EncodeToString(sum[:]) != want.SHA256 {
						t.Errorf("%s (%s): another output than recorded", m.Name, m.Kind)
					}
				}
			}
		})
	}
}
