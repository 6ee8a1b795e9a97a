package corpus

import (
	"bytes"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

//go:embed testdata/capsules/mutants.json
var mutantsText []byte

// Mutant is an edited object and what nvlink did when it had to link it alone.
type Mutant struct {
	Name    string                  `json:"name"`
	Base    string                  `json:"base"` // the cubin that was edited
	Kind    string                  `json:"kind"` // what was edited, in a word or two
	Section string                  `json:"section,omitempty"`
	Edits   []MutantEdit            `json:"edits"`
	Results map[string]MutantResult `json:"results"` // by release of nvlink
}

// MutantEdit puts bytes in the place of others.
type MutantEdit struct {
	Offset uint64 `json:"offset"` // in the file
	Data   string `json:"data"`   // hexadecimal
}

// MutantResult is how a run of nvlink ended.
type MutantResult struct {
	Outcome string `json:"outcome"`          // success, refused, crashed, hung, silent
	Exit    int    `json:"exit"`             // -1 where a signal ended it
	Signal  int    `json:"signal,omitempty"` // number of the signal
	Message string `json:"message,omitempty"`
	// Output is what the run left: "same" as for the unedited object, "changed",
	// "empty", "none".
	Output string `json:"output"`
	SHA256 string `json:"sha256,omitempty"` // of a changed output
	// Unsteady: a second run ended otherwise; the rest is of the first.
	Unsteady bool `json:"unsteady,omitempty"`
}

// MutantManifest is mutants.json.
type MutantManifest struct {
	Schema  int               `json:"schema"`
	Tools   map[string]string `json:"tools"`
	Mutants []Mutant          `json:"mutants"`
}

// Mutants returns the mutants.
func Mutants() ([]Mutant, error) {
	m := &MutantManifest{}
	d := json.NewDecoder(bytes.NewReader(mutantsText))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("corpus/testdata/capsules/mutants.json: %w", err)
	}
	return m.Mutants, nil
}

// Data returns the mutant's bytes, a copy.
func (m *Mutant) Data() ([]byte, error) {
	z, err := openCapsules()
	if err != nil {
		return nil, err
	}
	data, err := z.read(m.Base + ".cubin")
	if err != nil {
		return nil, err
	}
	return m.Apply(data)
}

// Apply edits the bytes of the base in place.
func (m *Mutant) Apply(data []byte) ([]byte, error) {
	for _, e := range m.Edits {
		b, err := hex.DecodeString(e.Data)
		if err != nil || e.Offset > uint64(len(data)) || uint64(len(b)) > uint64(len(data))-e.Offset {
			return nil, fmt.Errorf("corpus: mutant %s: an edit of %d bytes at %d doesn't fit", m.Name, len(b), e.Offset)
		}
		copy(data[e.Offset:], b)
	}
	return data, nil
}
