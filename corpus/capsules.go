package corpus

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

//go:embed testdata/capsules/manifest.json
var capsuleText []byte

//go:embed testdata/capsules/capsules.zip
var capsuleArchive []byte

// Capsule is a device object for sm_100 or up and how it was made: by ptxas of one source, or by
// nvlink of other objects.
type Capsule struct {
	Name     string   `json:"name"`
	Release  string   `json:"release"`            // of the tool: "13.0"
	Arch     string   `json:"arch"`               // "sm_100a"
	Source   string   `json:"source,omitempty"`   // path of the PTX in the repository's folder corpus/testdata
	Objects  []string `json:"objects,omitempty"`  // linked: names of other cubins, in order
	Flags    []string `json:"flags"`              // of ptxas or nvlink, -arch and files omitted
	Features []string `json:"features,omitempty"` // what the source uses
	SHA256   string   `json:"sha256"`
}

// Linked reports whether nvlink wrote the file.
func (c *Capsule) Linked() bool { return c.Source == "" }

// Data returns the file's bytes, a copy.
func (c *Capsule) Data() ([]byte, error) {
	z, err := openCapsules()
	if err != nil {
		return nil, err
	}
	return z.read(c.Name + ".cubin")
}

// CapsuleManifest is testdata/capsules/manifest.json.
type CapsuleManifest struct {
	Schema int               `json:"schema"`
	Tools  map[string]string `json:"tools"` // build line of ptxas by release
	Cubins []Capsule         `json:"cubins"`
}

// ParseCapsules parses a CapsuleManifest.
func ParseCapsules(text []byte) (*CapsuleManifest, error) {
	m := &CapsuleManifest{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("corpus/testdata/capsules/manifest.json: %w", err)
	}
	return m, nil
}

// CommittedCapsules returns the manifest that this program carries.
func CommittedCapsules() (*CapsuleManifest, error) { return ParseCapsules(capsuleText) }

// Capsules returns the objects, in the manifest's order.
func Capsules() ([]Capsule, error) {
	m, err := CommittedCapsules()
	if err != nil {
		return nil, err
	}
	return m.Cubins, nil
}

// box is an opened archive.
type box struct{ byName map[string]*zip.File }

var (
	capsuleOnce sync.Once
	capsuleBox  *box
	capsuleErr  error
)

func openCapsules() (*box, error) {
	capsuleOnce.Do(func() { capsuleBox, capsuleErr = openBox(capsuleArchive) })
	return capsuleBox, capsuleErr
}

func openBox(archive []byte) (*box, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	b := &box{byName: map[string]*zip.File{}}
	for _, f := range z.File {
		b.byName[f.Name] = f
	}
	return b, nil
}

func (b *box) read(name string) ([]byte, error) {
	f := b.byName[name]
	if f == nil {
		return nil, fmt.Errorf("corpus: no %s in the archive", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
