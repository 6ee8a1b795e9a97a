package main

import (
	"context"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/splitmix"
	"github.com/twinlink/twinlink/oracle/check"
)

// A record for the driver that one side of a file for sm_120 or sm_100 lost is told,
// also where the inputs don't ask for it: an image that the kernel doesn't name itself,
// a table whose definition lost.
func TestCounterpartRecords(t *testing.T) {
	var tools *nvidia.Toolset
	for _, release := range []string{"13.0", "13.5"} {
		tools = nvidiatest.Need(t, release, nvidia.Nvlink, nvidia.Ptxas)
	}
	for seed, prefix := range map[uint64]string{9900364: ".nv.merc.rela.nv.constant.entry_image_header_indices.", 9900536: ".nv.merc.rela.nv.constant.user"} {
		m := &maker{tools, t.TempDir(), ""}
		if err := m.make(context.Background(), seed); err != nil {
			t.Fatal(err)
		}
		list, err := linksIn(m.dir, "")
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		l, inputs, output, err := load(list[0])
		if err != nil {
			t.Fatal(err)
		}
		if v := check.Check(inputs, output, l.options()); !v.Agrees() {
			t.Errorf("%d: the link itself:\n%s", seed, v)
		}
		planted := 0
		for i := range open(output, splitmix.New(1)).sections {
			f := open(output, splitmix.New(1))
			h := &f.sections[i]
			if !strings.HasPrefix(h.name, prefix) || h.size < 48 {
				continue
			}
			planted++
			copy(f.bytes[h.off:h.off+24], string(f.bytes[h.off+24:h.off+48])) // twice the second, none of the first
			v := check.Check(inputs, f.bytes, l.options())
			told := false
			for _, g := range v.Findings {
				told = told || g.Kind == check.RelocationMissing && ".nv.merc"+strings.TrimPrefix(h.name, ".nv.merc.rela") == g.Section
			}
			if !told {
				t.Errorf("%d: %s lost its first record:\n%s", seed, h.name, v)
			}
		}
		if planted == 0 {
			t.Errorf("%d: no %s", seed, prefix)
		}
	}
}
