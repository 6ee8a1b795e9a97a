package fuzz

import (
	"slices"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// Three questions of four can be put to nvJitLink, and keep all that it can be asked; the fourth stays as it is.
func TestLighten(t *testing.T) {
	live := &Live{jit: map[string]*nvjitlink.Linker{"13.0": nvjitlink.New(nvjitlink.SharedObject{}, nvjitlink.Options{})}}
	args := []string{"-arch=sm_90", "-Werror", "--preserve-relocs", "-g", "--reserve-null-pointer", "-w"}
	lighter := 0
	for n := range uint64(400) {
		q, err := Kinds[1].Question(n)
		if err != nil {
			t.Fatal(err)
		}
		q.Release, q.Args = "13.0", args
		live.Lighten(&q)
		switch {
		case slices.Equal(q.Args, []string{"-arch=sm_90", "-Werror", "-g", "-w"}):
			lighter++
		case !slices.Equal(q.Args, args):
			t.Fatalf("question %d has %v", n, q.Args)
		}
		q.Release, q.Args = "12.4", args
		if live.Lighten(&q); !slices.Equal(q.Args, args) {
			t.Fatalf("question %d to a release without nvJitLink has %v", n, q.Args)
		}
	}
	if lighter < 250 || lighter > 350 {
		t.Errorf("%d of 400 without nvlink's own options", lighter)
	}
}
