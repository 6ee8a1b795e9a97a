package mercury

// Line program sequences whose code moved. Rows are written as ptxas writes
// them: a row 16 bytes on with a small step of lines is one special opcode; any
// other is an advance of lines, an advance of addresses unless that is 0, and a
// copy. All numbers are written as signed ones, those of addresses too.

// moveLines rewrites a sequence; move translates addresses.
func (s *lineShape) moveLines(b []byte, move func(uint64) uint64) ([]byte, bool) {
	var out []byte
	r := lebReader{b: b}
	addr, last := uint64(0), move(0) // of the input; of the output, written
	step, steps := int64(0), false   // lines not written, and whether the row steps
	row := func() {
		to := move(addr)
		if steps {
			out = s.appendRow(out, step, to-last)
		} else {
			if to != last {
				out = appendSleb(append(out, lineAdvanceAddr), int64(to-last))
			}
			out = append(out, lineCopy)
		}
		last, step, steps = to, 0, false
	}
	for r.pos < uint64(len(b)) {
		op, ok := s.next(&r)
		if !ok || op.wrong {
			return nil, false
		}
		addr, step, steps = addr+op.addr, step+op.step, steps || op.steps
		switch op.kind {
		case lineRow:
			row()
		case lineSays:
			if to := move(addr); op.sub == lineEnd && to != last {
				out = appendSleb(append(out, lineAdvanceAddr), int64(to-last))
			}
			out = append(out, op.bytes...)
		case lineOther:
			out = append(out, op.bytes...)
		}
	}
	return out, true
}

// instruction is how far a special opcode of ptxas goes.
const instruction = 16

func (s *lineShape) appendRow(out []byte, step int64, by uint64) []byte {
	if k := step - int64(s.base); by == instruction && k >= 0 && k < int64(s.width) {
		if op := k + int64(s.width)*instruction + int64(s.opcode); op <= 255 {
			return append(out, byte(op))
		}
	}
	out = appendSleb(append(out, lineAdvanceLine), step)
	if by != 0 {
		out = appendSleb(append(out, lineAdvanceAddr), int64(by))
	}
	return append(out, lineCopy)
}

func appendSleb(b []byte, v int64) []byte {
	for v < -64 || v > 63 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// lastRows rewrites a sequence so that of the rows at one address only the last
// stays, and the end is where the last row is.
func (s *lineShape) lastRows(b []byte) ([]byte, bool) {
	var out []byte
	r := lebReader{b: b}
	addr, last := uint64(0), uint64(0)
	step := int64(0) // lines since the row before
	held, heldAt, heldStep := false, uint64(0), int64(0)
	flush := func() {
		if held {
			out = s.appendRow(out, heldStep, heldAt-last)
			last, held = heldAt, false
		}
	}
	row := func() {
		if held && heldAt == addr {
			step += heldStep
		} else {
			flush()
		}
		held, heldAt, heldStep, step = true, addr, step, 0
	}
	for r.pos < uint64(len(b)) {
		op, ok := s.next(&r)
		if !ok || op.wrong {
			return nil, false
		}
		addr, step = addr+op.addr, step+op.step
		switch {
		case op.kind == lineRow:
			row()
		case op.kind == lineSays && op.sub == lineInlinedRows:
		case op.kind == lineSays && op.sub == lineEnd:
			flush()
			out = append(out, op.bytes...)
		case op.kind != lineMoves:
			out = append(out, op.bytes...)
		}
	}
	return out, true
}
