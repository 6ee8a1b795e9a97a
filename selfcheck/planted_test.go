package selfcheck_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck"
	"github.com/twinlink/twinlink/selfcheck/internal/defects"
)

// sitesPerFile bounds the work: this many of a file's sites are tried.
const sitesPerFile = 3

// Every kind of planted defect is found, under its kind, aspect and code. What
// the Mercury side alone decides is put right by Reconstitute.
func TestPlanted(t *testing.T) {
	tried := make([]int, len(defects.Fields))
	capsules(t, func(c *corpus.Capsule, data []byte) {
		if !c.Linked() && tried[0] > 120 {
			return
		}
		f, err := cubin.Open(c.Name, data)
		if err != nil {
			t.Fatal(err)
		}
		m := capsule.Open(f)
		for k := range defects.Fields {
			d := &defects.Fields[k]
			sites := d.Sites(m)
			for n := range min(sitesPerFile, len(sites)) {
				tried[k]++
				s := sites[(n*len(sites)+tried[k]%len(sites))/sitesPerFile%len(sites)]
				bad := s.Plant(m, data)
				r, again, err := selfcheck.Reconstitute(c.Name, bad, selfcheck.Options{})
				if err != nil {
					t.Errorf("%s: %s: %v", c.Name, d.Name, err)
				}
				if !found(r, d) {
					t.Errorf("%s: %s, section %s offset 0x%x: not found among %d: %s", c.Name, d.Name, m.Sections[s.Section].Name, s.Off, len(r.Findings), first(r))
				} else if d.Repair && !bytes.Equal(again, data) {
					t.Errorf("%s: %s, section %s offset 0x%x: not put right", c.Name, d.Name, m.Sections[s.Section].Name, s.Off)
				}
			}
		}
	})
	for k := range defects.Fields {
		if tried[k] < 3 {
			t.Errorf("%s: planted %d times", defects.Fields[k].Name, tried[k])
		}
	}
}

func found(r *selfcheck.Report, d *defects.Field) bool {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Kind == d.Kind && f.Aspect == d.Aspect && f.Code == selfcheck.DocumentCodes.Code(d.Kind, d.Aspect) {
			return r.Verdict == selfcheck.Fail
		}
	}
	return false
}

func first(r *selfcheck.Report) string {
	if len(r.Findings) == 0 {
		return r.Verdict.String()
	}
	f := &r.Findings[0]
	return strings.Join([]string{f.Kind.String(), f.Aspect.String(), f.Section, f.Detail()}, " ")
}
