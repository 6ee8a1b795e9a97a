package calls

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/apply"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestPairBesideIndirectCall: up to 12.0 functions that an indirect call may reach by their prototype stand among
// the calls, from 12.1 on not.
func TestPairBesideIndirectCall(t *testing.T) {
	k := &link.Identity{Info: byte(cuda.STTFunc), Code: &link.Body{}, Live: true, Indirect: []string{"#ii"}}
	direct := &link.Identity{Info: byte(cuda.STTFunc), Code: &link.Body{}, Live: true}
	f := &link.Identity{Info: byte(cuda.STTFunc), Code: &link.Body{}, Live: true, Prototype: "#ii"}
	for _, other := range []*link.Identity{{Info: byte(cuda.STTFunc), Prototype: "#v"}, {Info: byte(cuda.STTObject)}} {
		if (checkOf(118)).extraCall(call{heading: cuda.CallgraphCalls, x: k, y: other, text: ""}) {
			t.Errorf("%v may be called", other)
		}
	}
	for _, x := range []struct {
		release oracle.Release
		caller  *link.Identity
		want    bool
	}{{119, k, true}, {120, k, true}, {121, k, false}, {130, k, false}, {118, direct, false}, {120, direct, false}} {
		if got := (checkOf(x.release)).extraCall(call{heading: cuda.CallgraphCalls, x: x.caller, y: f, text: ""}); got != x.want {
			t.Errorf("release %d: %v", x.release, got)
		}
	}
	for _, text := range []string{"#ii", "#v"} {
		if c := (checkOf(120)); c.extraCall(call{heading: cuda.CallgraphIndirect, x: k, y: nil, text: text}) {
			t.Errorf("a call through %s too much", text)
		}
	}
}

func checkOf(release oracle.Release) *check {
	return &check{apply.New(&link.Link{Release: release})}
}
