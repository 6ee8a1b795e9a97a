package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// SchemaVersion is the version of manifest.json this package reads.
const SchemaVersion = 1

// Manifest is the content of manifest.json.
type Manifest struct {
	Schema   int       `json:"schema"`
	Tools    []Tool    `json:"tools"`
	Programs []Program `json:"programs"`
}

// Tool says which build of a release made the files.
type Tool struct {
	Release string `json:"release"`
	Ptxas   string `json:"ptxas"`  // version line of ptxas
	Nvlink  string `json:"nvlink"` // version line of nvlink
}

// Program is one program: a folder of sources and the cases made of them.
type Program struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Reaches []string `json:"reaches"`
	Sources []string `json:"sources"`
	Cases   []Case   `json:"cases"`
}

// Case is one run of nvlink. Paths are relative to the program's folder.
type Case struct {
	Name    string   `json:"name"`
	Release string   `json:"release"`
	Arch    string   `json:"arch"`
	Inputs  []Input  `json:"inputs"`
	Args    []string `json:"args"`
	Exit    int      `json:"exit"`
	Output  string   `json:"output,omitempty"` // path of the linked cubin, if it is committed
	SHA256  string   `json:"sha256,omitempty"` // of the linked cubin; absent if nvlink wrote none
	Stderr  string   `json:"stderr,omitempty"` // path of what nvlink printed, if anything
}

// Input is one input of a run, under the name the arguments give it. Exactly one of Source, Case and Witness says
// where it comes from.
type Input struct {
	Name    string   `json:"name"`
	File    string   `json:"file,omitempty"`    // path, if it is committed
	Source  string   `json:"source,omitempty"`  // PTX file that ptxas compiled
	Release string   `json:"release,omitempty"` // of that ptxas, where it is not the case's
	Arch    string   `json:"arch,omitempty"`    // of that ptxas, where it is not the case's
	Flags   []string `json:"flags,omitempty"`   // of that ptxas, besides -c -arch
	Whole   bool     `json:"whole,omitempty"`   // compiled by that ptxas without -c
	Case    string   `json:"case,omitempty"`    // case of the same program whose output it is
	Witness string   `json:"witness,omitempty"` // file of NVIDIA's, e.g. "libcudadevrt.a/sm_90": the cubin of that archive
	SHA256  string   `json:"sha256,omitempty"`  // of a witness file
}

// Parse reads a manifest and refuses another schema or unknown fields.
func Parse(text []byte) (*Manifest, error) {
	m := new(Manifest)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	if m.Schema != SchemaVersion {
		return nil, fmt.Errorf("manifest.json: schema %d, want %d", m.Schema, SchemaVersion)
	}
	return m, nil
}

// Format writes the manifest with one line for every case, so that a change to one case is a change to one line.
func (m *Manifest) Format() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	line := func(indent, end string, v any) {
		out.WriteString(indent)
		_ = e.Encode(v) // of texts and numbers, which can't fail
		out.Truncate(out.Len() - 1)
		out.WriteString(end)
	}
	fmt.Fprintf(&out, "{\"schema\": %d,\n \"tools\": [\n", m.Schema)
	for i, t := range m.Tools {
		line("  ", comma(i, len(m.Tools)), t)
	}
	out.WriteString(" ],\n \"programs\": [\n")
	for i, p := range m.Programs {
		head := p
		head.Cases = nil
		line("  ", "", head)
		// The cases follow the other fields of the object just written.
		out.Truncate(bytes.LastIndex(out.Bytes(), []byte(`"cases":null}`)))
		out.WriteString("\"cases\": [\n")
		for j, c := range p.Cases {
			line("   ", comma(j, len(p.Cases)), c)
		}
		out.WriteString("  ]}" + comma(i, len(m.Programs)))
	}
	out.WriteString(" ]\n}\n")
	return out.Bytes()
}

func comma(i, n int) string {
	if i < n-1 {
		return ",\n"
	}
	return "\n"
}
