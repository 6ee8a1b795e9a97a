package expect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// Check holds the rules against what nvlink did. The error says what they
// disagree about; it is *Unknown where there is no rule.
func (c *Case) Check(release string, got relocs.Result) error {
	want, err := c.Of(release)
	if err != nil {
		return err
	}
	if (got.Verdict == relocs.Acceptable || want.Did != relocs.Linked) && strange(c.v) {
		return nil // it took for a type what is none
	}
	if done, err := c.checkFinalizer(want, got); done {
		return err
	}
	switch {
	case want.Did != got.Did:
		// A tool that reads what is not its own may come to any end.
		if got.Verdict == relocs.Acceptable && (want.Did == relocs.Crashed || want.Why == oracle.UnexpectedType) {
			return nil
		}
		return fmt.Errorf("rules: %s %s; nvlink: %s %s", want.Did, want.Why, got.Did, got.Message)
	case want.Did == relocs.Refused:
		return checkRefusal(want, got)
	case want.Did == relocs.Crashed:
		return nil
	}
	return c.checkImage(want, got)
}

// checkFinalizer judges links of which the finalizer makes nothing, or does not
// live to the end.
func (c *Case) checkFinalizer(want Outcome, got relocs.Result) (done bool, err error) {
	crashed := got.Did == relocs.Crashed
	refused := got.Did == relocs.Refused && strings.Contains(got.Message, "Internal FNLZR error")
	searching := func(r relocs.Record) bool { return searches(r.Type) }
	switch {
	case want.Garbled && want.Did == relocs.Linked:
		if crashed || refused {
			return true, nil
		}
		return true, fmt.Errorf("rules: the finalizer refuses; nvlink: %s %s", got.Did, got.Message)
	case crashed && len(want.Searched) > 0:
		return true, nil
	case crashed && strings.Contains(c.v.Place, ".constant.optimizer.") && slices.ContainsFunc(c.v.Records, searching):
		return true, nil // a jump table: the finalizer looks for the code
	case (crashed || refused) && want.Did == relocs.Linked && want.Text == nil && finalized(c.v.Place):
		return true, &Unknown{"the finalizer does not cope with debug data"}
	}
	return false, nil
}

// checkRefusal compares the messages of two refusals.
func checkRefusal(want Outcome, got relocs.Result) error {
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
}

// checkImage compares what two links wrote.
func (c *Case) checkImage(want Outcome, got relocs.Result) error {
	if want.Gone != got.Gone {
		return fmt.Errorf("rules: gone %v; nvlink: %v", want.Gone, got.Gone)
	}
	if err := checkKept(want, got, c.facts.Base); err != nil {
		return err
	}
	if err := checkSaved(want, got, c.facts.Base); err != nil {
		return err
	}
	if want.Text != nil {
		if err := c.checkText(want, got); err != nil {
			return err
		}
	}
	if want.Place == nil {
		return nil
	}
	return equal("place", want.Place, c.v.Section(c.inputs, got), c.v.Records[0].Offset)
}

// checkText compares the text of a capsule, but for what the finalizer chooses.
func (c *Case) checkText(want Outcome, got relocs.Result) error {
	if err := checkCounterpart(want, got); err != nil {
		return err
	}
	is := c.v.Text(c.inputs, got)
	if len(want.Searched) > 0 {
		unschedule(want.Text)
		unschedule(is)
	}
	for _, n := range want.Searched {
		copy(is[n.Text:n.Text+16], want.Text[n.Text:])
	}
	return equal("text", want.Text, is, 0)
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

// strange tells vectors with a number that is not in the table of their place.
func strange(v *relocs.Vector) bool {
	first, behind := uint32(cuda.R_CUDA_NONE), uint32(cuda.R_CUDA_NONE_LAST+1)
	if mercuryPlace(v.Place) {
		first, behind = cuda.MercuryBase, behindMercury
	}
	return slices.ContainsFunc(v.Records, func(r relocs.Record) bool { return r.Type < first || r.Type >= behind })
}

// checkSaved compares the records that --preserve-relocs leaves, but for those of
// objects before.
func checkSaved(want Outcome, got relocs.Result, base uint64) error {
	b := slices.DeleteFunc(slices.Clone(got.Saved), func(r relocs.Record) bool { return r.Offset < base })
	a := slices.Clone(want.Saved)
	if want.SomeKept {
		// Other records may have been applied in the same place before.
		for i := range b {
			b[i].Addend = 0
		}
		for i := range a {
			a[i].Addend = 0
		}
		b = slices.DeleteFunc(b, func(r relocs.Record) bool { return !slices.Contains(a, r) })
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("rules: saved %+v; nvlink: %+v", want.Saved, got.Saved)
	}
	return nil
}

// unschedule clears the bits 105 to 125 of all instructions. The finalizer
// schedules code again around an instruction that has become a target.
func unschedule(text []byte) {
	const size, first, last = 128, 105, 125
	for i := range 8 * len(text) {
		if bit := i % size; bit >= first && bit <= last {
			text[i/8] &^= 1 << (i % 8)
		}
	}
}

// checkCounterpart compares the records of a capsule's text. The addend of a position in
// the program is not known.
func checkCounterpart(want Outcome, got relocs.Result) error {
	a, b := slices.Clone(want.Counterpart), slices.Clone(got.Counterpart)
	for _, n := range want.Searched {
		for _, list := range [][]relocs.Record{a, b} {
			for i := range list {
				if list[i].Offset == n.Text {
					list[i].Addend = 0
				}
			}
		}
	}
	if !slices.Equal(a, b) {
		return fmt.Errorf("rules: counterparts %+v; nvlink: %+v", a, b)
	}
	return nil
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
