package probe

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// Reader asks an nvlink for the Mercury of PLAIN words.
//
// The capsule has no bytes for a PLAIN node, but a relocation against the
// Mercury address of one is applied all the same, to the instruction that
// nvlink decodes from the word. One that writes 0xff over a byte of its tag
// makes it an instruction that no word stands for, so that the output's
// capsule has to hold it in full. Over byte 3 of one copy and over byte 1 of
// another it shows all of it.
type Reader struct {
	tools    *nvidia.Toolset
	template *Template
	rela     int    // .nv.merc.rela.text.k
	symbol   uint64 // of the constant
	start    uint64 // Mercury address after the template's own nodes
	Release  string
	Arch     string
	Budget   *Budget // none: as many links as it takes
	Links    int
}

const constantKernel = `.version %s
.target %s
.address_size 64
.const .align 4 .b32 c[4];
.visible .entry k(.param .u64 p)
{
	.reg .b32 %%r<3>;
	.reg .b64 %%rd<3>;
	ld.param.u64 %%rd1, [p];
	ld.const.u32 %%r1, [c];
	st.global.u32 [%%rd1], %%r1;
	ret;
}
`

const (
	typeByte   = 0x10010 // R_MERCURY_8_0
	relaEntry  = 24
	impossible = 0xff
)

// NewReader has ptxas make the kernel and nvlink answer.
func NewReader(ctx context.Context, tools *nvidia.Toolset, release, arch string) (*Reader, error) {
	res, err := tools.Assemble(ctx, release, []string{"-c", "-arch=" + arch}, nvidia.File{Name: "k.ptx", Data: fmt.Appendf(nil, constantKernel, ptxVersion(arch), arch)})
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
	r := &Reader{tools: tools, template: t, Release: release, Arch: arch}
	f := t.image
	r.rela = slices.IndexFunc(f.headers, func(h header) bool { return h.Type == typeMercRela && int(h.Info) == t.capsule })
	if r.rela < 0 || len(f.section(r.rela)) < relaEntry {
		return nil, errors.New("probe: no Mercury relocation in the template")
	}
	r.symbol = binary.LittleEndian.Uint64(f.section(r.rela)[8:]) >> 32
	const symbolSize = 24
	for b := f.section(t.merc); len(b) >= symbolSize; b = b[symbolSize:] {
		if b[4]&15 == 2 && int(binary.LittleEndian.Uint16(b[6:])) == t.capsule {
			r.start = binary.LittleEndian.Uint64(b[16:])
		}
	}
	return r, nil
}

// Records returns for each word, of which sizes tells the Mercury size, its
// instruction; nil where nvlink has none.
func (r *Reader) Records(ctx context.Context, words [][]byte, sizes []int) ([][]byte, error) {
	// Each word is there twice, once for each byte.
	twice, both := make([][]byte, 0, 2*len(words)), make([]int, 0, 2*len(words))
	for i, w := range words {
		twice, both = append(twice, w, w), append(both, sizes[i], sizes[i])
	}
	got, err := r.ask(ctx, twice, both)
	if err != nil {
		return nil, err
	}
	low, high := make([][]byte, len(words)), make([][]byte, len(words))
	for i := range words {
		low[i], high[i] = got[2*i], got[2*i+1]
	}
	out := make([][]byte, len(words))
	for i := range words {
		if low[i] == nil || high[i] == nil || len(low[i]) != len(high[i]) || low[i][3] != impossible || high[i][1] != impossible {
			continue
		}
		low[i][3] = high[i][3]
		high[i][1] = low[i][1]
		if bytes.Equal(low[i], high[i]) {
			out[i] = low[i]
		}
	}
	return out, nil
}

func (r *Reader) ask(ctx context.Context, words [][]byte, sizes []int) ([][]byte, error) {
	if len(words) == 0 {
		return nil, nil
	}
	out, err := r.link(ctx, words, sizes)
	if err == nil || !errors.Is(err, errNoAnswer) {
		return out, err
	}
	half := len(words) / 4 * 2 // both of a word stay together
	if len(words) == 2 {
		return [][]byte{nil, nil}, nil
	}
	a, err := r.ask(ctx, words[:half], sizes[:half])
	if err != nil {
		return nil, err
	}
	b, err := r.ask(ctx, words[half:], sizes[half:])
	return append(a, b...), err
}

func (r *Reader) link(ctx context.Context, words [][]byte, sizes []int) ([][]byte, error) {
	nodes := []Node{marker(0)}
	address := r.start + 16
	var relocs []byte
	for i, w := range words {
		nodes = append(nodes, Node{Words: w}, marker(i+1))
		e := make([]byte, relaEntry)
		binary.LittleEndian.PutUint64(e, address+[2]uint64{3, 1}[i&1])
		binary.LittleEndian.PutUint64(e[8:], r.symbol<<32|typeByte)
		binary.LittleEndian.PutUint64(e[16:], impossible)
		relocs = append(e, relocs...) // the table runs from the end
		address += uint64(sizes[i]) + 16
	}
	if err := r.Budget.take(); err != nil {
		return nil, err
	}
	r.Links++
	object := r.template.build(nodes, func(f *image) {
		f.replace(r.rela, append(relocs, r.template.image.section(r.rela)...))
	})
	res, err := r.tools.Link(ctx, r.Release, []string{"-r", "-arch=" + r.Arch}, []nvidia.File{{Name: "a.cubin", Data: object}})
	if err != nil {
		return nil, err
	}
	if res.Outcome != nvidia.Success {
		if res.Outcome == nvidia.Hung {
			r.Budget.hung()
		}
		return nil, errNoAnswer
	}
	back, err := r.template.Read(res.Output)
	if err != nil {
		return nil, errNoAnswer
	}
	groups := betweenMarkers(back)
	if len(groups) != len(words)+1 {
		return nil, errNoAnswer
	}
	out := make([][]byte, len(words))
	for i := range out {
		if g := groups[i]; len(g) == 1 && g[0].Kind == 'R' {
			out[i] = bytes.Clone(g[0].Record)
		}
	}
	return out, nil
}
