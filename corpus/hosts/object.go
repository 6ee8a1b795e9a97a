package hosts

import (
	"strings"

	"github.com/twinlink/twinlink/internal/hostelf"
)

// object is a host object as far as nvlink looks at it.
type object struct {
	id     string
	fatbin []byte
	refers bool                // the sections that say what the host refers to are there
	names  map[string][]string // by the end of the section's name
}

// encode makes a relocatable ELF file for x86-64.
func (o *object) encode() []byte {
	list := []hostelf.Section{{Name: "__nv_module_id", Data: []byte(o.id + "\x00")}, {Name: "__nv_relfatbin", Data: o.fatbin}, {Name: ".nvFatBinSegment", Data: make([]byte, 24)}}
	if o.refers {
		for _, kind := range []string{"KI", "KE", "DI", "DE", "CI", "CE"} {
			list = append(list, hostelf.Section{Name: ".nvHR" + kind, Data: []byte(strings.Join(o.names[kind], "\x00") + "\x00")})
		}
	}
	return hostelf.Encode(hostelf.Object, list...)
}
