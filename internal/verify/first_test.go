package verify

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// TestFirstMercury links what nvJitLink 12.8.93 and 12.9.86 linked for sm_100 and up.
func TestFirstMercury(t *testing.T) {
	programs, err := corpus.First()
	if err != nil {
		t.Fatal(err)
	}
	same := map[string]int{}
	for _, c := range corpus.CasesOf(programs) {
		release, _ := cmdline.ParseRelease(c.Release)
		inputs, cmd, err := recordedCommand(release, &c)
		if err != nil {
			t.Fatal(err)
		}
		// A .note.nv.tkinfo of the size of the library's, so that what follows has its places.
		cmd.Options.Record = engine.CommandLine{Object: "in-memory-ELF-image", Tool: "nvJIT API", Text: "JIT API Command Line Options" + "     "}
		out := linkedOrRefused(t, &c, inputs, cmd.Options)
		switch {
		case out == nil && !c.Linked():
		case out == nil || !c.Linked():
			t.Errorf("%s: linked here: %t, by nvJitLink: %t", c.ID(), out != nil, c.Linked())
		case nvjitlink.Same(c.Output, out.Image) != "":
			t.Errorf("%s: %s", c.ID(), nvjitlink.Same(c.Output, out.Image))
		default:
			same[c.Release]++
		}
	}
	if same["12.8"] < 20 || same["12.9"] < 40 {
		t.Errorf("the same images: %v", same)
	}
}
