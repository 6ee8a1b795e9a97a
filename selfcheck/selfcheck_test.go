package selfcheck_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/corpus/corpustest"
	"github.com/twinlink/twinlink/selfcheck"
)

var capsules = corpustest.Capsules

// What ptxas and nvlink 13.0.88 and 13.5.37 wrote passes, and is reconstituted
// byte for byte.
func TestPass(t *testing.T) {
	capsules(t, func(c *corpus.Capsule, data []byte) {
		r, again, err := selfcheck.Reconstitute(c.Name, data, selfcheck.Options{AllowUnknown: true})
		if err != nil || r.Verdict != selfcheck.Pass || !bytes.Equal(again, data) {
			t.Errorf("%s: %s, %d findings, %s, %v", c.Name, r.Verdict, len(r.Findings), first(r), err)
		}
		n := r.Nodes
		if n.Total != n.Plain+n.TagOnly+n.Stored+n.Skip || n.Stored != n.Reconstituted+n.Unknown {
			t.Errorf("%s: nodes don't add up: %+v", c.Name, n)
		}
	})
}

func TestRefused(t *testing.T) {
	for _, data := range [][]byte{nil, []byte("\x7fELF"), bytes.Repeat([]byte{0}, 64)} {
		r := selfcheck.Check("x.cubin", data, selfcheck.Options{})
		if r.Verdict != selfcheck.Refused || r.Verdict.ExitStatus() != 3 || len(r.Findings) != 1 {
			t.Errorf("%d bytes: %s, %d findings", len(data), r.Verdict, len(r.Findings))
		}
	}
}

// The object, to the key.
func TestJSON(t *testing.T) {
	var data []byte
	capsules(t, func(c *corpus.Capsule, d []byte) {
		if data == nil {
			data = bytes.Clone(d)
		}
	})
	data[49]++
	var b bytes.Buffer
	if err := selfcheck.Check("x.cubin", data, selfcheck.Options{}).JSON(&b); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 1 {
		t.Errorf("%d lines", n)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"file", "findings", "nodes", "verdict"}, keys(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"mini", "plain", "reconstituted", "skip", "stored", "total", "unknown"}, keys(got["nodes"].(map[string]any))); diff != "" {
		t.Error(diff)
	}
	finding := got["findings"].([]any)[0].(map[string]any)
	if diff := cmp.Diff([]string{"aspect", "code", "detail", "kind", "offset", "section"}, keys(finding)); diff != "" {
		t.Error(diff)
	}
	if got["verdict"] != "findings" || finding["code"] != 19.0 || finding["aspect"] != "metadata" {
		t.Errorf("%s", b.String())
	}
}

func keys(m map[string]any) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	for i := range list {
		for k := i; k > 0 && list[k] < list[k-1]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return list
}

// The two readings of 17, 18 and 19.
func TestCodes(t *testing.T) {
	for _, tt := range []struct {
		kind              selfcheck.Kind
		aspect            selfcheck.Aspect
		document, section int
	}{
		{selfcheck.Text, selfcheck.Content, 17, 17}, {selfcheck.Text, selfcheck.Count, 18, 17}, {selfcheck.Text, selfcheck.Metadata, 19, 17},
		{selfcheck.Debug, selfcheck.Content, 17, 18}, {selfcheck.Debug, selfcheck.Count, 18, 18}, {selfcheck.Debug, selfcheck.Metadata, 19, 18},
		{selfcheck.Reloc, selfcheck.Content, 17, 19}, {selfcheck.Reloc, selfcheck.Count, 18, 19}, {selfcheck.Reloc, selfcheck.Metadata, 19, 19},
	} {
		if got := selfcheck.LookupCodes("document").Code(tt.kind, tt.aspect); got != tt.document {
			t.Errorf("document: %s %s is %d, want %d", tt.kind, tt.aspect, got, tt.document)
		}
		if got := selfcheck.LookupCodes("section").Code(tt.kind, tt.aspect); got != tt.section {
			t.Errorf("section: %s %s is %d, want %d", tt.kind, tt.aspect, got, tt.section)
		}
	}
	if selfcheck.LookupCodes("other") != nil {
		t.Error("a table of another name")
	}
}

// Findings come in the order of the comparator: texts, relocations, debug.
func TestOrder(t *testing.T) {
	place := map[selfcheck.Kind]int{selfcheck.Text: 0, selfcheck.Reloc: 1, selfcheck.Debug: 2}
	rng := rand.New(rand.NewPCG(3, 4))
	capsules(t, func(c *corpus.Capsule, data []byte) {
		data = bytes.Clone(data)
		for range 40 {
			data[64+rng.IntN(len(data)-64)] ^= 0x10
		}
		last := 0
		for _, f := range selfcheck.Check(c.Name, data, selfcheck.Options{}).Findings {
			if place[f.Kind] < last {
				t.Errorf("%s: %s behind another list", c.Name, f.Kind)
			}
			last = place[f.Kind]
		}
	})
}

// Whatever bytes change, the check ends, and soon, with findings or a refusal.
func TestHostile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	capsules(t, func(c *corpus.Capsule, data []byte) {
		for range 8 {
			bad := bytes.Clone(data)
			for range 1 + rng.IntN(6) {
				bad[rng.IntN(len(bad))] = byte(rng.Uint32())
			}
			if rng.IntN(6) == 0 {
				bad = bad[:rng.IntN(len(bad))]
			}
			start := time.Now()
			r, _, _ := selfcheck.Reconstitute(c.Name, bad, selfcheck.Options{})
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: %s", c.Name, took)
			}
			if r.Verdict != selfcheck.Pass && len(r.Findings) == 0 && len(r.Unknown) == 0 {
				t.Errorf("%s: %s without a reason", c.Name, r.Verdict)
			}
		}
	})
}

func FuzzCheck(f *testing.F) {
	capsules(f, func(_ *corpus.Capsule, data []byte) {
		if len(data) < 6000 {
			f.Add(data)
		}
	})
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _, _ = selfcheck.Reconstitute("fuzz", data, selfcheck.Options{})
	})
}

func BenchmarkCheck(b *testing.B) {
	var all [][]byte
	size := 0
	capsules(b, func(_ *corpus.Capsule, data []byte) {
		all = append(all, data)
		size += len(data)
	})
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, data := range all {
			selfcheck.Check("x.cubin", data, selfcheck.Options{})
		}
	}
}
