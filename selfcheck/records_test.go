package selfcheck_test

import (
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck"
)

// The words of stored nodes that ptxas and nvlink wrote are those that their
// records give, by the table of package mercury; the rest is counted as unknown.
func TestRecords(t *testing.T) {
	var sum selfcheck.Nodes
	capsules(t, func(c *corpus.Capsule, data []byte) {
		r := selfcheck.Check(c.Name, data, selfcheck.Options{AllowUnknown: true})
		if r.Verdict != selfcheck.Pass {
			t.Errorf("%s: %s: %s", c.Name, r.Verdict, first(r))
		}
		forms := 0
		for _, n := range r.Forms {
			forms += n
		}
		if forms != r.Nodes.Unknown {
			t.Errorf("%s: %d unknown nodes, %d of them named", c.Name, r.Nodes.Unknown, forms)
		}
		sum.Stored += r.Nodes.Stored
		sum.Reconstituted += r.Nodes.Reconstituted
	})
	if sum.Reconstituted*3 < sum.Stored {
		t.Errorf("%d of %d stored nodes reconstituted", sum.Reconstituted, sum.Stored)
	}
}

// A changed bit of a stored node that its record decides is found and put right.
func TestPlantedRecords(t *testing.T) {
	rules := selfcheck.Records()
	tried := 0
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if tried > 200 || c.Linked() {
			return
		}
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		m := capsule.Open(f)
		unknown := selfcheck.Check(c.Name, data, selfcheck.Options{Rules: rules}).Nodes.Unknown
		for i := range m.Funcs {
			fn := &m.Funcs[i]
			for k := range fn.Cap.Nodes {
				n := &fn.Cap.Nodes[k]
				if n.Kind != capsule.Full || n.Span != 1 || k%5 != 0 {
					continue
				}
				b := fn.Code[n.SASS:]
				sass := []selfcheck.Word{{Lo: binary.LittleEndian.Uint64(b), Hi: binary.LittleEndian.Uint64(b[8:])}}
				want, mask := make([]selfcheck.Word, 1), make([]selfcheck.Word, 1)
				if rules.Predict(f.Header.SM(), fn.Cap.Record(n), sass, want, mask) != "" || mask[0].Lo>>16&1 == 0 {
					continue
				}
				tried++
				bad := append([]byte(nil), data...)
				bad[m.Sections[fn.Text].Off+uint64(n.SASS)+2] ^= 1
				r, again, err := selfcheck.Reconstitute(c.Name, bad, selfcheck.Options{Rules: rules})
				if err != nil {
					t.Fatal(err)
				}
				if r.Verdict != selfcheck.Fail || r.Findings[0].Kind != selfcheck.Text || r.Findings[0].Aspect != selfcheck.Content {
					// Where the word is then taken for another the node is unknown, and said to be.
					if r.Nodes.Unknown <= unknown {
						t.Errorf("%s: the word at 0x%x of %s: %s", c.Name, n.SASS, fn.Name, r.Verdict)
					}
				} else if string(again) != string(data) {
					t.Errorf("%s: the word at 0x%x of %s: not put right", c.Name, n.SASS, fn.Name)
				}
			}
		}
	})
	if tried < 100 {
		t.Errorf("%d tried", tried)
	}
}
