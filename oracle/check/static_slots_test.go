package check

import (
	"slices"
	"testing"
)

// Of static functions of one name in position independent code the call graph tells whose is whose, in any order of the
// inputs.
func TestStaticSlots(t *testing.T) {
	for _, id := range []string{"static_slots/13.0-sm_120-ba", "static_slots/13.0-sm_120-g"} {
		c := behaviourOf(t, id)
		inputs := inputsOf(c)
		slices.Reverse(inputs)
		if v := Check(inputs, c.Output, optionsOf(c)); !v.Agrees() {
			t.Errorf("%s: %s", id, v)
		}
	}
}
