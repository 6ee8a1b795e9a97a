package model

import (
	"github.com/twinlink/twinlink/cubin"
)

// Body is the content of a section as typed values.
type Body interface {
	// Form names the kind of content: "capsule", "attributes", "bytes".
	Form() string
	// Append appends the content's bytes.
	Append(b []byte) []byte
}

// Section is a section of a Model.
type Section struct {
	Name   string
	Body   Body // nil where the section has no bytes, or those of Counterpart
	Shares int  // the section whose stretch of the file this one shares, or its own number
}

// Model is a decoded file.
type Model struct {
	Sections []Section // the null section first

	draft *cubin.Editor
}

// Decode decodes a file. What isn't of the form that its section's type asks
// for is a *cubin.Error.
func Decode(name string, data []byte) (*Model, error) {
	draft, err := cubin.Decode(name, data)
	if err != nil {
		return nil, err
	}
	m := &Model{Sections: make([]Section, draft.NumSections()), draft: draft}
	for i := 1; i < len(m.Sections); i++ {
		s := &m.Sections[i]
		s.Name, s.Shares = draft.SectionName(i), draft.SharesWith(i)
		if draft.Part(i).NoBits() || s.Shares != i {
			continue
		}
		if s.Body, err = m.decodeBody(i); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Part returns the header of section i, which may be changed; its offset and
// size follow from the bodies.
func (m *Model) Part(i int) *cubin.Section {
	if p := m.draft.Part(i); p != nil {
		return &p.Section
	}
	return nil
}

// Encode writes the file. Where the size of a body changed, all sections get
// new places by the rule of the tools.
func (m *Model) Encode() ([]byte, error) {
	resized := false
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Body == nil {
			continue
		}
		old := len(m.draft.Data(i))
		b := s.Body.Append(make([]byte, 0, old))
		resized = resized || len(b) != old
		if err := m.draft.SetData(i, b); err != nil {
			return nil, err
		}
	}
	if resized {
		if err := m.draft.Layout(); err != nil {
			return nil, err
		}
	}
	return m.draft.Encode()
}
