package usage

import (
	"os"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cubin"
)

// What nvlink of each release printed under -v when it linked these images.
var facts = []struct {
	image string
	lines []string
}{
	{"11.8-sm_52-linked.cubin", []string{ // nvlink 11.8.89
		"16 bytes gmem, 16 bytes cmem[3]",
		"Function properties for 'k':",
		"used 20 registers, 0 stack, 256 bytes smem, 360 bytes cmem[0], 0 bytes lmem, 1 textures",
	}},
	{"12.4-sm_80-linked.cubin", []string{ // nvlink 12.4.131
		"16 bytes gmem, 16 bytes cmem[3]",
		"Function properties for 'k':",
		"used 24 registers, 0 stack, 256 bytes smem, 392 bytes cmem[0], 0 bytes lmem, 1 textures",
	}},
	{"13.0-sm_90-linked.cubin", []string{ // nvlink 13.0.88
		"16 bytes gmem, 16 bytes cmem[3]",
		"Function properties for 'k':",
		"used 24 registers, used 1 barriers, 0 stack, 1280 bytes smem, 568 bytes cmem[0], 0 bytes lmem, 1 textures",
	}},
}

func open(t *testing.T, image string) *cubin.File {
	t.Helper()
	data, err := os.ReadFile("../dump/testdata/" + image)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open(image, data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestLines(t *testing.T) {
	for _, fact := range facts {
		u, err := Of(open(t, fact.image), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Lines(); !slices.Equal(got, fact.lines) {
			t.Errorf("%s:\n got %q\nwant %q", fact.image, got, fact.lines)
		}
	}
}

// TestKeepBarriers: what nvlink 13.5.37 and 13.4.92 print of kernels that have 0,
// 7, 0, 1 and 0 barriers, beside three sections without contents.
func TestKeepBarriers(t *testing.T) {
	m := &Image{HasBarriers: true}
	for _, n := range []uint32{0, 7, 0, 1, 0} {
		m.Kernels = append(m.Kernels, Kernel{Barriers: n})
	}
	if !m.KeepBarriers(3) {
		t.Error("the first kernel has no barriers, and its number was not asked for")
	}
	for i, want := range []uint32{3, 7, 7, 1, 1} {
		if got := m.Kernels[i].Barriers; got != want {
			t.Errorf("kernel %d: %d barriers, want %d", i, got, want)
		}
	}
}

// TestMutants reads damaged images: errors are fine, a panic is not.
func TestMutants(t *testing.T) {
	for _, fact := range facts {
		data, err := os.ReadFile("../dump/testdata/" + fact.image)
		if err != nil {
			t.Fatal(err)
		}
		for at := 64; at < len(data); at++ {
			old := data[at]
			data[at] ^= 0xff
			if f, err := cubin.Open(fact.image, data); err == nil {
				_, _ = Of(f, false)
			}
			data[at] = old
		}
	}
}
