package hosts

import (
	"strings"

	"github.com/twinlink/twinlink/internal/hostelf"
)

// object is a host object as far as nvlink looks at it.
type object struct {
	id      string
	fatbin  []byte
	refers  bool // the sections that say what the host refers to are there
	kernels []string
}

// encode makes a relocatable ELF file for x86-64.
func (o *object) encode() []byte {
	list := []hostelf.Section{{Name: "__nv_module_id", Data: []byte(o.id + "\x00")}, {Name: "__nv_relfatbin", Data: o.fatbin}, {Name: ".nvFatBinSegment", Data: make([]byte, 24)}}
	if o.refers {
		names := []byte(strings.Join(o.kernels, "\x00") + "\x00")
		for _, kind := range []string{"KI", "KE", "DI", "DE", "CI", "CE"} {
			data := []byte{0}
			if kind == "KE" {
				data = names
			}
			list = append(list, hostelf.Section{Name: ".nvHR" + kind, Data: data})
		}
	}
	return hostelf.Encode(hostelf.Object, list...)
}
