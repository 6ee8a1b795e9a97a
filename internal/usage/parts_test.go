package usage

import (
	"fmt"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// Banks come by number, those of one number in the order of their sections; what names no bank of a known owner counts nowhere.
func TestConstants(t *testing.T) {
	k, other := &Kernel{}, &Kernel{}
	r := reader{image: &Image{}, byName: map[string][]*Kernel{"k": {k, other}, "k.x": {other}}}
	for i, rest := range []string{"3", "2", "2.k", "0.k", "3", "0.k.x", "0.gone", "x", "3x", "/", ":", "101", "17", "2.k", "1010"} {
		r.constant(rest, uint64(i+1))
	}
	for _, c := range []struct {
		got  []Bank
		want string
	}{
		{r.image.Banks, "[{2 2} {3 1} {3 5} {17 13} {101 12}]"}, {k.Banks, "[{0 4} {2 3} {2 14}]"}, {other.Banks, "[{0 4} {0 6} {2 3} {2 14}]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// Headers that the driver is asked for, by type; all others count nothing.
func TestHeaders(t *testing.T) {
	want := map[uint32][3]int{
		cuda.R_CUDA_TEX_HEADER_INDEX: {1, 0, 0}, cuda.R_CUDA_SURF_HEADER_INDEX: {0, 1, 0}, cuda.R_CUDA_SURF_HW_DESC: {0, 1, 0}, cuda.R_CUDA_SURF_HW_SW_DESC: {0, 1, 0},
		cuda.R_CUDA_SAMP_HEADER_INDEX: {0, 0, 1}, cuda.R_CUDA_SAMP_HEADER_INDEX_0: {0, 0, 1},
	}
	for typ := range uint32(cuda.RelocCount) {
		k := Kernel{}
		if k.addHeader(typ); [3]int{k.Textures, k.Surfaces, k.Samplers} != want[typ] {
			t.Errorf("type %d: %+v", typ, k)
		}
	}
}

// Above sm_90 nvlink doesn't know of banks and headers, and of shared memory omits what the driver keeps.
func TestMercury(t *testing.T) {
	for _, c := range []struct {
		typ        uint16
		unreserved bool
		shared     uint64
		want       uint64
	}{
		{cuda.ETExec, false, reserve, 0}, {cuda.ETExec, false, reserve + 8, 8}, {cuda.ETExec, false, reserve - 1, reserve - 1}, {cuda.ETExec, true, reserve, reserve}, {cuda.ETRel, false, reserve, reserve},
	} {
		f := open(t, facts[2].image)
		f.Header.Type = c.typ
		k := &Kernel{Shared: c.shared, Banks: []Bank{{0, 1}}, Textures: 1, Surfaces: 2, Samplers: 3}
		r := reader{file: f, image: &Image{Banks: []Bank{{3, 4}}}, order: []*Kernel{k}, unreserved: c.unreserved}
		if r.mercury(); r.image.Banks != nil || k.Banks != nil || k.Textures+k.Surfaces+k.Samplers != 0 || k.Shared != c.want {
			t.Errorf("%+v: %+v", c, k)
		}
	}
}

// A line tells barriers where the release does, and counts of headers where there are some; a relocatable image has no stack.
func TestLine(t *testing.T) {
	k := Kernel{Registers: 1, Barriers: 2, Stack: 3, Shared: 4, Local: 5, Banks: []Bank{{0, 6}, {2, 7}}, Surfaces: 8, Samplers: 9}
	for barriers, want := range map[bool]string{
		false: "used 1 registers, 3 stack, 4 bytes smem, 6 bytes cmem[0], 7 bytes cmem[2], 5 bytes lmem, 8 surfaces, 9 samplers",
		true:  "used 1 registers, used 2 barriers, 3 stack, 4 bytes smem, 6 bytes cmem[0], 7 bytes cmem[2], 5 bytes lmem, 8 surfaces, 9 samplers",
	} {
		if got := k.line(barriers); got != want {
			t.Errorf("%q", got)
		}
	}
	f := open(t, facts[0].image)
	f.Header.Type = cuda.ETRel
	u, err := Of(f, false)
	if err != nil || slices.ContainsFunc(u.Kernels, func(k Kernel) bool { return k.Stack != 0 }) {
		t.Errorf("%v, %+v", err, u)
	}
	none := Image{HasBarriers: true}
	if none.KeepBarriers(1) || (&Image{Kernels: []Kernel{{}}}).KeepBarriers(1) {
		t.Error("asked for what no kernel has")
	}
	some := Image{HasBarriers: true, Kernels: []Kernel{{Barriers: 4}, {}}}
	if some.KeepBarriers(9) || some.Kernels[1].Barriers != 4 {
		t.Errorf("%+v", some)
	}
}
