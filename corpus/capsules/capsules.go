package capsules

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

//go:embed manifest.json
var manifestText []byte

//go:embed capsules.zip
var archive []byte

// Cubin is a device object and how it was made: by ptxas of one source, or by
// nvlink of other objects.
type Cubin struct {
	Name     string   `json:"name"`
	Release  string   `json:"release"`            // of the tool: "13.0"
	Arch     string   `json:"arch"`               // "sm_100a"
	Source   string   `json:"source,omitempty"`   // path of the PTX in the repository's folder corpus
	Objects  []string `json:"objects,omitempty"`  // linked: names of other cubins, in order
	Flags    []string `json:"flags"`              // of ptxas or nvlink, -arch and files left out
	Features []string `json:"features,omitempty"` // what the source uses
	SHA256   string   `json:"sha256"`
}

// Linked reports whether nvlink wrote the file.
func (c *Cubin) Linked() bool { return c.Source == "" }

// Data returns the file's bytes, a copy.
func (c *Cubin) Data() ([]byte, error) {
	z, err := files()
	if err != nil {
		return nil, err
	}
	return z.read(c.Name + ".cubin")
}

// Manifest is manifest.json.
type Manifest struct {
	Schema int               `json:"schema"`
	Tools  map[string]string `json:"tools"` // build line of ptxas by release
	Cubins []Cubin           `json:"cubins"`
}

// ParseManifest parses manifest.json.
func ParseManifest(text []byte) (*Manifest, error) {
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("corpus/capsules/manifest.json: %w", err)
	}
	return m, nil
}

// Committed returns the manifest that this program carries.
func Committed() (*Manifest, error) { return ParseManifest(manifestText) }

// Cubins returns the objects.
func Cubins() ([]Cubin, error) {
	m, err := Committed()
	if err != nil {
		return nil, err
	}
	return m.Cubins, nil
}

// box is an opened archive.
type box struct{ byName map[string]*zip.File }

var files = sync.OnceValues(func() (*box, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	b := &box{byName: map[string]*zip.File{}}
	for _, f := range z.File {
		b.byName[f.Name] = f
	}
	return b, nil
})

func (b *box) read(name string) ([]byte, error) {
	f := b.byName[name]
	if f == nil {
		return nil, fmt.Errorf("corpus/capsules: no %s in the archive", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
