package report

// Link is what a linked file is made of, for the page.
type Link struct {
	Spaces   []Space  `json:"spaces,omitempty"`   // memory maps
	Calls    []Call   `json:"calls,omitempty"`    // the call graph
	Sections []Extent `json:"sections,omitempty"` // of the file, with the other's where two were compared
}

// Space is one memory space of a linked file: global, shared of a kernel, a
// constant bank of a kernel.
type Space struct {
	Name  string  `json:"name"`
	Size  uint64  `json:"size"` // bytes
	Parts []Piece `json:"parts"`
}

// Piece is an object in a memory space.
type Piece struct {
	Name   string `json:"name"`
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
}

// Call is a function and what it calls.
type Call struct {
	Name      string `json:"name"`
	Kernel    bool   `json:"kernel,omitempty"`
	Registers int    `json:"registers"`
	Frame     uint64 `json:"frame"` // bytes of its own stack frame
	Stack     uint64 `json:"stack"` // bytes with all it calls
	// Unbounded tells why the stack size cannot be statically determined.
	Unbounded string   `json:"unbounded,omitempty"`
	Calls     []string `json:"calls,omitempty"`
}

// Extent is a section in one file and, where two were compared, in the other.
type Extent struct {
	Name    string `json:"name"`
	Size    uint64 `json:"size"`
	Other   *Other `json:"other,omitempty"`
	Changed int    `json:"changed,omitempty"` // bytes that differ
}

// Other is a section's size in the second file.
type Other struct {
	Size uint64 `json:"size"`
}

// Capsule is one function of a file for sm_100 and up, SASS and Mercury side
// by side.
type Capsule struct {
	Function string `json:"function"`
	Nodes    []Node `json:"nodes"`
}

// Node is one node of a capsule.
type Node struct {
	SASS    uint32   `json:"sass"`    // offset in bytes
	Mercury uint32   `json:"mercury"` // offset in bytes
	Kind    string   `json:"kind"`    // "implicit", "tag-only", "explicit", "skip"
	Tag     string   `json:"tag,omitempty"`
	Record  string   `json:"record,omitempty"` // hexadecimal
	Words   []string `json:"words,omitempty"`  // SASS words in hexadecimal
	Text    []string `json:"text,omitempty"`   // disassembly of Words
	State   string   `json:"state"`            // "same", "changed", "unknown"
}

// RelocationType is one type of the reference and how the sources do on it.
type RelocationType struct {
	Number  uint32  `json:"number"`
	Name    string  `json:"name"`
	Bits    int     `json:"bits"` // of the word that the fields are drawn on: 64 or 128
	Fields  []Field `json:"fields,omitempty"`
	Recipe  string  `json:"recipe,omitempty"`     // the oracle's
	Entry   string  `json:"descriptor,omitempty"` // the engine's
	Results []Score `json:"results,omitempty"`
}

// Field is a run of bits that a relocation writes.
type Field struct {
	First int    `json:"first"`
	Width int    `json:"width"`
	Role  string `json:"role"` // "value", "bank", "flag"
}

// Score is how many vectors of a type a source answers as nvlink did.
type Score struct {
	Source  string `json:"source"` // "engine", "oracle", "nvlink 13.0"
	Same    int    `json:"same"`
	Total   int    `json:"total"`
	Example string `json:"example,omitempty"` // the first vector that differs
}
