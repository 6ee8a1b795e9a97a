package relocs

import "slices"

// Form is the kind of a vector's relocation section.
type Form string

const (
	REL  Form = "rel"  // 16-byte records: the addend is in the field
	RELA Form = "rela" // 24-byte records with an addend of their own
)

// Record is one relocation record.
type Record struct {
	Offset uint64
	Type   uint32
	Symbol string // its name, or that of the section it stands for; "#7" is index 7
	Addend int64  // RELA
	Form   Form   // of a record in an image, where it is not the vector's
}

// Edit changes one number of a symbol or of a section header.
type Edit struct {
	Symbol  string `json:"symbol,omitempty"` // one of the two is set
	Section string `json:"section,omitempty"`
	// Set names what is changed. Of a symbol: value, size, section, info, other.
	// Of a section: type, flags, align, info, or bank, which makes a section a
	// constant bank of that number and gives it the name.
	Set string `json:"set"`
	To  Number `json:"to"`
}

// Vector is one link and what came of it.
type Vector struct {
	ID       string // file, group and number: "main-sm_75-11.8/rela-cvar/24"
	Template *Template
	Place    string // section that the records patch
	Form     Form
	Options  []string // of nvlink, besides -arch
	Edits    []Edit
	Keep     bool // the template's other records stay; else all of them are taken away
	Records  []Record
	Before   []byte // written over the place, from the first record's offset on
	Flags    []string
	Results  []Result
}

// Releases returns the releases of nvlink that were asked, oldest first.
func (v *Vector) Releases() []string { return v.Template.Releases }

// Result returns what a release did; false where it was not asked.
func (v *Vector) Result(release string) (Result, bool) {
	for _, r := range v.Results {
		if slices.Contains(r.Releases, release) {
			return r, true
		}
	}
	return Result{}, false
}

// Verdict says what is asked of an implementation, in Wycheproof's words.
type Verdict string

const (
	Valid      Verdict = "valid"      // must be linked, to the same bytes
	Invalid    Verdict = "invalid"    // must be refused
	Acceptable Verdict = "acceptable" // must be survived: nvlink dies, hangs or shows what lay in its memory
)

// Did is what became of a vector's records.
type Did string

const (
	Linked  Did = "linked"  // an image was written
	Refused Did = "refused" // exit status and a text
	Crashed Did = "crashed" // a signal
	Hung    Did = "hung"    // no end in ten seconds
)

// Result is what one or more releases did with a vector, all the same.
type Result struct {
	Releases []string
	Verdict  Verdict
	Did      Did

	Exit    int    // Refused
	Message string // what was said, on standard error; also warnings of Linked

	Gone        bool     // Linked: the place of these inputs is not in the image
	After       []byte   // Linked: the place from the first record's offset on, up to the last byte that changed
	Changed     []Run    // Linked: changes elsewhere in the place, and in its counterpart
	Kept        []Record // Linked: the records of the place in the image, in order
	Counterpart []Record // Linked, Mercury: the records of what the finalizer makes of the place
	Saved       []Record // Linked, --preserve-relocs: those of .nv.resolvedrela

	// Images holds the first eight hex digits of the SHA-256 of the whole
	// image, for each of Releases. Linked and Valid.
	Images []string
}

// Run is bytes of an image that are not the input's.
type Run struct {
	Section string // "" for the place
	Offset  uint64 // in the object's section
	Bytes   []byte
}
