package resched

// Products of matrices on sm_103. Those of integers (IMMA) are done by the unit of
// doubles: what is said of doubles holds for them. Those of doubles (DMMA) had
// scoreboards on sm_100 already, and take the unit for longer.
//
// Source: mma.sync of all shapes through ptxas and nvlink 13.0.88.

const (
	opIMMA = 0x237
	opDMMA = 0x23f
	opHMMA = 0x23c

	matrixPace = 584 // cycles that the unit needs for a DMMA
	halfPace   = 8   // and for an HMMA

	// Of HMMA:
	halfResult = 19 // until its result may be read
	halfToHalf = 20 // the same by another HMMA
	halfOver   = 17 // until arithmetic may overwrite it

	// Of IMMA:
	deepBit   = 75 // it multiplies 32 columns, not 16
	sparseBit = 72

	matrixResult   = 36 // until a result may be read on sm_100, at most
	matrixRead     = 20 // until sources are read on sm_103: 18 to 21 of 16 columns, 23 to 26 of 32
	matrixReadDeep = 5
)

func (w *word) isIMMA() bool { return w.op() == opIMMA }
func (w *word) isDMMA() bool { return w.op() == opDMMA }

// inUnit reports whether an instruction has a fixed latency on sm_100, and on sm_103 is
// done by the unit of doubles.
func (w *word) inUnit() bool { return w.isDouble() || w.isIMMA() }

// takesTurn reports whether an instruction takes its turn in that unit.
func (w *word) takesTurn() bool { return w.isPaced() || w.isIMMA() || w.isDMMA() }

// waitsTurn reports whether an instruction starts when the unit is free: so do products of halves, after others.
func (w *word) waitsTurn() bool { return w.takesTurn() || w.op() == opHMMA }

// turn is how many cycles the unit needs for an instruction.
func (w *word) turn() int {
	switch {
	case w.isDMMA():
		return matrixPace
	case w.op() == opHMMA:
		return halfPace
	}
	return pace
}

// turnOf is turn in a flow, where the unit may take doubles as they come.
func (f *flow) turnOf(i int) int {
	if w := &f.words[i]; !f.noTurns || !w.isPaced() {
		return w.turn()
	}
	return 0
}

// latest is how many cycles after an instruction on sm_100 its result may be read anywhere.
func (w *word) latest() int {
	if w.isIMMA() {
		return matrixResult
	}
	return latestDouble
}

// isSparse reports whether a product of integer matrices reads which elements there are.
func (w *word) isSparse() bool { return w.isIMMA() && w.field(sparseBit, 1) != 0 }

// matrices decodes products of matrices.
func (d *decoder) matrices(op uint16) bool {
	switch {
	case op == opDMMA:
		d.write(dField, 4)
		d.read(aField, 2)
		d.read(bField, 2)
	case op == opIMMA && !d.isSparse():
		n := 1 + int(d.field(deepBit, 1))
		d.write(dField, 4)
		d.read(aField, 2*n)
		d.read(bField, n)
	default:
		return false
	}
	d.read(cField, 4)
	return true
}
