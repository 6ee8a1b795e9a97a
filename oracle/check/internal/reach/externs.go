package reach

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// InRef is what a symbol index of an input stands for.
func (c *Reach) InRef(m *link.Module, index uint32) link.Ref {
	if int(index) >= len(m.Refs) {
		return link.Ref{}
	}
	return c.RefOf(m, index)
}

// Externs names the functions of a body's list that nothing defines, and the
// kernels.
func (c *Reach) Externs(b *link.Body) []string {
	var names []string
	for _, a := range b.Attributes() {
		if a.Attr != cuda.AttrExterns {
			continue
		}
		for at := uint64(0); at+4 <= uint64(len(a.Value)); at += 4 {
			id := c.InRef(b.Mod, image.Word(a.Value, at)).ID
			if id != nil && (id.Def == nil || id.Kernel()) {
				names = append(names, id.Name)
			}
		}
	}
	return names
}
