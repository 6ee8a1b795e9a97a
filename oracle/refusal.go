package oracle

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

// Kind says why an evaluation was refused.
type Kind uint8

const (
	UnknownType   Kind = iota + 1 // the number is in neither table
	SentinelType                  // the number closes the table and patches nothing
	PlaceTooShort                 // a field of the type ends after the bytes given
)

// String returns the reason in words.
func (k Kind) String() string {
	switch k {
	case UnknownType:
		return "unknown relocation type"
	case SentinelType:
		return "sentinel, not a relocation type"
	case PlaceTooShort:
		return "place too short"
	}
	return "?"
}

// Refusal is the one error type of [Apply], [Trace] and [RecipeOf].
type Refusal struct {
	Kind   Kind
	Number uint32 // relocation number
	Offset uint64 // PlaceTooShort: first byte of the place that is missing
	Value  uint64 // PlaceTooShort: bytes the place has; else the number again
}

func (r *Refusal) Error() string {
	name := fmt.Sprintf("relocation 0x%x", r.Number)
	if info, ok := cuda.LookupReloc(r.Number); ok {
		name = info.Name
	}
	if r.Kind == PlaceTooShort {
		return fmt.Sprintf("oracle: %s: %s: byte %d is needed, there are %d", name, r.Kind, r.Offset, r.Value)
	}
	return fmt.Sprintf("oracle: %s: %s", name, r.Kind)
}
