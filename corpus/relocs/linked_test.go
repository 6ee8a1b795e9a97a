package relocs_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/internal/expect"
	"github.com/twinlink/twinlink/corpus/relocs"
	"github.com/twinlink/twinlink/internal/vectorlink"
)

// some are vectors of all files, one of each so many, and all with edits or of several records.
func some(each int) (list []*relocs.Vector) {
	n, special := 0, 0
	for v := range relocs.Vectors() {
		if len(v.Edits) > 0 || len(v.Records) > 1 || v.Keep {
			if special++; special%7 == 0 {
				list = append(list, v)
			}
		} else if n++; n%each == 0 {
			list = append(list, v)
		}
	}
	return list
}

// The inputs that are built are those that nvlink answered about: what the rules of the oracle make of their facts is what
// nvlink did, and images that the engine links of them have nvlink's checksum.
func TestInputs(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadFile("../../internal/verify/testdata/open.tsv") // where the engine is known to differ
	if err != nil {
		t.Fatal(err)
	}
	images, refusals := 0, 0
	for _, v := range some(60) {
		inputs, err := v.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		c, err := expect.New(m, v, inputs)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range v.Releases() {
			want, ok := v.Result(release)
			if !ok {
				t.Fatalf("%s: nothing of %s", v.ID, release)
			}
			if err := c.Check(release, want); err != nil && !errors.As(err, new(*expect.Unknown)) {
				t.Errorf("%s, nvlink %s: %v", v.ID, release, err)
			}
		}
		release := v.Releases()[len(v.Releases())-1]
		if bytes.Contains(open, []byte(v.ID+"\t"+release+"\t")) {
			continue
		}
		answer := vectorlink.Link(v, release, inputs)
		if err := v.Compare(release, inputs, answer); err != nil {
			t.Errorf("%v", err)
			continue
		}
		if answer.Image == nil {
			refusals++
			continue
		}
		if images++; images%3 == 0 {
			told(t, v, release, inputs, answer)
		}
	}
	if images < 50 || refusals < 20 {
		t.Errorf("%d images, %d refusals", images, refusals)
	}
}

// told sees that an image is told from ones that differ: by a bit of the place, a bit elsewhere, and by what a result says.
func told(t *testing.T, v *relocs.Vector, release string, inputs []relocs.Input, answer relocs.Answer) {
	t.Helper()
	want, _ := v.Result(release)
	seen, err := v.Observe(inputs, answer.Image)
	if err != nil {
		t.Errorf("%s: %v", v.ID, err)
		return
	}
	if want.Verdict != relocs.Valid {
		return
	}
	what := func(image []byte) string {
		err := v.Compare(release, inputs, relocs.Answer{Image: image})
		var d *relocs.Difference
		if errors.As(err, &d) {
			return d.What
		}
		return "nothing"
	}
	last := bytes.Clone(answer.Image)
	last[len(last)-1] ^= 1 // of a program header
	if got := what(last); got != "checksum" {
		t.Errorf("%s: a bit behind everything: %s", v.ID, got)
	}
	place := v.Section(inputs, seen)
	at := bytes.Index(answer.Image, place)
	if seen.Gone || len(place) < 48 || bytes.Count(answer.Image, place) != 1 || strings.HasPrefix(v.Place, ".nv.capmerc") {
		return
	}
	for _, off := range []int{int(v.Records[0].Offset) % len(place), len(place) - 1} {
		other := bytes.Clone(answer.Image)
		other[at+off] ^= 0x80
		if got := what(other); got != "place" && got != "changes" {
			t.Errorf("%s: a bit at %d of the place: %s", v.ID, off, got)
		}
	}
	if name := relocs.CounterpartOf(v.Place); name != "" && relocs.Section(inputs, name) != nil {
		if text := v.Text(inputs, seen); !bytes.Contains(answer.Image, text) {
			t.Errorf("%s: %s of the image is not %x", v.ID, name, text)
		}
	}
}

// Each part of a result makes it another one.
func TestSame(t *testing.T) {
	full := func() relocs.Result {
		return relocs.Result{Verdict: relocs.Valid, Did: relocs.Linked, Exit: 1, Message: "m", After: []byte{1}, Changed: []relocs.Run{{Section: "s", Offset: 2, Bytes: []byte{3}}},
			Kept: []relocs.Record{{Offset: 1}}, Counterpart: []relocs.Record{{Offset: 2}}, Saved: []relocs.Record{{Offset: 3}}}
	}
	if a := full(); !a.Same(full()) {
		t.Error("a result is not itself")
	}
	for i, change := range []func(*relocs.Result){
		func(r *relocs.Result) { r.Verdict = relocs.Acceptable }, func(r *relocs.Result) { r.Did = relocs.Hung }, func(r *relocs.Result) { r.Exit = 2 }, func(r *relocs.Result) { r.Message = "" },
		func(r *relocs.Result) { r.Gone = true }, func(r *relocs.Result) { r.After = nil }, func(r *relocs.Result) { r.Changed = nil }, func(r *relocs.Result) { r.Changed[0].Section = "" },
		func(r *relocs.Result) { r.Changed[0].Offset = 0 }, func(r *relocs.Result) { r.Changed[0].Bytes[0] = 0 }, func(r *relocs.Result) { r.Kept = nil }, func(r *relocs.Result) { r.Counterpart = nil }, func(r *relocs.Result) { r.Saved[0].Addend = 1 },
	} {
		r := full()
		change(&r)
		if r.Same(full()) || full().Same(r) {
			t.Errorf("change %d is none", i)
		}
	}
	r := full()
	r.Releases, r.Images = []string{"1.0"}, []string{"x"}
	if !r.Same(full()) {
		t.Error("releases and checksums are no part of what happened")
	}
}

// An answer that is refused must say why; one of a class must be readable.
func TestClasses(t *testing.T) {
	for v := range relocs.Vectors() {
		r := v.Results[0]
		if r.Verdict != relocs.Acceptable || r.Did == relocs.Linked {
			continue
		}
		inputs, err := v.Inputs()
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			a  relocs.Answer
			ok bool
		}{
			{relocs.Answer{Exit: 1, Message: "no"}, true}, {relocs.Answer{Exit: 0, Message: "no"}, false}, {relocs.Answer{Exit: 1}, false},
			{relocs.Answer{Image: []byte("no image")}, false}, {relocs.Answer{Image: inputs[len(inputs)-1].Data}, true},
		} {
			if err := v.Compare(r.Releases[0], inputs, c.a); (err == nil) != c.ok {
				t.Errorf("answer %d: %v", i, err)
			}
		}
		return
	}
	t.Error("no such vector")
}

// Inputs can't be built of what isn't there.
func TestBadVectors(t *testing.T) {
	m, err := relocs.Templates()
	if err != nil {
		t.Fatal(err)
	}
	template := m.Templates[slices.IndexFunc(m.Templates, func(x *relocs.Template) bool { return x.First == "" })]
	places, err := template.Places()
	if err != nil {
		t.Fatal(err)
	}
	place := ""
	for _, p := range places {
		if p.Rela {
			place = p.Name
		}
	}
	good := func() *relocs.Vector {
		return &relocs.Vector{ID: "id", Template: template, Place: place, Form: relocs.RELA, Records: []relocs.Record{{Symbol: "#1"}}}
	}
	if inputs, err := good().Inputs(); err != nil || len(inputs) != 1 || inputs[0].Name != template.Program+".cubin" {
		t.Fatalf("%d, %v", len(inputs), err)
	}
	for want, change := range map[string]func(*relocs.Vector){
		"id: no section .none": func(v *relocs.Vector) { v.Place = ".none" }, "id: no records": func(v *relocs.Vector) { v.Records = nil },
		"id: no symbol none": func(v *relocs.Vector) { v.Records[0].Symbol = "none" }, "id: no symbol x to edit": func(v *relocs.Vector) { v.Edits = []relocs.Edit{{Symbol: "x", Set: "value"}} },
	} {
		v := good()
		change(v)
		if inputs, err := v.Inputs(); err == nil || err.Error() != want || inputs != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
