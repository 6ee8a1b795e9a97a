package dump

// File is a decoded cubin. Parts that weren't asked for are nil.
type File struct {
	Name        string       `json:"file"`
	Size        int          `json:"size"`
	Header      *Header      `json:"header,omitempty"`
	Programs    []Program    `json:"programs,omitempty"`
	Sections    []Section    `json:"sections,omitempty"`
	Symbols     []Symbol     `json:"symbols,omitempty"`
	Relocations []RelocTable `json:"relocations,omitempty"`
	Info        []InfoTable  `json:"info,omitempty"`
	Callgraph   *Callgraph   `json:"callgraph,omitempty"`
	Prototypes  *Prototypes  `json:"prototypes,omitempty"`
	RelAction   *RelAction   `json:"relaction,omitempty"`
	Notes       []NoteTable  `json:"notes,omitempty"`
	Compat      *InfoTable   `json:"compat,omitempty"`
}

// Header is the ELF header.
type Header struct {
	Type       string   `json:"type"`
	Machine    uint16   `json:"machine"`
	SM         string   `json:"sm"`
	OSABI      uint8    `json:"osabi"`
	ABIVersion uint8    `json:"abiversion"`
	Version    uint32   `json:"version"`
	Toolkit    string   `json:"toolkit,omitempty"`
	Entry      uint64   `json:"entry"`
	Flags      uint32   `json:"flags"`
	FlagNames  []string `json:"flagNames"`
	PhOff      uint64   `json:"phoff"`
	PhNum      uint16   `json:"phnum"`
	ShOff      uint64   `json:"shoff"`
	ShNum      int      `json:"shnum"`
	ShStrNdx   uint16   `json:"shstrndx"`
}

// Program is a program header.
type Program struct {
	Type   string `json:"type"`
	Flags  string `json:"flags"`
	Offset uint64 `json:"offset"`
	VAddr  uint64 `json:"vaddr"`
	PAddr  uint64 `json:"paddr"`
	FileSz uint64 `json:"filesz"`
	MemSz  uint64 `json:"memsz"`
	Align  uint64 `json:"align"`
}

// Section is a section header; Link and Info are identified by name where they name
// something.
type Section struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Flags   string `json:"flags"`
	Addr    uint64 `json:"addr"`
	Offset  uint64 `json:"offset"`
	Size    uint64 `json:"size"`
	Link    string `json:"link"`
	Info    string `json:"info"`
	Align   uint64 `json:"align"`
	EntSize uint64 `json:"entsize"`
}

// Symbol is a symbol table entry.
type Symbol struct {
	Index   int    `json:"index"`
	Name    string `json:"name"`
	Value   uint64 `json:"value"`
	Size    uint64 `json:"size"`
	Type    string `json:"type"`
	Binding string `json:"binding"`
	Other   string `json:"other"`
	Section string `json:"section"`
}

// RelocTable is a relocation section.
type RelocTable struct {
	Section string  `json:"section"`
	Target  string  `json:"target"`
	Form    string  `json:"form"` // REL, RELA, ...
	Records []Reloc `json:"records"`
	Fault   string  `json:"fault,omitempty"`
}

// Reloc is a relocation record.
type Reloc struct {
	Offset   uint64  `json:"offset"`
	Type     string  `json:"type"`
	Resolver string  `json:"resolver"`
	Symbol   string  `json:"symbol"`
	Addend   int64   `json:"addend"`
	Fields   []Field `json:"fields,omitempty"`
}

// Field is what a relocation writes: Width bits from bit First of its place,
// and what they hold now.
type Field struct {
	First uint32 `json:"first"`
	Width uint32 `json:"width"`
	Value uint64 `json:"value"`
	Holds string `json:"holds"` // what goes there: value, value>>32, bank
}

// InfoTable is .nv.info, .nv.info.<function> or .nv.compat.
type InfoTable struct {
	Section string       `json:"section"`
	Owner   string       `json:"owner,omitempty"` // the function
	Records []InfoRecord `json:"records"`
	Fault   string       `json:"fault,omitempty"`
}

// InfoRecord is one attribute. Subject is the symbol it is about, where its
// payload names one first.
type InfoRecord struct {
	Attribute string  `json:"attribute"`
	Number    uint8   `json:"number"`
	Format    string  `json:"format"`
	Subject   string  `json:"subject,omitempty"`
	Values    []Value `json:"values,omitempty"`
}

// Value is a part of a payload.
type Value struct {
	Name string `json:"name,omitempty"`
	Text string `json:"value"`
}

// Callgraph is .nv.callgraph.
type Callgraph struct {
	Section string `json:"section"`
	Edges   []Edge `json:"edges"`
	Fault   string `json:"fault,omitempty"`
}

// Edge is a pair of .nv.callgraph.
type Edge struct {
	Kind string `json:"kind"` // call, prototype, indirect, address
	From string `json:"from"`
	To   string `json:"to"`
}

// Prototypes is .nv.prototype.
type Prototypes struct {
	Section string `json:"section"`
	Edges   []Edge `json:"functions"`
	Fault   string `json:"fault,omitempty"`
}

// RelAction is .nv.rel.action: what a driver shall do for each type.
type RelAction struct {
	Section string   `json:"section"`
	First   string   `json:"first"`
	Actions []Action `json:"actions"`
	Fault   string   `json:"fault,omitempty"`
}

// Action is the rule of one relocation type.
type Action struct {
	Type   string        `json:"type"`
	Kind   string        `json:"kind"`
	Flags  uint8         `json:"flags"`
	Fields []ActionField `json:"fields"`
}

// ActionField is one of the two fields of a rule.
type ActionField struct {
	Source uint8 `json:"source"`
	Width  uint8 `json:"width"`
	First  uint8 `json:"first"`
}

// NoteTable is a note section.
type NoteTable struct {
	Section string `json:"section"`
	Notes   []Note `json:"notes"`
	Fault   string `json:"fault,omitempty"`
}

// Note is one note.
type Note struct {
	Owner  string  `json:"owner"`
	Kind   string  `json:"kind"` // tkinfo, cuinfo, or the number
	Values []Value `json:"values"`
}
