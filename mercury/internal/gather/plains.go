package gather

import (
	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/families"
	"github.com/twinlink/twinlink/mercury"
)

// EachPlain calls found for the word of every PLAIN node in the cubins of folders, files and wheels.
func EachPlain(places []string, found func(cuda.SM, mercury.Word)) error {
	for _, place := range places {
		err := families.Each(place, func(name string, data []byte) {
			f, err := cubin.Open(name, data)
			if err != nil {
				return
			}
			m := capsule.Open(f)
			for i := range m.Funcs {
				fn := &m.Funcs[i]
				if fn.Cap == nil {
					continue
				}
				for k := range fn.Cap.Nodes {
					if n := &fn.Cap.Nodes[k]; n.Kind == capsule.Plain {
						found(f.Header.SM(), mercury.GetWord(fn.Code[n.SASS:]))
					}
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
