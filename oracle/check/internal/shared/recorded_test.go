package shared

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/oracletest"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// found is what is said of shared memory in an output of a recorded link.
func found(t *testing.T, l *oracletest.Link, output []byte) (c *check, list []verdict.Finding) {
	t.Helper()
	c = &check{Applied: apply.New(link.New(1<<20, l.Options))}
	for i, in := range l.Inputs {
		m, err := link.ReadModule(i, in, image.SassSide, nil, c.Budget)
		if err != nil {
			t.Fatal(err)
		}
		c.Modules = append(c.Modules, m)
	}
	if err := c.ReadOutput(output); err != nil {
		t.Fatal(err)
	}
	for _, phase := range []func() error{c.Resolve, c.ReadCalls, c.Alive, c.FindNeeds, c.FindPlaces, c.Relocate, c.compareShared} {
		if err := phase(); err != nil {
			t.Fatal(err)
		}
	}
	return c, c.Verdict.Findings
}

// TestRecordedShared accepts what nvlink gave the kernels of recorded links, and no kernel that asks for nothing where it
// has variables of its own.
func TestRecordedShared(t *testing.T) {
	kernels := 0
	for _, l := range append(oracletest.Links(t), oracletest.Behaviours(t)...) {
		c, list := found(t, &l, l.Output)
		if l.Name == "guard_waits/13.0-sm_100-r-g" { // 13.0's -r gives shared variables an offset
			if len(list) == 0 || list[0].Kind != verdict.SharedPlace {
				t.Errorf("%s: %v", l.Name, list)
			}
			continue
		}
		if len(list) > 0 {
			t.Errorf("%s: %s", l.Name, list[0])
			continue
		}
		for _, a := range c.Areas {
			if c.Relocatable || a.Base != ".nv.shared." || a.Out == nil || a.Out.Size == 0 || a.Owner.Owner == nil || !a.Owner.Owner.Asked || !ownsShared(c, a.Owner) {
				continue
			}
			kernels++
			changed := bytes.Clone(l.Output)
			binary.LittleEndian.PutUint64(changed[c.Out.Header.Shoff+64*uint64(a.Out.Index)+32:], c.Reserved)
			_, list := found(t, &l, changed)
			if len(list) == 0 || list[0].Kind != verdict.SharedSize || !strings.Contains(list[0].Detail, a.Owner.Owner.Name) && list[0].Symbol != a.Owner.Owner.Name {
				t.Errorf("%s: %s asks for nothing: %v", l.Name, a.Owner.Owner.Name, list)
			}
		}
	}
	if kernels < 100 {
		t.Errorf("only %d kernels", kernels)
	}
}

// ownsShared reports whether code that won names a shared variable of some length.
func ownsShared(c *check, b *link.Body) bool {
	for _, l := range b.RelocLists() {
		for _, r := range l.List {
			id := b.Mod.Refs[r.Symbol].ID
			if id != nil && !id.Function() && id.Kind() == cuda.STTCudaObject && id.Space() == cuda.STOShared && id.Size > 0 && id.Def != nil {
				return b.Disposition == link.Won
			}
		}
	}
	return false
}
