package selfcheck_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/selfcheck"
)

// A program of ptxas 13.5 for sm_107 (of surface.ptx), whose SASS calls the driver for a surface and
// a texture: what that changes isn't judged. Calls of anything else are findings.
func TestSystemCalls(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/surface-13.5-sm_107.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const left = "changes by driver calls for textures and surfaces of sm_107"
	// Of gradient.ptx, which has a call in Mercury, too: SASS lists the offsets of both.
	if data, err := os.ReadFile("testdata/alone/gradient-13.5-sm_107.cubin"); err != nil {
		t.Error(err)
	} else if r := selfcheck.Check("gradient", data, selfcheck.Options{}); r.Verdict != selfcheck.Incomplete || r.Unknown[left] == 0 {
		t.Errorf("%v, %v left: %v", r.Verdict, r.Unknown, r.Findings)
	}
	if r := selfcheck.Check("surface", data, selfcheck.Options{}); r.Verdict != selfcheck.Incomplete || r.Unknown[left] == 0 {
		t.Errorf("%v, %v left: %v", r.Verdict, r.Unknown, r.Findings)
	}
	// Of another function's name.
	other := bytes.ReplaceAll(data, []byte("__cuda_syscall_"), []byte("__cuda_sister__"))
	if r := selfcheck.Check("surface", other, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("calls of others: %v", r.Verdict)
	}
	// What calls don't change is judged: another constant bank's size in the attributes.
	size := bytes.LastIndex(data, []byte{0x03, 0x19, 0x18, 0x00})
	if size < 0 {
		t.Fatal("no size of parameters")
	}
	wrong := bytes.Clone(data)
	wrong[size+2]++
	if r := selfcheck.Check("surface", wrong, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("size of parameters: %v", r.Verdict)
	}
}

// A program of ptxas 13.4 for sm_107 (of query_107.ptx) that asks about a texture has no call graph:
// that isn't judged where a function of the driver is called, and a finding where none is.
func TestSystemCallsWithoutGraph(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/query-13.4-sm_107.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("query", data, selfcheck.Options{}); r.Verdict != selfcheck.Incomplete {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	other := bytes.ReplaceAll(data, []byte("__cuda_syscall_"), []byte("__cuda_sister__"))
	r := selfcheck.Check("query", other, selfcheck.Options{})
	if !slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.Expected == ".nv.callgraph" }) {
		t.Errorf("calls of others: %v", r.Findings)
	}
}

// ptxas 13.4 puts the section headers of programs with hundreds of such calls 64 KiB too far, but not
// the program headers. No other program is so.
func TestSystemCallsFarHeaders(t *testing.T) {
	const far = 1 << 16
	spread := func(data []byte) []byte {
		programs, sections := binary.LittleEndian.Uint64(data[32:]), binary.LittleEndian.Uint64(data[40:])
		gap := make([]byte, far)
		copy(gap[programs-sections:], data[programs:])
		wide := slices.Concat(data[:sections], gap, data[sections:programs], make([]byte, len(data)-int(programs)))
		binary.LittleEndian.PutUint64(wide[40:], sections+far)
		return wide
	}
	data, err := os.ReadFile("testdata/alone/query-13.4-sm_107.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("query", spread(data), selfcheck.Options{}); r.Verdict != selfcheck.Incomplete {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	nearer := spread(data)
	at := len(nearer) - len(data) + int(binary.LittleEndian.Uint64(data[40:]))
	nearer = slices.Delete(nearer, at-64, at)
	binary.LittleEndian.PutUint64(nearer[40:], uint64(at-64))
	if r := selfcheck.Check("query", nearer, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("64 bytes nearer: %v", r.Verdict)
	}
	other := bytes.ReplaceAll(spread(data), []byte("__cuda_syscall_"), []byte("__cuda_sister__"))
	r := selfcheck.Check("query", other, selfcheck.Options{})
	if !slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.What == "e_shoff" }) {
		t.Errorf("calls of others: %v", r.Findings)
	}
}

// Attribute 103 reports whether a function of sm_107 has an mma of tensor memory on numbers of 8
// bits or fewer (of narrow.ptx, ptxas 13.5: one that has, one that has not).
func TestNarrowMMA(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/narrow-13.5-sm_107.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("narrow", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Fatalf("%v: %v", r.Verdict, r.Findings)
	}
	for _, value := range []byte{0, 1} {
		attribute := []byte{0x02, 103, value, 0}
		if n := bytes.Count(data, attribute); n != 1 {
			t.Fatalf("value %d stands %d times", value, n)
		}
		wrong := bytes.Replace(data, attribute, []byte{0x02, 103, value ^ 1, 0}, 1)
		if r := selfcheck.Check("narrow", wrong, selfcheck.Options{}); r.Verdict != selfcheck.Fail || len(r.Findings) != 1 {
			t.Errorf("%d for %d: %v, %v", value^1, value, r.Verdict, r.Findings)
		}
	}
}

// A program of ptxas 12.8 that reads how many layers a texture has (of layers.ptx) has no call
// graph, as one with a TXQ has none; without the symbol that tells of it that is a finding.
func TestLayersWithoutCallGraph(t *testing.T) {
	data, err := os.ReadFile("testdata/alone/layers-12.8-sm_100.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("layers", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	other := bytes.ReplaceAll(data, []byte("texrefDescSize"), []byte("texrefDescKind"))
	if r := selfcheck.Check("layers", other, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("without the symbol: %v", r.Verdict)
	}
}
