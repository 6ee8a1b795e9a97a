package relocs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Format writes a file of vectors in canonical form: what a whole group shares
// is written once, one vector is on one line, nothing is written that has
// its default value. Vectors are numbered within their group, from 1 on.
func Format(t *Template, groups []Group) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"$schema\": \"../schema.json\",\n\"template\": %q,\n\"groups\": [", t.Name)
	for i, g := range groups {
		if i > 0 {
			b.WriteString(",")
		}
		if err := formatGroup(&b, g); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
	}
	b.WriteString("\n]\n}\n")
	return b.Bytes(), nil
}

func formatGroup(b *bytes.Buffer, g Group) error {
	if len(g.Vectors) == 0 {
		return fmt.Errorf("empty group")
	}
	first := g.Vectors[0]
	head := groupJSON{Name: g.Name, About: g.About, Place: first.Place, Form: first.Form, Keep: first.Keep, Options: first.Options, Flags: g.Flags}
	var list []vectorJSON
	for i, v := range g.Vectors {
		if v.Place != head.Place || v.Form != head.Form || v.Keep != head.Keep || !slices.Equal(v.Options, head.Options) {
			return fmt.Errorf("vector %d is not of this group", i+1)
		}
		list = append(list, pack(v, i+1, g.Flags))
	}
	hoist(&head.common, list)
	head.Vectors = []vectorJSON{}
	text, err := marshal(head)
	if err != nil {
		return err
	}
	b.WriteString("\n")
	b.Write(bytes.TrimSuffix(text, []byte("]}")))
	for i, j := range list {
		text, err := marshal(j)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n ")
		b.Write(text)
	}
	b.WriteString("\n]}")
	return nil
}

// marshal is json.Marshal without its escapes for HTML.
func marshal(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func pack(v *Vector, n int, shared []string) vectorJSON {
	first := v.Records[0]
	j := vectorJSON{N: n, common: common{
		Edits: v.Edits, Symbol: &first.Symbol, Type: pointer(Number(first.Type)), At: pointer(Number(first.Offset)),
		Before: packOld(v.Before),
	}}
	if first.Addend != 0 {
		j.Addend = pointer(Signed(first.Addend))
	}
	if len(v.Records) > 1 {
		j.Records = packRecords(v.Records, first)
	}
	for _, f := range v.Flags {
		if !slices.Contains(shared, f) {
			j.Flags = append(j.Flags, f)
		}
	}
	for _, r := range v.Results {
		p := resultJSON{
			On: strings.Join(r.Releases, " "), Verdict: r.Verdict, Did: r.Did, Exit: r.Exit, Message: r.Message, Gone: r.Gone,
			After: r.After, Images: strings.Join(r.Images, " "),
			Kept: packRecords(r.Kept, first), Counterpart: packRecords(r.Counterpart, first), Saved: packRecords(r.Saved, first),
		}
		if p.Verdict == Valid {
			p.Verdict = ""
		}
		if p.Did == Linked {
			p.Did = ""
		}
		for _, c := range r.Changed {
			p.Changed = append(p.Changed, runJSON{c.Section, Number(c.Offset), c.Bytes})
		}
		j.Results = append(j.Results, p)
	}
	return j
}

func pointer[T any](x T) *T { return &x }

func packRecords(list []Record, first Record) (out []recordJSON) {
	for _, r := range list {
		j := recordJSON{Form: r.Form}
		if r.Type != first.Type {
			j.Type = pointer(Number(r.Type))
		}
		if r.Symbol != first.Symbol {
			j.Symbol = pointer(r.Symbol)
		}
		if r.Offset != first.Offset {
			j.At = pointer(Number(r.Offset))
		}
		if r.Addend != first.Addend {
			j.Addend = pointer(Signed(r.Addend))
		}
		out = append(out, j)
	}
	return out
}

// hoist moves what all vectors of a group share to the group.
func hoist(head *common, list []vectorJSON) {
	to := reflect.ValueOf(head).Elem()
	for i := range to.NumField() {
		value := reflect.ValueOf(list[0].common).Field(i)
		if value.IsNil() {
			continue
		}
		same := true
		for _, j := range list {
			same = same && reflect.DeepEqual(reflect.ValueOf(j.common).Field(i).Interface(), value.Interface())
		}
		if !same || len(list) == 1 {
			continue
		}
		to.Field(i).Set(value)
		for k := range list {
			field := reflect.ValueOf(&list[k].common).Elem().Field(i)
			field.Set(reflect.Zero(field.Type()))
		}
	}
}
