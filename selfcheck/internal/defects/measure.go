package defects

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck"
)

// File is a file that passes, in which defects are planted.
type File struct {
	Name string
	Data []byte
	m    *capsule.Image
}

// Open opens a file; false where it has no function or doesn't pass.
func Open(name string, data []byte) (*File, bool) {
	f, err := cubin.Open(name, data)
	if err != nil {
		return nil, false
	}
	m := capsule.Open(f)
	if len(m.Funcs) == 0 || selfcheck.Check(name, data, selfcheck.Options{}).Verdict != selfcheck.Pass {
		return nil, false
	}
	return &File{name, data, m}, true
}

// Result is what was found of a kind.
type Result struct {
	Kind
	Planted, Found, Incomplete, Passed int
	Missed                             []string // files of defects that passed
	OtherCode                          []string // files of which a section lacks, where the code isn't 18
}

// lacking is the code of a section that is missing.
const lacking = 18

// Measure plants a kind of defect n times in files taken at random, and checks.
func (k *Kind) Measure(files []*File, n int, rng *rand.Rand) Result {
	r := Result{Kind: *k}
	for try := 0; r.Planted < n && try < 30*n; try++ {
		f := files[rng.IntN(len(files))]
		bad, ok := k.Plant(f.m, f.Data, rng)
		if !ok {
			continue
		}
		r.Planted++
		report := selfcheck.Check(f.Name, bad, selfcheck.Options{})
		switch report.Verdict {
		case selfcheck.Pass:
			r.Passed++
			r.Missed = append(r.Missed, f.Name)
		case selfcheck.Incomplete:
			r.Incomplete++
		default:
			r.Found++
		}
		if k.lacks && report.Verdict == selfcheck.Fail && report.Code() != lacking {
			r.OtherCode = append(r.OtherCode, f.Name)
		}
	}
	return r
}

// Write writes results as a table.
func Write(w io.Writer, list []Result) error {
	if _, err := fmt.Fprintf(w, "| kind | class | planted | found | incomplete | passed |\n|---|---|---|---|---|---|\n"); err != nil {
		return err
	}
	var sums [3]Result
	row := func(name string, r *Result) error {
		_, err := fmt.Fprintf(w, "| %s | %s | %d | %d | %d | %d |\n", name, r.Class, r.Planted, r.Found, r.Incomplete, r.Passed)
		return err
	}
	for i := range list {
		r := &list[i]
		if err := row(r.Name, r); err != nil {
			return err
		}
		s := &sums[r.Class]
		s.Class = r.Class
		s.Planted += r.Planted
		s.Found += r.Found
		s.Incomplete += r.Incomplete
		s.Passed += r.Passed
	}
	for i := range sums {
		if sums[i].Planted > 0 {
			if err := row("**all**", &sums[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
