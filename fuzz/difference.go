package fuzz

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/diff"
)

// causes are differences that have others in their train: by one of these the images are known, wherever it stands.
var causes = []struct{ prefix, suffix, kind string }{
	{"data.nv.merc.nv.shared.reserved.0.", "", "data-reserved"},
	{"symbol..nv.constant2.", "", "symbol-constant2"},
	{"reloc.nv.constant0.", ".R_CUDA_SAMP_HEADER_INDEX", "reloc-sampler"},
	{"reloc.text.", ".R_CUDA_CONST_FIELD22_37.field", "reloc-bindless"},
}

// difference says how two images differ, the first place at length.
func difference(engine, nvlink []byte) (kind, first string) {
	list, err := diff.Compare(diff.Input{Name: "engine", Data: engine}, diff.Input{Name: "nvlink", Data: nvlink})
	if err != nil || len(list) == 0 {
		return "bytes", fmt.Sprintf("from byte %#x on", firstDifference(engine, nvlink))
	}
	side := func(s *string) string {
		if s == nil {
			return "nothing"
		}
		return *s
	}
	at := &list[0]
	parts := strings.Split(at.Key, ".")
	kind = parts[0] + "-" + parts[len(parts)-1]
	for i := range list {
		for _, c := range causes {
			if strings.HasPrefix(list[i].Key, c.prefix) && strings.HasSuffix(list[i].Key, c.suffix) {
				at, kind = &list[i], c.kind
			}
		}
	}
	return kind, fmt.Sprintf("%s: engine %s, nvlink %s; %d keys in all", at.Key, side(at.A), side(at.B), len(list))
}
