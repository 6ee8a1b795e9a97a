package fuzz

import (
	"bytes"
	"cmp"
	"context"
	"hash/crc32"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/fuzz/storm"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// tell fails a target with a divergence, and saves it: elsewhere where TWINLINK_FUZZ_SAVE says so, for with a planted fault
// seeds fail as well.
func tell(t *testing.T, target string, input []byte, d *Divergence) {
	t.Helper()
	if d == nil {
		return
	}
	file, err := d.Save(t.Context(), cmp.Or(os.Getenv("TWINLINK_FUZZ_SAVE"), "testdata"), target, input)
	if err != nil {
		t.Error(err)
	}
	t.Fatalf("%s\nsaved as %s", d.Error(), file)
}

func verdictOf(linked bool) string {
	if linked {
		return "agree"
	}
	return "refused"
}

// The verdicts of each target, see Counter.
var (
	relocations  = Counter{Target: "FuzzRelocation"}
	descriptors  = Counter{Target: "FuzzDescriptor"}
	containers   = Counter{Target: "FuzzContainer"}
	links        = Counter{Target: "FuzzLink"}
	commandLines = Counter{Target: "FuzzCommandLine"}
	mixes        = Counter{Target: "FuzzMix"}
)

func FuzzRelocation(f *testing.F) {
	for _, seed := range RelocationSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadRelocation(NewReader(input))
		var tally storm.Tally
		tell(t, "FuzzRelocation", input, c.JudgeSpread(&tally))
		relocations.Add("agree", tally.Compared)
		relocations.Add("both-refuse", tally.BothRefuse)
		relocations.Add("inexpressible", tally.Inexpressed)
		if crc32.ChecksumIEEE(input)%16 == 0 { // by the documents as well, which is slow
			_, d := c.Judge()
			tell(t, "FuzzRelocation", input, d)
		}
	})
}

func FuzzDescriptor(f *testing.F) {
	for _, seed := range DescriptorSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadProgram(NewReader(input))
		tell(t, "FuzzDescriptor", input, c.Judge())
		descriptors.Add("agree", 1)
	})
}

func FuzzContainer(f *testing.F) {
	seeds, err := ContainerSeeds()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		tell(t, "FuzzContainer", input, JudgeContainer(input))
		tell(t, "FuzzContainer", input, JudgeDump(input))
		tell(t, "FuzzContainer", input, JudgeContainer(Repair(input)))
		tell(t, "FuzzContainer", input, JudgeDump(Repair(input)))
		containers.Add("agree", 1)
	})
}

func FuzzLink(f *testing.F) {
	seeds, err := LinkSeeds()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		l, err := ReadLink(NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		tell(t, "FuzzLink", input, l.Judge())
		links.Add(verdictOf(l.Linked), 1)
	})
}

func FuzzCommandLine(f *testing.F) {
	for _, seed := range CommandLineSeeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		c := ReadCommandLine(NewReader(input))
		tell(t, "FuzzCommandLine", input, c.Judge())
		commandLines.Add("agree", 1)
	})
}

func FuzzMix(f *testing.F) {
	for _, seed := range MixSeeds() {
		f.Add(seed)
	}
	set, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		m, err := ReadMix(NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		tell(t, "FuzzMix", input, m.Judge())
		verdict := verdictOf(m.Linked)
		if m.Parts {
			verdict = "diverge-known"
		}
		mixes.Add(verdict, 1)
		mixes.Add("arch-"+m.Arch, 1)
		// One in 64 is put to nvlink as well, if it is there.
		if sum := crc32.ChecksumIEEE(input); sum%64 == 0 && slices.Contains(set.Releases(), m.Release) {
			tell(t, "FuzzMix", input, m.JudgeWitness(t.Context(), set))
		}
	})
}

// fuzzListed runs a target of Targets and counts what became of its cases.
func fuzzListed(f *testing.F, name string, ruling func(input []byte) (Ruling, *Divergence, error)) {
	i := slices.IndexFunc(Targets, func(t Target) bool { return t.Name == name })
	list, err := Targets[i].Seeds()
	if err != nil || len(list) == 0 {
		f.Fatalf("%d seeds, %v", len(list), err)
	}
	for _, seed := range list {
		f.Add(seed)
	}
	counter := &Counter{Target: name}
	f.Fuzz(func(t *testing.T, input []byte) {
		r, d, err := ruling(input)
		if err != nil {
			t.Fatal(err)
		}
		counter.Add(string(r), 1)
		tell(t, name, input, d)
	})
}

func fuzzKind(f *testing.F, name string, k *Kind) {
	fuzzListed(f, name, func(input []byte) (Ruling, *Divergence, error) {
		q, err := k.Read(NewReader(input))
		if err != nil {
			return "", nil, err
		}
		r, d := q.Judge(k.Name)
		return r, k.unknown(d), nil
	})
}

func FuzzObjects(f *testing.F)  { fuzzKind(f, "FuzzObjects", &Kinds[0]) }
func FuzzPrograms(f *testing.F) { fuzzKind(f, "FuzzPrograms", &Kinds[1]) }
func FuzzEdits(f *testing.F)    { fuzzKind(f, "FuzzEdits", &Kinds[2]) }

func FuzzMetamorphic(f *testing.F) {
	fuzzListed(f, "FuzzMetamorphic", func(input []byte) (Ruling, *Divergence, error) {
		r := NewReader(input)
		ruling, d := JudgeMetamorphic(r, ReadMetamorphic(r), Engine)
		return ruling, unknown(d), nil
	})
}

func FuzzInfo(f *testing.F) {
	fuzzListed(f, "FuzzInfo", func(input []byte) (Ruling, *Divergence, error) {
		ruling, d := JudgeInfo(input)
		return ruling, d, nil
	})
}

func FuzzCapsule(f *testing.F) {
	fuzzListed(f, "FuzzCapsule", func(input []byte) (Ruling, *Divergence, error) {
		c, err := ReadCapsule(NewReader(input))
		if err != nil {
			return "", nil, err
		}
		ruling, d := c.Judge()
		return ruling, d, nil
	})
}

func FuzzSelfcheck(f *testing.F) {
	fuzzListed(f, "FuzzSelfcheck", func(input []byte) (Ruling, *Divergence, error) {
		data, edited, err := ReadSelfcheck(NewReader(input))
		if err != nil {
			return "", nil, err
		}
		ruling, d := JudgeSelfcheck(data, edited)
		return ruling, d, nil
	})
}

// FuzzLive puts questions to nvlink too. It needs the tools, and scripts/fuzz.sh leaves it out where there are none.
func FuzzLive(f *testing.F) {
	live, err := FindLive(context.Background(), nvjitlink.Options{Self: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(live.Close)
	for n := range uint64(30) {
		k := &Kinds[n%2]
		f.Add(append([]byte{byte(n % 2)}, SeededInput(k.Name, n, k.Size)...))
	}
	counter := &Counter{Target: "FuzzLive"}
	f.Fuzz(func(t *testing.T, input []byte) {
		r := NewReader(input)
		var kind *Kind
		var q Question
		switch sel := r.Byte() % 8; {
		case sel == 7:
			var ok bool
			if q, ok, err = ReadPTX(t.Context(), live.Set, r); err == nil && !ok {
				counter.Add("not-compiled", 1)
				return
			}
			kind = &Kind{Name: "ptx"}
		default:
			kind = &Kinds[[...]int{0, 1, 3, 0, 1, 3, 3}[sel]]
			q, err = kind.Read(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(live.Set.Releases(), q.Release) {
			counter.Add("not-installed", 1)
			return
		}
		live.Lighten(&q)
		ruling, d := live.Judge(t.Context(), &q, kind.Name)
		counter.Add(string(ruling), 1)
		counter.Add("release-"+q.Release, 1)
		tell(t, "FuzzLive", input, kind.unknown(d))
	})
}

// Of repaired bytes most can be opened, and none may be changed in place.
func TestRepair(t *testing.T) {
	opened := 0
	for n := range uint64(tries) {
		input := SeededInput("raw", n, 200+int(n)%1000)
		before := bytes.Clone(input)
		data := Repair(input)
		if !bytes.Equal(before, input) {
			t.Fatal("the input is changed")
		}
		for _, d := range []*Divergence{JudgeContainer(data), JudgeDump(data)} {
			if d != nil {
				t.Fatal(d)
			}
		}
		if _, err := cubin.Open("raw", data); err == nil {
			opened++
		}
	}
	if opened < tries/10 {
		t.Errorf("%d of %d can be opened", opened, tries)
	}
}

// Random PTX compiles, and of most of it both make the same.
func TestPTX(t *testing.T) {
	set := nvidiatest.Need(t, "13.0", nvidia.Ptxas, nvidia.Nvlink)
	counts := map[Ruling]int{}
	for n := uint64(0); n < 12; n++ {
		input := SeededInput("ptx", n, 256)
		input[0] = 4 + byte(n)%4 // 13.0
		q, ok, err := ReadPTX(t.Context(), set, NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			continue
		}
		r, d := (&Live{Set: set}).Judge(t.Context(), &q, "ptx")
		if counts[r]++; d != nil {
			t.Log(d)
		}
	}
	if counts[Agree] < 3 {
		t.Errorf("%v", counts)
	}
}

// Changes that don't change what a program means leave every kernel what it was.
func TestMetamorphic(t *testing.T) {
	same := 0
	for n := range uint64(200) {
		r := NewReader(SeededInput("metamorphic", n, 400))
		ruling, d := JudgeMetamorphic(r, ReadMetamorphic(r), Engine)
		if d != nil {
			t.Error(d)
		}
		if ruling == Agree {
			same++
		}
	}
	if same < 100 {
		t.Errorf("only %d of 200 links could be changed", same)
	}
}

// Each kind of question and each other generator makes cases that succeed and cases that are refused, within the tries.
func TestGenerators(t *testing.T) {
	kinds := map[string]func(n uint64) (Ruling, *Divergence, error){
		"capsule": func(n uint64) (Ruling, *Divergence, error) {
			c, err := ReadCapsule(NewReader(SeededInput("capsule", n, 64)))
			if err != nil {
				return "", nil, err
			}
			r, d := c.Judge()
			return r, d, nil
		},
		"selfcheck": func(n uint64) (Ruling, *Divergence, error) {
			data, edited, err := ReadSelfcheck(NewReader(SeededInput("selfcheck", n, 128)))
			if err != nil {
				return "", nil, err
			}
			r, d := JudgeSelfcheck(data, edited)
			return r, d, nil
		},
	}
	for i := range Kinds {
		k := &Kinds[i]
		kinds[k.Name] = func(n uint64) (Ruling, *Divergence, error) {
			q, err := k.Question(n)
			if err != nil {
				return "", nil, err
			}
			r, d := q.Judge(k.Name)
			return r, k.unknown(d), nil
		}
	}
	for name, f := range kinds {
		counts := map[Ruling]int{}
		for n := uint64(0); n < tries && (n < 100 || counts[Agree] < 20 || counts[BothRefuse] < 5); n++ {
			r, d, err := f(n)
			if err != nil {
				t.Fatal(err)
			}
			if d != nil {
				t.Errorf("%s %d: %v", name, n, d)
			}
			counts[r]++
		}
		if counts[Agree] < 20 || counts[BothRefuse] < 5 {
			t.Errorf("%s: %v", name, counts)
		}
	}
}

// What is remade by what was written down is the question that was.
func TestRemake(t *testing.T) {
	for i := range Kinds {
		k := &Kinds[i]
		for n := range uint64(50) {
			q, err := k.Question(n)
			if err != nil {
				t.Fatal(err)
			}
			again, err := k.Remake(n, &Question{Release: q.Release, Args: q.Args, Final: q.Final, From: q.From})
			if err != nil || !reflect.DeepEqual(q, again) {
				t.Fatalf("%s %d is another: %v", k.Name, n, err)
			}
		}
	}
}

// Every target has seeds, and judges them without a divergence: so does libFuzzer,
// which is given the same list.
func TestTargets(t *testing.T) {
	for _, target := range Targets {
		list, err := target.Seeds()
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %d seeds, %v", target.Name, len(list), err)
		}
		for i, seed := range list[:min(len(list), 8)] {
			if d, err := target.Judge(seed); d != nil || err != nil {
				t.Errorf("%s, seed %d: %v, %v", target.Name, i, d, err)
			}
		}
	}
}
