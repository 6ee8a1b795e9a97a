package check

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// drawnLink reads a link of testdata/drawn: compiled from the PTX beside it by ptxas 11.8.89, the samplers
// with -g by 13.0.88, and linked by nvlink of that release.
func drawnLink(t *testing.T, out string, names ...string) ([]Input, []byte) {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/drawn/" + name + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var in []Input
	for _, name := range names {
		in = append(in, Input{name + ".cubin", read(name)})
	}
	return in, read(out + ".linked")
}

// TestOldLaunch accepts a link of two kernels below sm_70, of which one calls the old device runtime: nvlink
// marks this one and not the other.
func TestOldLaunch(t *testing.T) {
	in, out := drawnLink(t, "old_launch", "old_launch")
	if v := Check(in, out, Options{Strict: true}); !v.Agrees() {
		t.Error(v)
	}
}

// TestDebugSamplers accepts code that adds the number of a slot to the place of the first: nvlink writes this
// place into an LDC that no record names.
func TestDebugSamplers(t *testing.T) {
	in, out := drawnLink(t, "debug_samplers", "debug_samplers_a", "debug_samplers_b")
	if v := Check(in, out, Options{}); !v.Agrees() {
		t.Error(v)
	}
}

// TestSlotOfCommonCode moves the slot of a texture in one of two kernels that call a function which samples it.
func TestSlotOfCommonCode(t *testing.T) {
	in, out := drawnLink(t, "common_image", "common_image")
	if v := Check(in, out, Options{Strict: true}); !v.Agrees() {
		t.Fatal(v)
	}
	f, err := readImage("output", out, whole, nil, newBudget(uint64(len(out))))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.name == ".rel.nv.constant0.first" {
			wrong := bytes.Clone(out)
			wrong[s.offset] -= slotSize
			v := Check(in, wrong, Options{})
			if !slices.ContainsFunc(v.Findings, func(f Finding) bool {
				return f.Kind == RelocationField && f.Symbol == "tex_a" && strings.Contains(f.Detail, "differs between kernels")
			}) {
				t.Errorf("the slot of one kernel is not told: %s", v)
			}
			return
		}
	}
	t.Error("no slot")
}

// TestNamesOfOnePlace knows two names of one module that share bytes for one thing, and others not.
func TestNamesOfOnePlace(t *testing.T) {
	one, other := &module{image: &image{sections: make([]section, 3)}}, &module{image: &image{sections: make([]section, 3)}}
	named := func(m *module, section int, value, size uint64) *identity {
		return &identity{mod: m, size: size, def: &symbol{shndx: section, value: value, size: size}}
	}
	both := named(one, 1, 8, 16)
	c := &check{}
	for _, x := range []struct {
		b    *identity
		want bool
	}{
		{named(one, 1, 8, 16), true},
		{named(one, 1, 16, 4), true},
		{named(one, 1, 4, 8), true},
		{named(one, 1, 24, 4), false},
		{named(one, 2, 8, 16), false},
		{named(other, 1, 8, 16), false},
		{&identity{}, false},
	} {
		if got := c.areOne(both, x.b); got != x.want {
			t.Errorf("%+v: %v", x.b.def, got)
		}
		if got := c.areOne(x.b, both); got != x.want {
			t.Errorf("%+v first: %v", x.b.def, got)
		}
	}
}

// TestOwnPlaceOfFourBytes takes four bytes that hold a place of their own section for that, whatever follows them.
func TestOwnPlaceOfFourBytes(t *testing.T) {
	for _, rela := range []bool{false, true} {
		in := []byte{1, 2, 3, 4, 8, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0}
		m := &module{image: &image{symbols: []symbol{{}, {info: byte(cuda.STTSection), shndx: 1}}}, relocsOf: map[int][]int{1: {0}},
			relocs: []relocs{{target: 1, list: []record{{offset: 4, kind: cuda.R_CUDA_32, symbol: 1, addend: 8, rela: rela}}}}}
		p := &part{mod: m, section: &section{index: 1, body: in, size: uint64(len(in))}}
		out := append(make([]byte, 16), 1, 2, 3, 4, 24, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0)
		a := &area{name: ".debug_frame", out: &section{body: out, size: uint64(len(out))}}
		if c := (&check{}); !c.pointsToItself(a, p, 16) {
			t.Errorf("rela %v: refused", rela)
		}
		out[20] = 8
		if c := (&check{}); c.pointsToItself(a, p, 16) {
			t.Errorf("rela %v: the place in the input is accepted", rela)
		}
	}
}

// TestPairBesideIndirectCall: up to 12.0 functions that an indirect call may reach by their prototype stand among
// the calls, from 12.1 on not.
func TestPairBesideIndirectCall(t *testing.T) {
	k := &identity{info: byte(cuda.STTFunc), code: &body{}, live: true, indirect: []string{"#ii"}}
	direct := &identity{info: byte(cuda.STTFunc), code: &body{}, live: true}
	f := &identity{info: byte(cuda.STTFunc), code: &body{}, live: true, prototype: "#ii"}
	for _, other := range []*identity{{info: byte(cuda.STTFunc), prototype: "#v"}, {info: byte(cuda.STTObject)}} {
		if (&check{release: 118}).extraCall(call{cuda.CallgraphCalls, k, other, ""}) {
			t.Errorf("%v may be called", other)
		}
	}
	for _, x := range []struct {
		release oracle.Release
		caller  *identity
		want    bool
	}{{119, k, true}, {120, k, true}, {121, k, false}, {130, k, false}, {118, direct, false}, {120, direct, false}} {
		if got := (&check{release: x.release}).extraCall(call{cuda.CallgraphCalls, x.caller, f, ""}); got != x.want {
			t.Errorf("release %d: %v", x.release, got)
		}
	}
	for _, text := range []string{"#ii", "#v"} {
		if c := (&check{release: 120}); c.extraCall(call{cuda.CallgraphIndirect, k, nil, text}) {
			t.Errorf("a call through %s too much", text)
		}
	}
}
