package fuzz

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
)

func TestMain(m *testing.M) { nvjitlinktest.Main(m) }

var update = flag.Bool("update", false, "write testdata/known.tsv anew")

// found are the mixes of one test on which an opinion parts from the engine.
type found struct {
	opinion string
	of      map[string]Known // by content
	asked   map[string]bool
}

func (f *found) add(t *testing.T, m *Mix, d *Divergence) {
	t.Helper()
	content := m.Content()
	f.asked[content] = true
	if d == nil {
		return
	}
	if m.What == nil { // a panic, or a limit
		t.Error(d)
		return
	}
	f.of[content] = Known{Content: content, Opinion: f.opinion, What: slices.Clone(m.What), Wrong: "?", Why: "?",
		Mix: m.Release + " " + strings.Join(m.Args[:len(m.Args)-2-len(m.Inputs)], " ") + " " + strings.Join(m.Modules, " ")}
	if !*update && !m.known(f.opinion, m.What) {
		t.Error(d)
	}
}

// settle wants each known mix that was asked about to part still, or writes the
// list.
func (f *found) settle(t *testing.T) {
	t.Helper()
	list, err := KnownMixes()
	if err != nil {
		t.Fatal(err)
	}
	if !*update {
		for _, k := range list {
			if _, parts := f.of[k.Content]; k.Opinion == f.opinion && f.asked[k.Content] && !parts {
				t.Errorf("%s %s: nothing is wrong any more: take the line out of testdata/known.tsv (-update)", k.Content, k.Mix)
			}
		}
		return
	}
	text, err := os.ReadFile("testdata/known.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if list, err = readKnown(string(text)); err != nil {
		t.Fatal(err)
	}
	why := map[string]Known{}
	for _, k := range list {
		if k.Opinion == f.opinion {
			why[k.Content] = k
		}
	}
	list = slices.DeleteFunc(list, func(k Known) bool { return k.Opinion == f.opinion && f.asked[k.Content] })
	for content, k := range f.of {
		if was, ok := why[content]; ok && slices.Equal(was.What, k.What) {
			k.Why = was.Why
			if k.Wrong == "?" {
				k.Wrong = was.Wrong
			}
		}
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b Known) int { return strings.Compare(a.Opinion+a.Content, b.Opinion+b.Content) })
	out := "# Mixes on which an opinion is known to part from the engine: content, opinion, what, who is wrong, why, the mix\n"
	for i := range list {
		out += list[i].line() + "\n"
	}
	if err := os.WriteFile("testdata/known.tsv", []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The generator must make links that succeed and links that are refused, and
// engine and oracle be of one mind about them.
func TestMixes(t *testing.T) {
	linked, refused, both := 0, 0, 0
	f := found{"oracle", map[string]Known{}, map[string]bool{}}
	inputs := MixSeeds()
	for n := range 600 {
		inputs = append(inputs, randomInput(n, 32))
	}
	for _, input := range inputs {
		m, err := ReadMix(NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		d := m.judge()
		f.add(t, &m, d)
		if k, ok := f.of[m.Content()]; ok && d != nil && *update {
			k.Wrong = blamed(t, m)
			f.of[k.Content] = k
		}
		if m.Linked {
			linked++
			if strings.HasPrefix(m.Arch, "sm_1") {
				both++
			}
		}
		if m.Refused {
			refused++
		}
	}
	f.settle(t)
	if linked < 300 || refused < 20 || both < 20 {
		t.Errorf("%d linked, %d of them with two sides, %d refused", linked, both, refused)
	}
}

// blamed asks nvlink, where it is installed, whom it bears out.
func blamed(t *testing.T, m Mix) string {
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil || !slices.Contains(set.Releases(), m.Release) {
		return "?"
	}
	if d := m.judgeWitness(t.Context(), set); d != nil {
		return "engine"
	}
	return "oracle"
}

// Engine and nvlink make the same of them, or both refuse.
func TestMixesAgainstNvlink(t *testing.T) {
	for _, release := range nvidia.Standard {
		t.Run(release, func(t *testing.T) {
			set := nvidiatest.Need(t, release)
			f := found{"nvlink", map[string]Known{}, map[string]bool{}}
			for n, asked := 0, 0; asked < 80; n++ {
				m, err := ReadMix(NewReader(randomInput(n, 32)))
				if err != nil {
					t.Fatal(err)
				}
				if m.Release != release {
					continue
				}
				asked++
				f.add(t, &m, m.judgeWitness(t.Context(), set))
			}
			f.settle(t)
		})
	}
}

// Every line of known.tsv says who is wrong and why.
func TestKnownMixes(t *testing.T) {
	list, err := KnownMixes()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		if k.Why == "" || k.Why == "?" {
			t.Errorf("%s %s %v: no cause is named", k.Content, k.Opinion, k.What)
		}
	}
}
