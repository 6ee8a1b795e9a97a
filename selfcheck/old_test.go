package selfcheck_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/selfcheck"
)

// TestOldCompat wants an object of ptxas 12.9 (of sync.ptx, for sm_100) to pass, and one that has
// an attribute or a value in .nv.compat that none was seen to have to be incomplete.
func TestOldCompat(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%v: %v, not known: %v", r.Verdict, r.Findings, r.Unknown)
	}
	compat := []byte{2, 2, 1, 0, 2, 5, 5, 0, 2, 3, 0, 0, 2, 6, 1, 0}
	at := bytes.Index(data, compat)
	if at < 0 {
		t.Fatal("no .nv.compat")
	}
	for k, value := range map[int]byte{1: 77, 2: 4, 5: 77, 6: 77, 10: 77, 14: 77} {
		other := bytes.Clone(data)
		other[at+k] = value
		if r := selfcheck.Check("sync", other, selfcheck.Options{}); r.Verdict != selfcheck.Incomplete {
			t.Errorf("byte %d: %v", k, r.Verdict)
		}
	}
}

// TestOldBarrier wants an object of ptxas 12.9 for sm_101, which is sm_110 today, to pass: its barriers are
// as 12.9 makes them. In an image of 12.9 both null symbols may have the same value.
func TestOldBarrier(t *testing.T) {
	data, err := os.ReadFile("testdata/barrier-12.9-sm_101.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("barrier", data)
	if err != nil {
		t.Fatal(err)
	}
	var nulls []uint64
	for i := range f.NumSections() {
		if s := f.Section(i); s.Type == cuda.SHTSymtab || s.Type == cuda.SHTMercSymtab {
			nulls = append(nulls, s.Off)
		}
	}
	if len(nulls) != 2 {
		t.Fatal("no image with two symbol tables")
	}
	for _, x := range []struct {
		at   []uint64
		want selfcheck.Verdict
	}{
		{nil, selfcheck.Pass},
		{[]uint64{nulls[0] + 8, nulls[1] + 8}, selfcheck.Pass},
		{[]uint64{nulls[0] + 8}, selfcheck.Fail},
		{[]uint64{nulls[1] + 8}, selfcheck.Fail},
		{[]uint64{nulls[0] + 16, nulls[1] + 16}, selfcheck.Fail},
	} {
		other := bytes.Clone(data)
		for _, at := range x.at {
			other[at] = 0xa8
		}
		if r := selfcheck.Check("barrier", other, selfcheck.Options{}); r.Verdict != x.want {
			t.Errorf("%x: %v: %v, not known: %v", x.at, r.Verdict, r.Findings, r.Unknown)
		}
	}
}

// TestOldMinis wants an object of ptxas 12.8, which keeps tags of words that are PLAIN today, to pass, and the
// opcode of such a word found where it is another.
func TestOldMinis(t *testing.T) {
	data, err := os.ReadFile("testdata/minis-12.8.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if r := selfcheck.Check("minis", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass || r.Nodes.TagOnly == 0 {
		t.Errorf("%v: %v, not known: %v", r.Verdict, r.Findings, r.Unknown)
	}
	at := bytes.Index(data, []byte{0x45, 0x79, 0x00, 0x00}) // BSSY, which tag 42080006 stands for
	if at < 0 {
		t.Fatal("no BSSY")
	}
	data[at]++
	if r := selfcheck.Check("minis", data, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("another opcode: %v", r.Verdict)
	}
}

// TestOldQuery wants a program of ptxas 12.9 that queries a texture, of which it writes no call graph, to pass, the
// lack of one found in another, and not judged where another texture instruction says that a query may have gone.
func TestOldQuery(t *testing.T) {
	data, err := os.ReadFile("testdata/query-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	r := selfcheck.Check("query", data, selfcheck.Options{AllowUnknown: true})
	if r.Verdict != selfcheck.Pass || len(r.Unknown) > 0 {
		t.Errorf("%v: %v, not known: %v", r.Verdict, r.Findings, r.Unknown)
	}
	other := bytes.ReplaceAll(data, []byte{0x6f, 0x7f}, []byte{0x18, 0x79}) // NOP for TXQ
	r = selfcheck.Check("query", other, selfcheck.Options{})
	if !slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.Expected == ".nv.callgraph" }) {
		t.Errorf("without TXQ: %v", r.Findings)
	}
	other = bytes.ReplaceAll(data, []byte{0x6f, 0x7f}, []byte{0x60, 0x7f}) // TEX
	r = selfcheck.Check("query", other, selfcheck.Options{})
	if lacks := func(f selfcheck.Finding) bool { return f.Expected == ".nv.callgraph" }; slices.ContainsFunc(r.Findings, lacks) || !maps.Equal(r.Unknown, map[string]int{
		"missing call graphs in programs with textures, from which a query may have been removed": 1}) {
		t.Errorf("TEX for TXQ: %v, not known: %v", r.Findings, r.Unknown)
	}
}

// TestThreads wants a number of threads that no block has found where both sides say it.
func TestThreads(t *testing.T) {
	data, err := os.ReadFile("testdata/query-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	record := []byte{4, 5, 12, 0, 64, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0} // MAX_THREADS
	if bytes.Count(data, record) != 2 {
		t.Fatal("no .maxntid on each side")
	}
	for k, value := range map[int]byte{4: 0, 5: 2, 7: 1, 8: 0, 9: 1, 12: 0, 15: 1} {
		other := bytes.Clone(record)
		other[k] = value
		r := selfcheck.Check("query", bytes.ReplaceAll(data, record, other), selfcheck.Options{})
		if !slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.What == "EIATTR_MAX_THREADS" }) {
			t.Errorf("byte %d is %d: %v", k, value, r.Findings)
		}
	}
	most := bytes.Clone(record)
	most[5], most[8] = 1, 3 // 320 * 3 * 1
	if r := selfcheck.Check("query", bytes.ReplaceAll(data, record, most), selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("960 threads: %v", r.Findings)
	}
}

// TestOldFlags wants the bit of e_flags that 12.8 and 12.9 set for sm_100a found in an object for sm_100.
func TestOldFlags(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	data[48] ^= 8
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("%v", r.Verdict)
	}
}

// TestUnreadRelease wants a file of 12.7, whose capsules nothing reads, refused by that name.
func TestUnreadRelease(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(data, []byte("release 12.9,"), []byte("release 12.7,"), 1)
	if bytes.Equal(data, other) {
		t.Fatal("no release")
	}
	if r := selfcheck.Check("sync", other, selfcheck.Options{}); r.Verdict != selfcheck.Refused || !strings.Contains(r.Err.Error(), "12.7") {
		t.Errorf("%v: %v", r.Verdict, r.Err)
	}
}

// TestFinalizedDate wants the version of the Mercury ISA that NVIDIA's finalizer 13.4 adds to the attributes
// of older objects to be right where it wrote the file, and a finding elsewhere or with another value.
func TestFinalizedDate(t *testing.T) {
	data, err := os.ReadFile("testdata/nest-13.0-sm_100.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const finding = "number of attributes"
	for _, tt := range []struct {
		tool    string
		value   uint16
		finding string
	}{{"finalizer", 0x101, ""}, {"finalizer", 0x102, cuda.AttrMercuryIsaVersion.String()}, {"ptxas", 0x101, finding}} {
		r := selfcheck.Check("nest", dated(t, data, tt.tool, tt.value), selfcheck.Options{})
		found := slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.What == tt.finding })
		others := slices.ContainsFunc(r.Findings, func(f selfcheck.Finding) bool { return f.Kind == selfcheck.Text && f.What != tt.finding })
		if found != (tt.finding != "") || others {
			t.Errorf("%s, %#x: %v", tt.tool, tt.value, r.Findings)
		}
	}
}

// dated moves the version of the Mercury ISA from both sides to the front of what the finalizer adds, and
// names the tool that wrote the file.
func dated(t *testing.T, data []byte, tool string, value uint16) []byte {
	f, err := cubin.Open("nest", data)
	if err != nil {
		t.Fatal(err)
	}
	d := f.Editor()
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		switch f.SectionName(&s) {
		case ".nv.info._Z1kPj", ".nv.merc.nv.info._Z1kPj":
			list, err := d.Info(i)
			if err != nil {
				t.Fatal(err)
			}
			list = slices.DeleteFunc(list, func(r cubin.InfoRecord) bool { return r.Attr == cuda.AttrMercuryIsaVersion })
			at := slices.IndexFunc(list, func(r cubin.InfoRecord) bool { return r.Attr == cuda.AttrCbankParamSize })
			if at >= 0 {
				list = slices.Insert(list, at, cubin.InfoRecord{Format: cuda.FormatHalf, Attr: cuda.AttrMercuryIsaVersion, Value: value})
			}
			if err := d.SetInfo(i, list); err != nil {
				t.Fatal(err)
			}
		case ".note.nv.tkinfo":
			list, err := d.Notes(i)
			if err != nil {
				t.Fatal(err)
			}
			info, ok := list[0].Tkinfo()
			if !ok {
				t.Fatal("no tkinfo")
			}
			info.Tool = tool
			list[0].Desc = cubin.AppendTkinfo(nil, &info)
			if err := d.SetNotes(i, list); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := d.Layout(); err != nil {
		t.Fatal(err)
	}
	out, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestEmptyFrame wants the frame of an object of ptxas 12.9 to pass without its one rule, which its CIE has too, as
// in TokenSpeed's kernels 1.3.0 by ptxas 13.4, but not where the Mercury side has another rule.
func TestEmptyFrame(t *testing.T) {
	data, err := os.ReadFile("testdata/sync-12.9.cubin")
	if err != nil {
		t.Fatal(err)
	}
	rule := []byte{0x0c, 0x81, 0x80, 0x80, 0x28, 0x00} // of the CIE and the FDE, of each side
	var at []int
	for from := 0; ; {
		k := bytes.Index(data[from:], rule)
		if k < 0 {
			break
		}
		at = append(at, from+k)
		from += k + 1
	}
	if len(at) != 4 {
		t.Fatalf("%d rules", len(at))
	}
	clear(data[at[1] : at[1]+len(rule)])
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Pass {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	data[at[3]+len(rule)-1] = 16
	if r := selfcheck.Check("sync", data, selfcheck.Options{}); r.Verdict != selfcheck.Fail {
		t.Errorf("with another rule: %v", r.Verdict)
	}
}
