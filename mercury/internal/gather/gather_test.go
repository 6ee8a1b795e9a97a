package gather_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/gather"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

func TestMain(m *testing.M) { replay.Main(m) }

// Lines that ptxas refuses are omitted one by one, those of which it names the number and those of which it doesn't,
// and all others are in some cubin: a batch has at most 64.
func TestLines(t *testing.T) {
	var lines []string
	for i := range 70 {
		lines = append(lines, fmt.Sprintf("add.u32 %%x0, %%a0, %d;", i))
	}
	lines[0] = "nonsense.u32 %x0, %a0;"
	lines[3] = "nonsense.u32 %x1, %a0;"
	lines[40] = "}" // the parser loses its way
	lines[69] = "mov.u64 %x0, %a0;"
	reasons := map[string]string{lines[0]: "'nonsense'", lines[3]: "'nonsense'", lines[40]: "Parsing error near 'ret'", lines[69]: "Arguments mismatch for instruction 'mov'"}
	replay.Both(t, "testdata/lines.gz", []string{"13.0"}, func(t *testing.T) {
		tools, err := probe.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var good, bad []string
		batches := 0
		job := gather.Job{Release: "13.0", Version: "9.0", Target: "sm_100a", Options: []string{"-O1"}}
		err = gather.Lines(t.Context(), tools, job, lines, func(lines []string, data []byte) error {
			f, err := cubin.Open("k", data)
			if err != nil {
				return err
			}
			if n := len(capsule.Open(f).Funcs); n != len(lines)+1 { // near too
				t.Errorf("%d functions of %d lines", n, len(lines))
			}
			batches++
			good = append(good, lines...)
			return nil
		}, func(line, why string) {
			if !strings.Contains(why, reasons[line]) {
				t.Errorf("%s is refused for %s, want %s", line, why, reasons[line])
			}
			bad = append(bad, line)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{lines[0], lines[3], lines[40], lines[69]}
		slices.Sort(bad)
		slices.Sort(want)
		if !slices.Equal(bad, want) {
			t.Errorf("refused are %q, want %q", bad, want)
		}
		rest := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(want, l) })
		if !slices.Equal(good, rest) || batches < 2 {
			t.Errorf("%d lines in %d batches: %q", len(good), batches, good)
		}
		broken := errors.New("broken")
		if err := gather.Lines(t.Context(), tools, job, lines[64:], func([]string, []byte) error { return broken }, func(string, string) {}); err != broken {
			t.Errorf("what the reader says: %v", err)
		}
		job.Release = "1.0"
		if err := gather.Lines(t.Context(), tools, job, lines[:1], nil, nil); !errors.As(err, new(*nvidia.NotFoundError)) {
			t.Errorf("without ptxas: %v", err)
		}
	})
}

// What is refused without the number of a line is found by halving: each of the others is compiled, each line is refused
// for what is said of it alone, and one that follows all kernels is none.
func TestHalving(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the tool is a shell script")
	}
	witness := t.TempDir()
	if err := os.Mkdir(filepath.Join(witness, "13.0"), 0o755); err != nil {
		t.Fatal(err)
	}
	const script = `#!/bin/sh
if [ "$1" = --version ]; then
	printf 'ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88\n'
	exit
fi
case " $* " in *" -arch=sm_100a "*) ;; *) exit 9;; esac
n=$(grep -c '^bad' k.ptx)
if [ $n != 0 ]; then
	if grep -q behind k.ptx; then printf 'k.ptx, line 9999; ' >&2; fi
	echo $n bad >&2
	exit 1
fi
{ printf '\177ELF'; grep '^good' k.ptx; } > k.cubin
`
	if err := os.WriteFile(filepath.Join(witness, "13.0", nvidia.Ptxas), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	tools, err := nvidia.Find(t.Context(), nvidia.Options{Getenv: func(name string) string { return map[string]string{"TWINLINK_WITNESS": witness}[name] }})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ lines, found, refused string }{
		{"good0;", "good0;", ""},
		{"bad0;", "", "bad0;:1 bad"},
		{"good0; good1; good2;", "good0; good1; good2;", ""},
		{"good0; bad1; good2; good3; bad4; good5; good6;", "good0; | good2; | good3; | good5; good6;", "bad1;:1 bad bad4;:1 bad"},
		{"bad0; bad1;", "", "bad0;:1 bad bad1;:1 bad"},
		{"bad0; good1;//behind", "good1;//behind", "bad0;:1 bad"},
	} {
		var found, refused []string
		err := gather.Lines(t.Context(), tools, gather.Job{Release: "13.0", Version: "9.0", Target: "sm_100a"}, strings.Fields(test.lines), func(lines []string, data []byte) error {
			found = append(found, strings.Join(lines, " "))
			if got := strings.Fields(string(data[4:])); !slices.Equal(got, lines) {
				t.Errorf("%q are compiled as %q", lines, got)
			}
			return nil
		}, func(line, why string) { refused = append(refused, line+":"+strings.TrimSpace(why)) })
		if got := strings.Join(found, " | "); err != nil || got != test.found {
			t.Errorf("%s: found %s, want %s, %v", test.lines, got, test.found, err)
		}
		if got := strings.Join(refused, " "); got != test.refused {
			t.Errorf("%s: refused %s, want %s", test.lines, got, test.refused)
		}
	}
}

// The stored nodes and the plain words of a cubin are those that package capsule reads, but for those to which a
// relocation is still to be applied.
func TestSamples(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	filled, stored, plain := 0, 0, 0
	dir := t.TempDir()
	words := map[cuda.SM][]mercury.Word{}
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		sm, pairs, err := probe.Pairs(data)
		if err != nil {
			t.Fatal(err)
		}
		records, err1 := gather.Samples(data)
		plains, err2 := gather.Plain(data)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for _, p := range pairs {
			switch {
			case p.Kind == 'P' && i < 3:
				words[cuda.SM(sm)] = append(words[cuda.SM(sm)], mercury.GetWord(p.Words))
				fallthrough
			default:
				if p.Relocated {
					filled++
					continue
				}
			}
			want := gather.Sample{SM: sm, Record: string(p.Record), Words: string(p.Words)}
			switch p.Kind {
			case 'R':
				stored++
				if len(records) == 0 || records[0] != want {
					t.Fatalf("%s: stored %x, want %x", list[i].Name, records, want)
				}
				records = records[1:]
			case 'P':
				plain++
				want.Record = ""
				if len(plains) == 0 || plains[0] != want {
					t.Fatalf("%s: plain %x, want %x", list[i].Name, plains, want)
				}
				plains = plains[1:]
			}
		}
		if len(records) > 0 || len(plains) > 0 {
			t.Errorf("%s: %d and %d more", list[i].Name, len(records), len(plains))
		}
		if i < 3 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.cubin", i)), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if filled == 0 || stored == 0 || plain == 0 {
		t.Errorf("%d to be filled in, %d stored, %d plain", filled, stored, plain)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.cubin"), []byte("no cubin"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := map[cuda.SM][]mercury.Word{}
	if err := gather.EachPlain([]string{dir}, func(sm cuda.SM, w mercury.Word) { got[sm] = append(got[sm], w) }); err != nil {
		t.Fatal(err)
	}
	order := func(a, b mercury.Word) int {
		return bytes.Compare(fmt.Appendf(nil, "%016x%016x", a.Hi, a.Lo), fmt.Appendf(nil, "%016x%016x", b.Hi, b.Lo))
	}
	if len(got) != len(words) || len(words) == 0 {
		t.Errorf("SMs %v", got)
	}
	for sm, list := range words {
		slices.SortFunc(list, order)
		slices.SortFunc(got[sm], order)
		if !slices.Equal(got[sm], list) {
			t.Errorf("sm_%d: %d plain words in files, want %d", sm, len(got[sm]), len(list))
		}
	}
	for _, bad := range []func([]byte) ([]gather.Sample, error){gather.Samples, gather.Plain} {
		if list, err := bad([]byte("no cubin")); err == nil || list != nil || !strings.HasPrefix(err.Error(), "gather: probe: ") {
			t.Errorf("%v, %v", list, err)
		}
	}
}
