package documents

// The cases of the dispatcher's switch. In each, "value" is the running value
// m.value; the cases that the engine document writes with a variable of their
// own (lo, hi, pc_value) leave it alone.

// Case names a case body of the dispatcher.
type Case uint8

const (
	CaseNone       Case = iota // default: return 0
	CaseEnd                    // 0x00
	CaseFull                   // 0x01, 0x12, 0x2E
	CaseLow                    // 0x06, 0x37
	CaseHigh                   // 0x07, 0x38
	CaseSize                   // 0x08
	CaseShifted                // 0x09
	CaseTypeLow                // 0x0A
	CaseTypeHigh               // 0x0B
	CaseRelative               // 0x10
	CaseClear                  // 0x13, 0x14
	CaseMaskedLane             // 0x16..0x1D, 0x2F..0x36
)

var caseNames = [...]string{"none", "END", "ABS_FULL", "ABS_LO", "ABS_HI", "ABS_SIZE", "SHIFTED_2",
	"SEC_TYPE_LO", "SEC_TYPE_HI", "PC_REL", "CLEAR", "MASKED_SHIFT"}

// String returns the arm's name in the documents.
func (a Case) String() string {
	if int(a) < len(caseNames) {
		return caseNames[a]
	}
	return "?"
}

// CaseOf returns the case body that an action code of 32 bits arrives at.
func CaseOf(action uint32) Case {
	switch action {
	case 0x00:
		return CaseEnd
	case 0x01, 0x12, 0x2e:
		return CaseFull
	case 0x06, 0x37:
		return CaseLow
	case 0x07, 0x38:
		return CaseHigh
	case 0x08:
		return CaseSize
	case 0x09:
		return CaseShifted
	case 0x0a:
		return CaseTypeLow
	case 0x0b:
		return CaseTypeHigh
	case 0x10:
		return CaseRelative
	case 0x13, 0x14:
		return CaseClear
	case 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,
		0x2f, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36:
		return CaseMaskedLane
	}
	return CaseNone
}

// cases holds the case bodies that do something; END and the default arm don't.
var cases = [...]func(*machine, Slot, *Step){
	CaseFull:       (*machine).full,
	CaseLow:        (*machine).lowWord,
	CaseHigh:       (*machine).highWord,
	CaseSize:       (*machine).size,
	CaseShifted:    (*machine).shifted,
	CaseTypeLow:    (*machine).typeLow,
	CaseTypeHigh:   (*machine).typeHigh,
	CaseRelative:   (*machine).relative,
	CaseClear:      (*machine).clear,
	CaseMaskedLane: (*machine).maskedLane,
}

// old extracts the slot's field and notes it.
func (m *machine) old(s Slot, step *Step) int64 {
	step.ReadOld = true
	step.Old = m.extract(0, int64(s.BitOffset), int64(s.BitWidth))
	return step.Old
}

// inline writes by the inlined pattern and notes what.
func (m *machine) inline(s Slot, value uint64, step *Step) {
	step.Wrote, step.Value = true, value
	m.writeInline(value, int64(s.BitOffset), int64(s.BitWidth))
}

func (m *machine) full(s Slot, step *Step) {
	step.Wrote = true
	if s.BitOffset == 0 && s.BitWidth == 64 {
		step.Fast = true
		if !m.in.IsAbsolute {
			step.ReadOld, step.Old = true, int64(m.words[0])
			m.output = int64(m.words[0])
			m.value += m.words[0]
		}
		m.words[0] = m.value
		step.Value = m.value
		return
	}
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.value += uint64(old)
		m.output = old
	}
	step.Value = m.value
	m.write(0, m.value, int64(s.BitOffset), int64(s.BitWidth))
}

func (m *machine) lowWord(s Slot, step *Step) {
	lo := uint32(m.value)
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.output = old
		lo = uint32(m.value) + uint32(old)
	}
	m.inline(s, uint64(lo), step)
}

func (m *machine) highWord(s Slot, step *Step) {
	hi := uint32(m.value >> 32)
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.output = old
		hi = uint32(m.value>>32) + uint32(old)
	}
	m.inline(s, uint64(hi), step)
}

func (m *machine) size(s Slot, step *Step) {
	if m.in.IsAbsolute {
		m.value = uint64(m.in.ExtraOffset) + uint64(m.in.SymbolSize)
	} else {
		old := m.old(s, step)
		m.value = uint64(old) + uint64(m.in.SymbolSize)
		m.output = old
	}
	m.inline(s, m.value, step)
}

func (m *machine) shifted(s Slot, step *Step) {
	m.value >>= 2
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.value += uint64(old)
		m.output = old
	}
	m.inline(s, m.value, step)
}

// typeLow and typeHigh add the old bits but do not report them.

func (m *machine) typeLow(s Slot, step *Step) {
	m.value = uint64(m.in.SectionTypeDelta) & uint64(m.shr32(255, 8-int64(s.BitWidth)))
	if !m.in.IsAbsolute {
		m.value += uint64(m.old(s, step))
	}
	m.inline(s, m.value, step)
}

func (m *machine) typeHigh(s Slot, step *Step) {
	m.value = (uint64(m.in.SectionTypeDelta) >> 4) & uint64(m.shr32(255, 8-int64(s.BitWidth)))
	if !m.in.IsAbsolute {
		m.value += uint64(m.old(s, step))
	}
	m.inline(s, m.value, step)
}

func (m *machine) relative(s Slot, step *Step) {
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.value += uint64(old)
		m.output = old
	}
	m.inline(s, uint64(int64(int32(m.value)-m.in.SectionOffset)), step)
}

func (m *machine) clear(s Slot, step *Step) { m.inline(s, 0, step) }

func (m *machine) maskedLane(s Slot, step *Step) {
	index := s.Action - firstLane
	if !m.in.IsAbsolute {
		old := m.old(s, step)
		m.value += uint64(old)
		m.output = old
	}
	m.value = (maskTable[index] & m.value) >> shiftTable[index]
	m.inline(s, m.value, step)
}
