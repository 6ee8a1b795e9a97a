package resched

// barrier decodes what works on barriers in shared memory, and a bulk copy that tells one. An
// exchange takes and makes 64 bits in uniform registers; a copy takes a pair of addresses, the
// barrier's with that in shared memory, and a size. Source: nvdisasm 13.5.88 about each field;
// widths by waits of nvlink 13.5.37.
func (d *decoder) barrier(op uint16) bool {
	switch op {
	case opSYNCS:
		d.writeUniform(2)
		d.readUniform(aField, 1)
		d.readUniform(bField, 2)
	case 0x9a7: // SYNCS.ARRIVE
		d.write(dField, 2)
		d.read(aField, 1)
		d.read(bField, 1)
		d.readUniform(cField, 1)
	case 0x5a7: // SYNCS.PHASECHK
		d.add(operand{writesPred, pField, 1})
		d.read(aField, 1)
		d.read(bField, 1)
		d.readUniform(cField, 1)
	case opUBLKCP:
		d.readUniform(aField, 2)
		d.readUniform(bField, 2)
		d.readUniform(cField, 1)
	default:
		return false
	}
	return true
}
