package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// Oracle asks an nvlink for the SASS of Mercury records.
//
// From sm_100 on nvlink makes the SASS of a function again from its capsule, and
// doesn't care who wrote the capsule. So a record of our own, put after the
// last instruction of a small kernel, comes back as the words that this record
// stands for; and the node that comes back says whether nvlink would keep such
// a record in full, as a 4-byte tag-only node, or not at all.
type Oracle struct {
	tools    *nvidia.Toolset
	template *Template
	Release  string // "13.5"
	Arch     string // "sm_100"

	Budget *Budget // none: as many links as it takes
	Twice  bool    // ask what has several words where registers are free, and where some aren't

	Links, Crashes int // asked so far; of them, ended by a signal
	hung           int // links of this Ask that didn't end
	busy           bool
}

const kernel = `.version %s
.target %s
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %%r<3>;
	.reg .b64 %%rd<3>;
	ld.param.u64 %%rd1, [p];
	mov.u32 %%r1, %%tid.x;
	st.global.u32 [%%rd1], %%r1;
	ret;
}
`

// ptxVersion returns the first version of PTX that has a target.
func ptxVersion(arch string) string {
	if strings.HasPrefix(arch, "sm_107") {
		return "9.4"
	}
	return "9.0"
}

// NewOracle has ptxas make the kernel and nvlink answer.
func NewOracle(ctx context.Context, tools *nvidia.Toolset, release, arch string) (*Oracle, error) {
	res, err := tools.Assemble(ctx, release, []string{"-arch=" + arch}, nvidia.File{Name: "k.ptx", Data: fmt.Appendf(nil, kernel, ptxVersion(arch), arch)})
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		return nil, fmt.Errorf("probe: ptxas %s -arch=%s: %s", release, arch, res.Stderr)
	}
	t, err := NewTemplate(res.Output)
	if err != nil {
		return nil, err
	}
	return &Oracle{tools: tools, template: t, Release: release, Arch: arch}, nil
}

// patience is the number of links of one Ask that may run for ever. After them
// whatever is beside a culprit is given up with it.
const patience = 3

// Answer is what nvlink made of one node.
type Answer struct {
	// Kind is that of the node which came back: 'P', 'M', 'R'; 'V' where none
	// did, 'C' where nvlink crashed or refused, 'H' where it went on for ever, '+'
	// where there were several.
	Kind   byte
	Record []byte // what the node keeps
	Words  []byte // 16 bytes each
	// Other is the words where other registers are free, nil where these are the same: a
	// register that no record tells.
	Other []byte
}

// Ask returns one answer for each node. What makes nvlink crash is found by
// halving, so that the others are still answered.
func (o *Oracle) Ask(ctx context.Context, nodes []Node) ([]Answer, error) {
	o.hung = 0
	const most = 8192
	var out []Answer
	for part := range slices.Chunk(nodes, most) {
		a, err := o.ask(ctx, part)
		if err == nil && o.Twice {
			err = o.again(ctx, part, a)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, a...)
	}
	return out, nil
}

func (o *Oracle) ask(ctx context.Context, nodes []Node) ([]Answer, error) {
	if len(nodes) == 0 {
		return nil, nil
	}
	a, err := o.link(ctx, nodes)
	if err == nil {
		return a, nil
	}
	return o.split(ctx, nodes, err)
}

// split asks nodes that have no answer together in parts.
func (o *Oracle) split(ctx context.Context, nodes []Node, err error) ([]Answer, error) {
	if !errors.Is(err, errNoAnswer) {
		return nil, err
	}
	if errors.Is(err, errTime) {
		if o.hung++; len(nodes) == 1 || o.hung > patience {
			return slices.Repeat([]Answer{{Kind: 'H'}}, len(nodes)), nil
		}
	}
	if len(nodes) == 1 {
		return []Answer{{Kind: 'C'}}, nil
	}
	size := len(nodes) / 2
	if errors.Is(err, errTime) {
		// Each answer costs the whole limit: few, small steps.
		size = max(1, len(nodes)/16)
	}
	var all []Answer
	innocent := true // what is before the part
	for len(nodes) > 0 {
		part := nodes[:min(size, len(nodes))]
		nodes = nodes[len(part):]
		failed := o.Crashes
		var a []Answer
		var e error
		if len(nodes) == 0 && innocent && len(part) > 1 && !errors.Is(err, errTime) {
			// All before it was answered at once: what nvlink crashes on is in here.
			a, e = o.split(ctx, part, errNoAnswer)
		} else {
			a, e = o.ask(ctx, part)
		}
		if e != nil {
			return nil, e
		}
		innocent = innocent && o.Crashes == failed
		all = append(all, a...)
	}
	return all, nil
}

var (
	errNoAnswer = errors.New("no answer")
	errTime     = fmt.Errorf("%w in time", errNoAnswer)
)

func (o *Oracle) link(ctx context.Context, nodes []Node) ([]Answer, error) {
	with := between(nodes, o.busy)
	if err := o.Budget.take(); err != nil {
		return nil, err
	}
	o.Links++
	res, err := o.tools.Link(ctx, o.Release, []string{"-r", "-arch=" + o.Arch}, []nvidia.File{{Name: "a.cubin", Data: o.template.Build(with)}})
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		o.Crashes++
		if res.Outcome == nvidia.Hung {
			o.Budget.hung()
			return nil, errTime
		}
		return nil, errNoAnswer
	}
	back, err := o.template.Read(res.Output)
	if err != nil {
		o.Crashes++
		return nil, errNoAnswer
	}
	groups := betweenMarkers(back)
	if len(groups) != len(nodes)+1 {
		o.Crashes++
		return nil, errNoAnswer
	}
	out := make([]Answer, len(nodes))
	for i := range out {
		out[i] = answerOf(groups[i])
	}
	return out, nil
}

// answerOf is the answer that stands between two markers.
func answerOf(group []Result) Answer {
	switch len(group) {
	case 0:
		return Answer{Kind: 'V'}
	case 1:
		return Answer{Kind: group[0].Kind, Record: bytes.Clone(group[0].Record), Words: bytes.Clone(group[0].Words)}
	}
	return Answer{Kind: '+'}
}
