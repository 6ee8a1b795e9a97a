package manifest

import (
	"reflect"
	"strings"
	"testing"
)

// formatted has one line for each tool, program and case.
const formatted = `{"schema": 1,
 "tools": [
  {"release":"12.4","ptxas":"Build p","nvlink":"Build n"},
  {"release":"13.0","ptxas":"Build q","nvlink":"Build o"}
 ],
 "programs": [
  {"name":"one","about":"<about> & more","reaches":["call"],"sources":["a.ptx"],"cases": [
   {"name":"12.4-sm_80","release":"12.4","arch":"sm_80","inputs":[{"name":"a.cubin","file":"12.4-sm_80/a.cubin","source":"a.ptx","flags":["-g"]}],"args":["a.cubin"],"exit":0},
   {"name":"refused","release":"12.4","arch":"sm_80","inputs":[{"name":"r.cubin","case":"12.4-sm_80"}],"args":["r.cubin"],"exit":255,"stderr":"refused/stderr"}
  ]},
  {"name":"two","about":"","reaches":["empty"],"sources":["b.ptx"],"cases": [
  ]}
 ]
}
`

// TestRoundTrip wants Format and Parse to be inverse.
func TestRoundTrip(t *testing.T) {
	m := &Manifest{
		Schema: SchemaVersion,
		Tools:  []Tool{{Release: "12.4", Ptxas: "Build p", Nvlink: "Build n"}, {Release: "13.0", Ptxas: "Build q", Nvlink: "Build o"}},
		Programs: []Program{
			{Name: "one", About: "<about> & more", Reaches: []string{"call"}, Sources: []string{"a.ptx"}, Cases: []Case{
				{Name: "12.4-sm_80", Release: "12.4", Arch: "sm_80", Inputs: []Input{{Name: "a.cubin", File: "12.4-sm_80/a.cubin", Source: "a.ptx", Flags: []string{"-g"}}}, Args: []string{"a.cubin"}},
				{Name: "refused", Release: "12.4", Arch: "sm_80", Inputs: []Input{{Name: "r.cubin", Case: "12.4-sm_80"}}, Args: []string{"r.cubin"}, Exit: 255, Stderr: "refused/stderr"},
			}},
			{Name: "two", Reaches: []string{"empty"}, Sources: []string{"b.ptx"}},
		},
	}
	text := m.Format()
	if string(text) != formatted {
		t.Errorf("%s, want\n%s", text, formatted)
	}
	got, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	m.Programs[1].Cases = []Case{} // an empty list, not an absent one
	if !reflect.DeepEqual(got, m) {
		t.Errorf("%+v became %+v", m, got)
	}
}

// Every field has its key, and what is empty is omitted where it may be.
func TestKeys(t *testing.T) {
	m := &Manifest{Schema: 1, Tools: []Tool{}, Programs: []Program{{Cases: []Case{{
		Inputs: []Input{{Name: "n", File: "f", Source: "s", Release: "r", Arch: "a", Flags: []string{"g"}, Whole: true, Case: "c", Witness: "w", SHA256: "h"}, {}},
		Args:   []string{"<a>"}, Output: "o", SHA256: "i", Stderr: "e",
	}}}}}
	want := `{"schema": 1,
 "tools": [
 ],
 "programs": [
  {"name":"","about":"","reaches":null,"sources":null,"cases": [
   {"name":"","release":"","arch":"","inputs":[{"name":"n","file":"f","source":"s","release":"r","arch":"a","flags":["g"],"whole":true,"case":"c","witness":"w","sha256":"h"},{"name":""}],"args":["<a>"],"exit":0,"output":"o","sha256":"i","stderr":"e"}
  ]}
 ]
}
`
	if got := string(m.Format()); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	m.Programs[0].Cases = []Case{{}, {}}
	if got := string(m.Format()); !strings.Contains(got, "\"exit\":0},\n   {") || !strings.Contains(got, "\"exit\":0}\n  ]}\n ]\n}\n") {
		t.Errorf("%s", got)
	}
}

// TestParse wants a manifest of another make to be refused.
func TestParse(t *testing.T) {
	if _, err := Parse([]byte(`{"schema": 2}`)); err == nil || err.Error() != "manifest.json: schema 2, want 1" {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"", "{}", `{"schema": 2}`, `{"schema": 1, "surprise": 0}`} {
		if m, err := Parse([]byte(text)); err == nil || m != nil || !strings.HasPrefix(err.Error(), "manifest.json: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
