package experiments

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// TestDocumentNames reads the catalogue's names.
func TestDocumentNames(t *testing.T) {
	widths := map[int]bool{}
	first := regexp.MustCompile(`\d+`)
	for _, r := range cuda.Relocs {
		if m := first.FindString(strings.TrimPrefix(r.Name, "R_CUDA_")); m != "" {
			n, err := strconv.Atoi(m)
			if err != nil {
				t.Fatal(err)
			}
			if n > 0 { // SAMP_HEADER_INDEX_0
				widths[n] = true
			}
		}
	}
	listed := []int{8, 16, 19, 20, 21, 22, 24, 32, 47, 55, 56, 64, 128}
	var missing []int
	for w := range widths {
		if !slices.Contains(listed, w) {
			missing = append(missing, w)
		}
	}
	slices.Sort(missing)
	if !slices.Equal(missing, []int{2, 4, 6, 9, 13, 14}) {
		t.Errorf("RC-015: not in the list: %v", missing)
	}
	if cuda.R_CUDA_UNIFIED == 95 || cuda.R_CUDA_UNIFIED != 102 { // the document's table has 95..106, its remap 102..113
		t.Error("RC-143")
	}
}
