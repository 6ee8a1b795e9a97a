package relocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The files of the corpus. One file holds the vectors of one template, in
// groups; what all vectors of a group have in common occurs once, at the group.
// schema.json says the same in the language of JSON Schema.

// Group is a run of vectors that share their place and their form.
type Group struct {
	Name    string
	About   string // what the group is for
	Flags   []string
	Vectors []*Vector
}

type fileJSON struct {
	Schema   string      `json:"$schema"`
	Template string      `json:"template"`
	Groups   []groupJSON `json:"groups"`
}

type groupJSON struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Place   string   `json:"place"`
	Form    Form     `json:"form"`
	Keep    bool     `json:"keep,omitempty"`
	Options []string `json:"options,omitempty"`
	Flags   []string `json:"flags,omitempty"`
	common
	Vectors []vectorJSON `json:"vectors"`
}

// common is what is at the group where all of its vectors agree, and at the
// vector else.
type common struct {
	Edits  []Edit  `json:"edits,omitempty"`
	Symbol *string `json:"symbol,omitempty"`
	Type   *Number `json:"type,omitempty"`
	At     *Number `json:"at,omitempty"`
	Addend *Signed `json:"addend,omitempty"`
	Before Hex     `json:"before,omitempty"`
}

type vectorJSON struct {
	N int `json:"n"`
	common
	Records []recordJSON `json:"records,omitempty"` // two or more
	Flags   []string     `json:"flags,omitempty"`   // besides the group's
	Results []resultJSON `json:"results"`
}

// recordJSON omits what is as in the vector's first record.
type recordJSON struct {
	Type   *Number `json:"type,omitempty"`
	Symbol *string `json:"symbol,omitempty"`
	At     *Number `json:"at,omitempty"`
	Addend *Signed `json:"addend,omitempty"`
	Form   Form    `json:"form,omitempty"` // of a kept record that is not the vector's
}

type resultJSON struct {
	On          string       `json:"on"`
	Verdict     Verdict      `json:"verdict,omitempty"` // valid
	Did         Did          `json:"did,omitempty"`     // linked
	Exit        int          `json:"exit,omitempty"`
	Message     string       `json:"message,omitempty"`
	Gone        bool         `json:"gone,omitempty"`
	After       Hex          `json:"after,omitempty"`
	Changed     []runJSON    `json:"changed,omitempty"`
	Kept        []recordJSON `json:"kept,omitempty"`
	Counterpart []recordJSON `json:"twin,omitempty"`
	Saved       []recordJSON `json:"saved,omitempty"`
	Images      string       `json:"images,omitempty"`
}

type runJSON struct {
	Section string `json:"section,omitempty"`
	At      Number `json:"at"`
	Bytes   Hex    `json:"bytes"`
}

// oldLength is how many bytes a vector's old content has at least: the widest
// field is an instruction of 16 bytes. Shorter text is repeated.
const oldLength = 16

// packOld shortens old content to the text that is repeated.
func packOld(b []byte) Hex {
	for n := 1; n < len(b); n *= 2 {
		if len(b) == oldLength && bytes.Equal(bytes.Repeat(b[:n], oldLength/n), b) {
			return Hex(b[:n])
		}
	}
	return Hex(b)
}

func unpackOld(h Hex) []byte {
	if len(h) == 0 || oldLength%len(h) != 0 {
		return h
	}
	return bytes.Repeat(h, oldLength/len(h))
}

// Parse reads a file of vectors for a template of the manifest.
func Parse(m *Manifest, text []byte) (*Template, []Group, error) {
	var f fileJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, nil, err
	}
	t, err := m.Template(f.Template)
	if err != nil {
		return nil, nil, err
	}
	var groups []Group
	for _, g := range f.Groups {
		group := Group{Name: g.Name, About: g.About, Flags: g.Flags}
		for _, j := range g.Vectors {
			v, err := unpack(t, &g, &j)
			if err != nil {
				return nil, nil, fmt.Errorf("%s/%d: %w", g.Name, j.N, err)
			}
			group.Vectors = append(group.Vectors, v)
		}
		groups = append(groups, group)
	}
	return t, groups, nil
}

func either[T any](a, b *T) (value T) {
	switch {
	case a != nil:
		return *a
	case b != nil:
		return *b
	}
	return value
}

func unpack(t *Template, g *groupJSON, j *vectorJSON) (*Vector, error) {
	v := &Vector{
		ID: fmt.Sprintf("%s/%s/%d", t.Name, g.Name, j.N), Template: t, Place: g.Place, Form: g.Form, Options: g.Options,
		Keep: g.Keep, Edits: g.Edits, Before: unpackOld(g.Before),
		Flags: slices.Concat(g.Flags, j.Flags),
	}
	if j.Edits != nil {
		v.Edits = j.Edits
	}
	if j.Before != nil {
		v.Before = unpackOld(j.Before)
	}
	first := Record{
		Offset: uint64(either(j.At, g.At)), Type: uint32(either(j.Type, g.Type)),
		Symbol: either(j.Symbol, g.Symbol), Addend: int64(either(j.Addend, g.Addend)),
	}
	v.Records = []Record{first}
	if j.Records != nil {
		v.Records = unpackRecords(j.Records, first)
	}
	for _, r := range j.Results {
		result := Result{
			Releases: strings.Fields(r.On), Verdict: r.Verdict, Did: r.Did, Exit: r.Exit, Message: r.Message, Gone: r.Gone,
			After: r.After, Images: strings.Fields(r.Images),
			Kept: unpackRecords(r.Kept, v.Records[0]), Counterpart: unpackRecords(r.Counterpart, v.Records[0]), Saved: unpackRecords(r.Saved, v.Records[0]),
		}
		if result.Verdict == "" {
			result.Verdict = Valid
		}
		if result.Did == "" {
			result.Did = Linked
		}
		for _, c := range r.Changed {
			result.Changed = append(result.Changed, Run{c.Section, uint64(c.At), c.Bytes})
		}
		v.Results = append(v.Results, result)
	}
	return v, nil
}

func unpackRecords(list []recordJSON, first Record) (out []Record) {
	for _, j := range list {
		r := first
		if j.Type != nil {
			r.Type = uint32(*j.Type)
		}
		if j.Symbol != nil {
			r.Symbol = *j.Symbol
		}
		if j.At != nil {
			r.Offset = uint64(*j.At)
		}
		if j.Addend != nil {
			r.Addend = int64(*j.Addend)
		}
		r.Form = j.Form
		out = append(out, r)
	}
	return out
}
