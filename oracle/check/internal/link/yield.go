package link

// yieldChoice is what the output did with the YIELDs of some code that have records.
type yieldChoice uint8

const (
	yieldUnknown yieldChoice = iota
	YieldStays
	YieldCleared
)
