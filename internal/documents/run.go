package documents

// Inputs are the parameters of reloc_apply_engine, sub_468760, under the names
// of the engine document, but for the two of which the name misleads.
type Inputs struct {
	// IsAbsolute is 1 for a RELA section ("sec->sh_type == 4"). The comments
	// beside the signature call it "symbol has absolute address"; the tool
	// was seen to go by the section type.
	IsAbsolute    bool
	ExtraOffset   int64  // addend of the RELA record
	SectionOffset int32  // offset of the place in its section
	SymbolValue   uint64 // resolved address
	// SymbolSize is a8, "symbol st_size". The tool was seen to pass another
	// word of the symbol there, see oracle.Inputs.Slot.
	SymbolSize uint32
	// SectionTypeDelta is sh_type of the symbol's section minus 0x70000064,
	// modulo 2^32.
	SectionTypeDelta uint32
}

// Result is what a run leaves.
type Result struct {
	// Return is 1, or 0 where an action has no arm: then the caller prints
	// "unexpected NVRS", and the slots before that one stay written.
	Return int
	Output int64  // *output_value: the old field content a REL record had
	Bytes  []byte // the place after the run
	Steps  []Step

	// Open says that somewhere a shift that C leaves undefined had a part in
	// the result; it then is what x86-64 gives.
	Open bool
}

// machine is one run. value is the running value: one variable for all slots,
// so what an action leaves in it the next one starts from.
type machine struct {
	in     Inputs
	place  []byte
	words  []uint64
	value  uint64
	output int64
	open   bool
}

// Run walks the descriptor's slots over a copy of place. The error is an
// *[Error] of kind [FieldOutside]; a code without an arm is no error but
// Return 0.
func Run(d Descriptor, place []byte, in Inputs) (Result, error) {
	m := &machine{in: in, place: place}
	m.load()
	m.value = in.SymbolValue
	if in.IsAbsolute {
		m.value = in.SymbolValue + uint64(in.ExtraOffset)
	}
	result := Result{Return: -1}
	for pointer := slotsAt; ; {
		number := (pointer - slotsAt) / slotSize
		slot := d.Slots[number]
		step := Step{Slot: number, Action: slot, Case: CaseOf(slot.Action), Running: m.value}
		if perform := cases[step.Case]; perform != nil {
			if !m.inPlace(slot) {
				return Result{}, &Error{Kind: FieldOutside, Slot: number, Start: uint64(slot.BitOffset),
					Width: uint64(slot.BitWidth), Value: uint64(len(place)) * 8}
			}
			m.open = false
			perform(m, slot, &step)
			step.Open = m.open
			result.Open = result.Open || m.open
		}
		step.After = m.value
		result.Steps = append(result.Steps, step)
		if step.Case == CaseNone {
			result.Return = 0
			break
		}
		pointer += slotSize
		if pointer == sentinelAt {
			result.Return = 1
			break
		}
	}
	result.Output, result.Bytes = m.output, m.store()
	return result, nil
}
