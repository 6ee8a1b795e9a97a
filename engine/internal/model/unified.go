package model

const (
	UnifiedSize   = 32
	UnifiedLinked = 6 // flags that a relocatable link adds
)

// UnifiedEntry is one record, and the symbol it names.
type UnifiedEntry struct {
	Sym  SymID
	Data []byte
}
