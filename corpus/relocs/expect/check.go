package expect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
)

// Check holds the rules against what nvlink did. The error says what they
// disagree about; it is *Unknown where there is no rule.
func Check(m *relocs.Manifest, v *relocs.Vector, inputs []relocs.Input, release string, got relocs.Result) error {
	want, err := Of(m, v, inputs, release)
	if err != nil {
		return err
	}
	if finalized(v.Place) && (got.Did == relocs.Crashed || strings.Contains(got.Message, "FNLZR")) {
		return &Unknown{"the finalizer does not cope"}
	}
	if want.Did != got.Did {
		// A tool that dies may as well find a reason before.
		if want.Did == relocs.Crashed && got.Verdict == relocs.Acceptable {
			return nil
		}
		return fmt.Errorf("rules: %s %s; nvlink: %s %s", want.Did, want.Why, got.Did, got.Message)
	}
	switch want.Did {
	case relocs.Refused:
		if want.Undefined != "" {
			if !strings.Contains(got.Message, "Undefined reference to '"+want.Undefined+"'") {
				return fmt.Errorf("rules: undefined reference to %s; nvlink: %s", want.Undefined, got.Message)
			}
			return nil
		}
		if !strings.HasSuffix(got.Message, "Internal error: "+want.Why.String()) {
			return fmt.Errorf("rules: refused, %s; nvlink: %s", want.Why, got.Message)
		}
		return nil
	case relocs.Crashed:
		return nil
	}
	if want.Gone != got.Gone {
		return fmt.Errorf("rules: gone %v; nvlink: %v", want.Gone, got.Gone)
	}
	if err := checkKept(want, got, base(v, inputs)); err != nil {
		return err
	}
	if want.Text != nil {
		text := strings.TrimPrefix(v.Place, ".nv.capmerc")
		is := changed(relocs.Section(inputs, text), text, got.Changed)
		if err := equal("text", want.Text, is, 0); err != nil {
			return err
		}
	}
	if want.Place == nil {
		return nil
	}
	return checkPlace(v, inputs, want, got)
}

// finalized tells the places that the finalizer reads, and dies of.
func finalized(place string) bool {
	return strings.HasPrefix(place, ".nv.capmerc.") || strings.HasPrefix(place, ".nv.merc.") && strings.Contains(place, "debug")
}

// base returns where the share of the object with the records begins.
func base(v *relocs.Vector, inputs []relocs.Input) uint64 {
	facts, err := v.Facts(inputs)
	if err != nil {
		return 0
	}
	return facts.Base
}

// checkKept compares the records that are kept. Those of objects before are
// nobody's business here.
func checkKept(want Outcome, got relocs.Result, base uint64) error {
	a, b := slices.Clone(want.Kept), slices.Clone(got.Kept)
	b = slices.DeleteFunc(b, func(r relocs.Record) bool { return r.Offset < base })
	// An image has its REL records before those that became RELA.
	slices.SortStableFunc(a, func(x, y relocs.Record) int { return len(x.Form) - len(y.Form) })
	if want.SomeKept {
		for _, r := range a {
			if !slices.Contains(b, r) {
				return fmt.Errorf("rules: record %+v is kept; nvlink: %+v", r, b)
			}
		}
		return nil
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("rules: kept %+v; nvlink: %+v", a, b)
	}
	return nil
}

// checkPlace compares the place: the bytes that the result tells, and that
// nothing else changed.
func checkPlace(v *relocs.Vector, inputs []relocs.Input, want Outcome, got relocs.Result) error {
	facts, err := v.Facts(inputs)
	if err != nil {
		return err
	}
	is := changed(facts.Place, "", got.Changed)
	if len(got.After) > 0 {
		copy(is[v.Records[0].Offset:], got.After)
	}
	return equal("place", want.Place, is, v.Records[0].Offset)
}

// changed returns a copy of a section with a result's changes in it.
func changed(was []byte, name string, list []relocs.Run) []byte {
	is := bytes.Clone(was)
	for _, run := range list {
		if run.Section == name {
			copy(is[run.Offset:], run.Bytes)
		}
	}
	return is
}

func equal(what string, want, is []byte, near uint64) error {
	if bytes.Equal(is, want) {
		return nil
	}
	i := 0
	for is[i] == want[i] {
		i++
	}
	at := i
	if near < uint64(at) && uint64(at)-near < 16 {
		at = int(near)
	}
	end := min(at+24, len(is))
	return fmt.Errorf("rules: %s %x at %#x; nvlink: %x", what, want[at:end], at, is[at:end])
}
