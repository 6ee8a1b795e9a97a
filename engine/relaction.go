package engine

import "github.com/twinlink/twinlink/engine/descriptor"

// relActionBytes is .nv.rel.action as a release writes it.
func relActionBytes(p *profile) []byte {
	return descriptor.RelAction(p.relActionFirst, p.relActionLast)
}
