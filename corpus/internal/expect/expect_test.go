package expect

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/corpus/relocs"
)

// unknowns bounds, for each reason to have no rule, how many results of the
// corpus it excuses.
var unknowns = map[string]int{
	"the finalizer does not cope with debug data": 16,
}

// TestVectors holds the rules of the oracle against everything that nvlink did.
func TestVectors(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	const most = 20
	shown, agree := 0, 0
	excused := map[string]int{}
	for v := range relocs.Vectors() {
		inputs, err := v.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		c, err := New(m, v, inputs)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range v.Releases() {
			got, ok := v.Result(release)
			if !ok {
				t.Errorf("%s: no result of %s", v.ID, release)
				continue
			}
			err := c.Check(release, got)
			var unknown *Unknown
			switch {
			case err == nil:
				agree++
			case errors.As(err, &unknown):
				excused[unknown.Why]++
			default:
				if shown++; shown <= most {
					t.Errorf("%s, nvlink %s: %v", v.ID, release, err)
				}
			}
		}
	}
	if shown > most {
		t.Errorf("%d more", shown-most)
	}
	t.Logf("%d results agree", agree)
	for _, why := range slices.Sorted(maps.Keys(excused)) {
		t.Logf("%6d no rule: %s", excused[why], why)
		if excused[why] > unknowns[why] {
			t.Errorf("no rule for %d results, at most %d may have none: %s", excused[why], unknowns[why], why)
		}
	}
}
