package resources

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// imageLimit is how many images of a kind a kernel may have.
type imageLimit struct {
	kind cuda.SymbolType
	name string
	most int
}

// imageLimits are those of a target, in the order in which nvlink looks at them.
//
// Source: kernels with up to 513 of a kind for sm_50 to sm_120 by nvlink 11.8.89, 12.4.131, 13.0.88, 13.1.115 and 13.5.37.
func imageLimits(sm cuda.SM) [3]imageLimit {
	surfaces := 32
	if sm < 70 {
		surfaces = 16
	}
	return [...]imageLimit{
		{cuda.STTCudaTexture, "textures", 256}, {cuda.STTCudaSampler, "samplers", 32}, {cuda.STTCudaSurface, "surfaces", surfaces},
	}
}

// checkImages refuses kernels with too many images. Every image of the link counts for each kernel that uses
// some; the last one is told.
func (l *Usage) checkImages() error {
	count := make(map[cuda.SymbolType]int)
	for s := range l.SlotOff {
		count[l.Syms[s].Type()]++
	}
	for _, user := range slices.Backward(l.Slotted) {
		for _, limit := range imageLimits(l.Arch.SM) {
			if count[limit.kind] > limit.most && (user.Samplers || limit.kind != cuda.STTCudaSampler) {
				return tooManyImages(limit, l.SymName(l.Funs[user.Kernel].Sym))
			}
		}
	}
	return nil
}

func tooManyImages(limit imageLimit, kernel string) error {
	return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.ImageLimit, Symbol: kernel,
		Text: fmt.Sprintf("More than %d %s used in entry function '%s'", limit.most, limit.name, kernel)}}}
}
