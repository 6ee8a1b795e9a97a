package relocs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cuda"
)

// Template is an object that ptxas made, in which vectors change records, and
// what is linked before it.
type Template struct {
	Name     string   `json:"name"`    // "main-sm_75-11.8"
	Program  string   `json:"program"` // templates/<program>.ptx.in
	First    string   `json:"first,omitempty"`
	Arch     string   `json:"arch"`  // "sm_75": of ptxas and of nvlink
	Ptxas    string   `json:"ptxas"` // release
	Flags    []string `json:"flags,omitempty"`
	Releases []string `json:"releases"`        // of nvlink that link it
	Drawn    bool     `json:"drawn,omitempty"` // has no file of vectors, only ones chosen at random
	Nodes    []Node   `json:"nodes,omitempty"`

	object module
	before []module
}

// Node is an instruction of a capsule to which a record may belong. Its place in
// the capsule is counted in the Mercury instructions that the capsule stands
// for, and most of them are not in it: only nodes with a record of their own
// have a field there. All have one in the text that the finalizer writes.
//
// The numbers were found by asking nvlink with one record at each place.
type Node struct {
	Function string `json:"function"`
	At       uint64 `json:"at"`                // r_offset of its records
	Capsule  uint64 `json:"capsule,omitempty"` // byte of the capsule that a record patches, 0 for none
	Text     uint64 `json:"text"`              // the SASS instruction
	Bit      uint   `json:"bit,omitempty"`     // where its field begins: 32 an immediate, 38 an offset in a constant bank (16 bits), 0 no field
}

// module is one compiled program.
type module struct {
	name string
	data []byte
}

// Object returns the template's object as ptxas made it. The bytes are shared:
// callers must not change them.
func (t *Template) Object() []byte { return t.object.data }

// Modules returns the names of the programs whose objects are linked, in order.
func (t *Template) Modules() []string {
	if t.First == "" {
		return []string{t.Program}
	}
	return []string{t.First, t.Program}
}

// File returns the name of the cubin of one of a template's modules, below
// templates.
func (t *Template) File(module string) string {
	name := module
	for _, f := range t.Flags {
		name += f
	}
	return name + "-" + t.Arch + "-" + t.Ptxas + ".cubin"
}

// Manifest is templates/templates.json.
type Manifest struct {
	Tools     []Tool      `json:"tools"`
	Programs  []Program   `json:"programs"`
	Templates []*Template `json:"templates"`
}

// Tool is a release of NVIDIA's tools that made something here.
type Tool struct {
	Release string `json:"release"`
	Ptxas   string `json:"ptxas"`  // full version
	Nvlink  string `json:"nvlink"` // full version
	PTX     string `json:"ptx"`    // .version of the programs that this ptxas compiled
}

// Program says what the symbols of a program are.
type Program struct {
	Name    string            `json:"name"`
	Symbols map[string]string `json:"symbols"` // name → kind, see README.md
}

var loadManifest = sync.OnceValues(func() (*Manifest, error) {
	data, err := corpus.Relocs()
	if err != nil {
		return nil, err
	}
	return ReadManifest(data)
})

// ReadManifest reads the manifest and the objects below a corpus folder. An
// object that is missing is no error: it is nil, and regen makes it.
func ReadManifest(from fs.FS) (*Manifest, error) {
	text, err := fs.ReadFile(from, "templates/templates.json")
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("templates.json: %w", err)
	}
	for _, t := range m.Templates {
		for _, name := range t.Modules() {
			data, err := fs.ReadFile(from, "templates/"+t.File(name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if name == t.Program {
				t.object = module{name, data}
			} else {
				t.before = append(t.before, module{name, data})
			}
		}
	}
	return m, nil
}

// Templates returns the manifest, which is shared.
func Templates() (*Manifest, error) { return loadManifest() }

// Template returns the template of that name.
func (m *Manifest) Template(name string) (*Template, error) {
	for _, t := range m.Templates {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("no template %s", name)
}

// Kind returns what a symbol of a program is, "" where that is not said.
func (m *Manifest) Kind(program, symbol string) string {
	for _, p := range m.Programs {
		if p.Name == program {
			return p.Symbols[symbol]
		}
	}
	return ""
}

// Place is a section of a template that has bytes.
type Place struct {
	Name string
	Type cuda.SectionType
	Size uint64
	Rel  bool // there is a section of records of that form for it
	Rela bool
}

// Places lists the sections of a template's object in their order.
func (t *Template) Places() ([]Place, error) {
	f, err := read(t.object.data)
	if err != nil {
		return nil, err
	}
	var list []Place
	for i, p := range f.parts {
		if p.kind == 0 {
			continue
		}
		place := Place{Name: f.nameOf(p), Type: cuda.SectionType(p.kind), Size: p.size}
		for _, q := range f.parts {
			if isRecords(q.kind) && int(q.info) == i {
				place.Rel = place.Rel || q.kind == uint32(cuda.SHTRel)
				place.Rela = place.Rela || q.kind != uint32(cuda.SHTRel)
			}
		}
		list = append(list, place)
	}
	return list, nil
}

// RecordsOf lists the records of a template's object for a place.
func (t *Template) RecordsOf(place string) ([]Record, error) {
	f, err := read(t.object.data)
	if err != nil {
		return nil, err
	}
	_, index := f.find(place)
	return f.recordsOf(index, cuda.SHTRel, cuda.SHTRela, cuda.SHTMercRela), nil
}
