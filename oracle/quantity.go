package oracle

import "math/big"

// Quantity names a number that a recipe may use.
//
// The eleven address-like quantities are one and the same sum S + A. They have
// names of their own because S means something else in each: who resolves the
// record decides what number a symbol stands for. The device linker knows ADDR
// and the instruction words, the driver the rest.
type Quantity uint8

const (
	Addr       Quantity = iota + 1 // address or offset in the symbol's memory space
	GAddr                          // generic address
	UAddr                          // entry of the unified table, or the address where there is none
	FDesc                          // function descriptor, in an instruction
	FDescA                         // function descriptor, in data
	Header                         // index of a texture, sampler or surface header
	HWDesc                         // surface descriptor, hardware form
	HWSWDesc                       // surface descriptor, hardware and software form
	Inst                           // instruction word
	InstOpcode                     // opcode of an instruction word
	Clear                          // nothing: a place in data that is blanked
	ClearField                     // nothing: a field of an instruction that is blanked
	Addend                         // A alone: the addend of a RELA record, 0 in a REL record
	Place                          // P: offset of the place in its section
	Bank                           // section type of the symbol's section minus 0x70000064
	Slot                           // word kept beside the symbol's value, see Inputs.Slot
	Old                            // what the field held, in a REL record; 0 in a RELA record
)

var quantityNames = map[string]Quantity{
	"ADDR": Addr, "GADDR": GAddr, "UADDR": UAddr,
	"FDESC": FDesc, "FDESCA": FDescA,
	"HEADER": Header, "HWDESC": HWDesc, "HWSWDESC": HWSWDesc,
	"INST": Inst, "INST_OPCODE": InstOpcode,
	"CLEAR": Clear, "CLEAR_FIELD": ClearField,
	"A": Addend, "P": Place, "BANK": Bank, "SLOT": Slot, "OLD": Old,
}

var quantityText = func() (text [Old + 1]string) {
	for name, q := range quantityNames {
		text[q] = name
	}
	return text
}()

// String returns the name that recipes use.
func (q Quantity) String() string {
	if int(q) < len(quantityText) && quantityText[q] != "" {
		return quantityText[q]
	}
	return "?"
}

// bankBase is the section type of constant bank 0.
const bankBase = 0x70000064

// load sets z to the quantity's value for the record at hand.
func (m *machine) load(z *big.Int, q Quantity) {
	switch q {
	case Addr, GAddr, UAddr, FDesc, FDescA, Header, HWDesc, HWSWDesc, Inst, InstOpcode:
		z.SetUint64(m.in.S)
		if m.in.Rela {
			m.spare.SetInt64(m.in.A)
			z.Add(z, &m.spare)
		}
	case Addend:
		z.SetInt64(0)
		if m.in.Rela {
			z.SetInt64(m.in.A)
		}
	case Place:
		z.SetUint64(m.in.P)
	case Bank:
		z.SetInt64(int64(m.in.SectionType) - bankBase)
	case Slot:
		z.SetUint64(uint64(m.in.Slot))
	case Old:
		z.SetInt64(0)
		if !m.in.Rela {
			z.Set(&m.old)
		}
	default: // Clear, ClearField
		z.SetInt64(0)
	}
}
