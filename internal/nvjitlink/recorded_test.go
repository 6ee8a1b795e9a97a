package nvjitlink_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
)

// recorded returns the recorded links of nvlink's release as questions, and how
// many can't be asked.
func recorded(t testing.TB, release string) (cases []corpus.Case, questions []nvjitlink.Question, cannot int) {
	t.Helper()
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	more, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range more {
		all = append(all, p.Cases...)
	}
	for _, c := range all {
		if c.Release != release || !c.Complete() || c.Linked() && c.Output == nil {
			continue
		}
		var q nvjitlink.Question
		isInput := map[string]bool{}
		for _, in := range c.Inputs {
			isInput[in.Name] = true
			q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
		}
		var args []string
		for i := 0; i < len(c.Args); i++ {
			if c.Args[i] == "-o" {
				i++
			} else if !isInput[c.Args[i]] {
				args = append(args, c.Args[i])
			}
		}
		if q.Options, err = nvjitlink.FromNvlink(release, args); err != nil {
			cannot++
			continue
		}
		cases, questions = append(cases, c), append(questions, q)
	}
	return cases, questions, cannot
}

// TestRecorded asks what nvlink of the same release was recorded to answer.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		release string
		least   int // same images
	}{{"12.4", 100}, {"13.0", 140}} {
		t.Run(c.release, func(t *testing.T) {
			l := nvjitlinktest.Need(t, c.release)
			cases, questions, cannot := recorded(t, c.release)
			results, err := l.Ask(t.Context(), questions)
			if err != nil {
				t.Fatal(err)
			}
			same, refused, lax := 0, 0, 0
			for i := range results {
				r, nvlink := &results[i], &cases[i]
				switch {
				case r.Outcome == nvjitlink.Linked && nvlink.Linked():
					if d := nvjitlink.Same(r.Output, nvlink.Output); d != "" {
						t.Errorf("%s: %s", nvlink.ID(), d)
					}
					same++
				case r.Outcome == nvjitlink.Linked:
					// 13.0 prints nvlink's error and returns success all the same; 12.4 takes
					// objects of 11.8 for sm_90.
					if want := strings.ReplaceAll(nvlink.Stderr, "nvlink ", ""); !r.Complained() && !strings.Contains(want, "must be recompiled") ||
						r.Complained() && !strings.HasPrefix(want, r.Text) {
						t.Errorf("%s: linked, printing %q; nvlink: %q", nvlink.ID(), r.Text, nvlink.Stderr)
					}
					lax++
				case r.Outcome == nvjitlink.Refused && !nvlink.Linked():
					refused++
				default:
					t.Errorf("%s: %s: %s", nvlink.ID(), r, r.Message())
				}
			}
			t.Logf("%d recorded links: %d the same, %d refused by both, %d linked that nvlink refused; %d can't be asked", len(cases), same, refused, lax, cannot)
			if same < c.least {
				t.Errorf("only %d images were compared", same)
			}
		})
	}
}

// TestTwoDefinitions holds the reason to look at what a library prints: from
// 12.6 on two definitions of one name are linked, and one of them is dropped.
func TestTwoDefinitions(t *testing.T) {
	const one = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) f() { st.param.b32 [r], 1; ret; }\n.visible .entry k() { ret; }\n"
	other := strings.Replace(strings.Replace(one, "[r], 1", "[r], 2", 1), ".entry k", ".entry j", 1)
	for _, c := range []struct {
		release string
		links   bool
	}{{"12.0", false}, {"12.4", false}, {"12.5", false}, {"12.6", true}, {"12.9", true}, {"13.0", true}, {"13.5", true}} {
		t.Run(c.release, func(t *testing.T) {
			l := nvjitlinktest.Need(t, c.release)
			r, err := l.Link(t.Context(), nvjitlink.Question{Options: []string{"-arch=sm_80"}, Inputs: []nvjitlink.Input{
				{Kind: nvjitlink.PTX, Name: "a.ptx", Data: []byte(one)}, {Kind: nvjitlink.PTX, Name: "b.ptx", Data: []byte(other)},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if linked := r.Outcome == nvjitlink.Linked; linked != c.links || linked && !r.Complained() || !strings.Contains(r.Message(), "Multiple definition of 'f'") {
				t.Errorf("%s: %s", r, r.Message())
			}
		})
	}
}

// TestKinds gives PTX instead of a cubin.
func TestKinds(t *testing.T) {
	const ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n"
	for _, release := range []string{"12.4", "13.0", "13.5"} {
		t.Run(release, func(t *testing.T) {
			l := nvjitlinktest.Need(t, release)
			q := nvjitlink.Question{Options: []string{"-arch=sm_80"}}
			for kind, want := range map[nvjitlink.Kind]nvjitlink.Outcome{
				nvjitlink.PTX: nvjitlink.Linked, nvjitlink.Any: nvjitlink.Linked, nvjitlink.Cubin: nvjitlink.Refused, nvjitlink.LTOIR: nvjitlink.Refused, 99: nvjitlink.Refused,
			} {
				q.Inputs = []nvjitlink.Input{{Kind: kind, Name: "k.ptx", Data: []byte(ptx)}}
				r, err := l.Link(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				if r.Outcome != want {
					t.Errorf("%s: %s: %s", kind, r, r.Message())
				}
			}
		})
	}
}

// BenchmarkLink is the rate over the recorded links, by the processor time of
// both processes.
func BenchmarkLink(b *testing.B) {
	for _, c := range []struct {
		name, release string
		mercury       bool // sm_100 and up, where code is finalized
	}{{"12.4", "12.4", false}, {"13.0", "13.0", false}, {"13.0-mercury", "13.0", true}} {
		b.Run(c.name, func(b *testing.B) {
			l := nvjitlinktest.Need(b, c.release)
			cases, all, _ := recorded(b, c.release)
			var questions []nvjitlink.Question
			for i := range cases {
				if cases[i].Linked() && strings.Contains(cases[i].ID(), "-sm_1") == c.mercury {
					questions = append(questions, all[i])
				}
			}
			before := processorTime()
			n := 0
			for b.Loop() {
				if _, err := l.Ask(b.Context(), questions); err != nil {
					b.Fatal(err)
				}
				n += len(questions)
			}
			l.Close() // children count once they have ended
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "links/s")
			b.ReportMetric(float64(n)/(processorTime()-before), "links/cpu-s")
		})
	}
}

func processorTime() float64 {
	total := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return total
}
