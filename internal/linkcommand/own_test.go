package linkcommand

import (
	"slices"
	"testing"
)

func TestTakeOwn(t *testing.T) {
	rest, own := takeOwn([]string{"-arch=sm_80", "--phases", "a", "--save-dir", "d", "--save-dir=e", "-o", "x"})
	if !slices.Equal(rest, []string{"-arch=sm_80", "a", "-o", "x"}) || own != (ownOptions{phases: true, save: "e"}) {
		t.Errorf("%q, %+v", rest, own)
	}
}
