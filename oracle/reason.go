package oracle

// Reason says why nvlink ends a link at a record, in the words it uses after
// "Internal error: ".
type Reason uint8

const (
	UnexpectedType Reason = iota + 1 // the number is after the release's table
	UnexpectedNone                   // R_MERCURY_NONE, and numbers of the other table
	OtherSection                     // a PC-relative type, wherever its symbol lies
	DeletedSymbol                    // the record should be kept and its symbol does not reach the output
	PlaceOutside                     // the place to patch begins after its section
	RecordOutside                    // the record to keep points after its section
	UnpatchedPlace                   // the records of a section that takes none
	UnplacedSymbol                   // the symbol's value is all ones
)

var reasonText = [...]string{
	UnexpectedType: "unexpected NVRS",
	UnexpectedNone: "unexpected reloc",
	OtherSection:   "PC relative branch address should be in the same section",
	DeletedSymbol:  "reference to deleted symbol",
	PlaceOutside:   "reloc address not found",
	RecordOutside:  "relocation is past end of offset",
	UnpatchedPlace: "unexpected reloc section",
	UnplacedSymbol: "unallocated symbol",
}

// String returns nvlink's words.
func (r Reason) String() string {
	if int(r) < len(reasonText) {
		return reasonText[r]
	}
	return "?"
}
