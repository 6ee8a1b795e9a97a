package relocs

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSchema sees that schema.json knows the fields that the files have, and no
// others.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../testdata/relocs/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]object `json:"properties"`
		Items      *object           `json:"items"`
		Defs       map[string]object `json:"$defs"`
	}
	var schema object
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		is   object
		of   any
	}{
		{"file", schema, fileJSON{}},
		{"group", schema.Defs["group"], groupJSON{}},
		{"vector", schema.Defs["vector"], vectorJSON{}},
		{"record", *schema.Defs["records"].Items, recordJSON{}},
		{"edit", *schema.Defs["edits"].Items, Edit{}},
		{"result", schema.Defs["result"], resultJSON{}},
		{"change", *schema.Defs["result"].Properties["changed"].Items, runJSON{}},
	} {
		want := tags(reflect.TypeOf(c.of))
		var got []string
		for name := range c.is.Properties {
			got = append(got, name)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: schema.json has %v, the code %v", c.name, got, want)
		}
	}
}

// tags lists the JSON names of a struct's fields.
func tags(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, tags(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// TestReadme sees that README.md explains every flag as Flags does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../testdata/relocs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for flag, meaning := range Flags {
		if line := "| `" + flag + "` | " + meaning + " |"; !strings.Contains(string(text), line+"\n") {
			t.Errorf("README.md lacks %s", line)
		}
	}
}
