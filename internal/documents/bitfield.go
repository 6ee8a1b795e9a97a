package documents

// The two helpers of the engine document and the pattern it says is inlined in
// most actions. Places are arrays of 64-bit words, low byte first; a field may
// lie across words. Names and order of operations are the document's.
//
// All three are called only for fields that are in the place (see inPlace), so
// every index below is one of the words.

// extract is bitfield_extract, sub_468670. The result is never sign-extended.
// Of a field over three words the third word is read and dropped: the engine
// document notes "return value unused".
func (m *machine) extract(at int, offset, width int64) int64 {
	if offset > 63 {
		excess := offset - 64
		offset = excess & 0x3f
		at += int(excess>>6) + 1
	}
	total := width + offset
	if total <= 64 {
		return int64(m.shr(m.shl(m.words[at], 64-total), 64-width))
	}
	lowPart := m.extract(at, offset, 64-offset)
	var middleOrHigh int64
	if total-64 > 64 {
		middleOrHigh = m.extract(at+1, 0, 64)
	} else {
		middleOrHigh = int64(m.shr(m.shl(m.words[at+1], 128-total), 64-(total-64)))
	}
	return lowPart | int64(m.shl(uint64(middleOrHigh), 64-offset))
}

// write is bitfield_write, sub_4685B0.
func (m *machine) write(at int, value uint64, offset, width int64) {
	if offset > 63 {
		excess := offset - 64
		offset = excess & 0x3f
		at += int(excess>>6) + 1
	}
	total := width + offset
	if total > 64 {
		end := at + int((total-65)>>6) + 1
		for {
			keep := ^m.shl(^uint64(0), offset)
			m.words[at] = (m.words[at] & keep) | m.shl(value, offset)
			value = m.shr(value, 64-offset)
			offset = 0
			at++
			if at == end {
				break
			}
		}
		total = total - (((total - 65) >> 6) << 6) - 64
		width = total
	}
	m.lastWord(at, value, total, width)
}

// writeInline is the pattern that the engine document finds in every action
// but the full-width path and ABS_FULL.
func (m *machine) writeInline(value uint64, bitOffset, width int64) {
	at, offset := 0, bitOffset
	if bitOffset > 63 {
		offset = (bitOffset - 64) & 0x3f
		at = int((bitOffset-64)>>6) + 1
	}
	total := offset + width
	if total > 64 {
		intermediate := (total - 65) >> 6
		end := at + int(intermediate) + 1
		for {
			m.write(at, value, offset, 64-offset)
			value = m.shr(value, 64-offset)
			offset = 0
			at++
			if at == end {
				break
			}
		}
		total = total - (intermediate << 6) - 64
		width = total
	}
	m.lastWord(at, value, total, width)
}

// lastWord is the read-modify-write both writers end with.
func (m *machine) lastWord(at int, value uint64, total, width int64) {
	mask := m.shr(m.shl(^uint64(0), 64-width), 64-total)
	m.words[at] = (m.words[at] & ^mask) | m.shr(m.shl(value, 64-width), 64-total)
}

// inPlace reports whether the slot's field is in the place. An empty field
// must begin in it, because its word is read and written all the same.
func (m *machine) inPlace(s Slot) bool {
	bits := uint64(len(m.place)) * 8
	return uint64(s.BitOffset) < bits && uint64(s.BitOffset)+uint64(s.BitWidth) <= bits
}

// load makes words of the place; a last word that the place fills in part is
// completed with zero bytes.
func (m *machine) load() {
	m.words = make([]uint64, (len(m.place)+7)/8)
	for i, b := range m.place {
		m.words[i/8] |= uint64(b) << (i % 8 * 8)
	}
}

// store returns the words as bytes, as many as the place had.
func (m *machine) store() []byte {
	out := make([]byte, len(m.place))
	for i := range out {
		out[i] = byte(m.words[i/8] >> (i % 8 * 8))
	}
	return out
}
