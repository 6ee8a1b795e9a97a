package ptxgen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// TestFeatures wants every feature within 400 seeds of a target that has them all.
func TestFeatures(t *testing.T) {
	first := map[Feature]uint64{}
	for seed := uint64(0); seed < 400; seed++ {
		for _, f := range New(seed, Hopper12, Options{Faults: true, Also: append(Launching(), ScopedObject, OpenArray)}).Features {
			if _, ok := first[f]; !ok {
				first[f] = seed
			}
		}
	}
	for _, f := range Features() {
		if _, ok := first[f]; !ok {
			t.Errorf("no program with %v", f)
		}
	}
}

// TestNoFaults wants none of the features that a linker refuses unless they were asked for.
func TestNoFaults(t *testing.T) {
	for seed := uint64(0); seed < 300; seed++ {
		for _, f := range New(seed, Lanes, Options{}).Features {
			if f.Fault() {
				t.Errorf("seed %d has %v", seed, f)
			}
		}
	}
}

// TestFocus wants a program to keep to what it was asked for.
func TestFocus(t *testing.T) {
	all := map[Feature]bool{}
	for seed := uint64(0); seed < 50; seed++ {
		for _, f := range New(seed, Lanes, Options{Focus: []Feature{SharedDynamic, SharedModule}}).Features {
			all[f] = true
		}
	}
	for _, f := range []Feature{SharedDynamic, SharedModule, SharedAcross} {
		if !all[f] {
			t.Errorf("no program with %v", f)
		}
	}
	for _, f := range []Feature{GlobalValue, Texture, WeakFunction, SharedStatic} {
		if all[f] {
			t.Errorf("a program with %v", f)
		}
	}
}

// TestLaunching wants addresses of kernels only in programs that were asked for them.
func TestLaunching(t *testing.T) {
	for seed := uint64(0); seed < 100; seed++ {
		for _, f := range New(seed, Hopper12, Options{Faults: true}).Features {
			if slices.Contains(Launching(), f) {
				t.Errorf("seed %d has %v", seed, f)
			}
		}
		if p := New(seed, Hopper12, Options{Focus: Launching()}); p.Has(Texture) || p.Has(WeakKernel) {
			t.Errorf("seed %d: %v", seed, p.Features)
		}
	}
}

// TestTarget wants nothing newer than the target.
func TestTarget(t *testing.T) {
	for seed := uint64(0); seed < 200; seed++ {
		for _, m := range New(seed, Old, Options{}).Modules {
			for _, word := range []string{"cluster", "mbarrier", "alloca", "0xff("} {
				if strings.Contains(m.Text, word) {
					t.Errorf("seed %d, %s: %s", seed, m.Name, word)
				}
			}
		}
	}
}

// TestDeterministic pins the text of a few programs: a change here changes every corpus made with the package.
func TestDeterministic(t *testing.T) {
	hash := sha256.New()
	for seed := uint64(0); seed < 50; seed++ {
		for _, target := range []Target{Old, Lanes, Stack, Hopper11, Hopper12} {
			p, q := New(seed, target, Options{Faults: true}), New(seed, target, Options{Faults: true})
			for i, m := range p.Modules {
				if q.Modules[i] != m {
					t.Fatalf("seed %d: two texts of module %s", seed, m.Name)
				}
				hash.Write([]byte(m.Name + "\n" + m.Text))
			}
		}
	}
	const want = "cfb79bacba6b5cb0c2205ae4289c000e9077fcf76d99432a13b826a6f03addc0"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("the programs of the first seeds changed: hash %s, was %s", got, want)
	}
}

// TestSizes wants the bounds that Size promises.
func TestSizes(t *testing.T) {
	for seed := uint64(0); seed < 200; seed++ {
		for size, modules := range map[Size]int{Tiny: 2, Small: 3, Moderate: 6} {
			p := New(seed, Lanes, Options{Size: size})
			if n := len(p.Modules); n < 1 || n > modules {
				t.Errorf("seed %d, size %d: %d modules", seed, size, n)
			}
			if len(p.Kernels) == 0 {
				t.Errorf("seed %d, size %d: no kernel", seed, size)
			}
		}
	}
}

// FuzzBytes wants a program from any bytes, and a small one from none.
func FuzzBytes(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("a linker is a patient reader"))
	f.Add(bytes.Repeat([]byte{0xff, 3, 0x80}, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := FromBytes(data, Hopper12, Options{Faults: true})
		if len(p.Modules) == 0 || len(p.Kernels) == 0 {
			t.Fatal("no program")
		}
		for _, m := range p.Modules {
			if len(m.Text) > 1<<20 {
				t.Fatalf("module %s has %d bytes", m.Name, len(m.Text))
			}
		}
	})
}
