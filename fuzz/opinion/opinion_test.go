package opinion

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/oracle/check"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../internal/dump/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sound(t *testing.T) *reduce.Case {
	t.Helper()
	return &reduce.Case{Release: "13.0", Options: []string{"-arch=sm_90"}, Inputs: []reduce.File{{Name: "a.cubin", Data: read(t, "13.0-sm_90-a.cubin")}, {Name: "b.cubin", Data: read(t, "13.0-sm_90-b.cubin")}}}
}

// Each option that the oracle is given, and no other.
func TestCheckOptions(t *testing.T) {
	for _, c := range []struct {
		args string
		want check.Options
	}{
		{"", check.Options{}}, {"-arch=sm_90a", check.Options{Arch: "sm_90a"}}, {"-g", check.Options{Debug: true}}, {"-r", check.Options{Relocatable: true}},
		{"--preserve-relocs", check.Options{PreserveRelocs: true}}, {"--force-rela", check.Options{ForceRela: true}}, {"--reserve-null-pointer", check.Options{ReserveNull: true}},
		{"--disable-smem-reservation", check.Options{NoReserved: true}}, {"--disable-smem-reservation=true", check.Options{NoReserved: true}}, {"-suppress-debug-info", check.Options{SuppressDebug: true}},
		{"-kernels-used=a,b -kernels-used=c", check.Options{KernelsUsed: []string{"a", "b", "c"}}}, {"-variables-used=v,w=x", check.Options{VariablesUsed: []string{"v", "w=x"}}},
		{"-v --dump-callgraph -x", check.Options{}},
	} {
		c.want.Toolkit = "13.0"
		if got := CheckOptions("13.0", strings.Fields(c.args)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.args, got, c.want)
		}
	}
}

// Without NVIDIA's tools: what engine and oracle say of sound inputs, of a refused command line, and of an image that isn't
// the inputs'.
func TestWithoutTools(t *testing.T) {
	var none Opinions
	c := sound(t)
	if got := none.Key(t.Context(), c); got != "" {
		t.Errorf("sound inputs: %q", got)
	}
	image, text, err := engineOf(c)
	if err != nil || text != "" || image == nil {
		t.Fatalf("%q, %v", text, err)
	}
	traces := none.Traces(t.Context(), c)
	var names []string
	for _, x := range traces {
		names = append(names, x.Witness)
	}
	if strings.Join(names, " ") != "link engine oracle nvlink" || traces[0].Text != "nvlink 13.0 "+strings.Join(c.Args(), " ") ||
		traces[1].Text != imageText(image) || traces[3].Text != "release 13.0 is not installed" {
		t.Errorf("%+v", traces)
	}
	if got, want := imageText([]byte("abc")), "image of 3 bytes, SHA-256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("%s", got)
	}
	if got := Oracle(c, image); got != "accepts" {
		t.Errorf("the engine's image: %s", got)
	}
	wrong := bytes.Clone(image)
	for i := range wrong[0x900:0x904] {
		wrong[len(wrong)/2+i] ^= 0x55
	}
	if got := Oracle(c, wrong); !strings.HasPrefix(got, "rejects ") {
		t.Errorf("another image: %s", got)
	}
	if got := Oracle(c, []byte("nothing")); !strings.HasPrefix(got, "rejects ") {
		t.Errorf("no image: %s", got)
	}
	c.Options = append(c.Options, "--no-such-option")
	image, text, err = engineOf(c)
	if image != nil || text == "" || err != nil || none.Key(t.Context(), c) != "" {
		t.Errorf("a refused option: %q, %v", text, err)
	}
	if traces := none.Traces(t.Context(), c); len(traces) != 3 || traces[1].Text != text || traces[2].Witness != "nvlink" {
		t.Errorf("%+v", traces)
	}
	c = sound(t)
	c.Inputs[1].Data = []byte("nothing")
	if image, text, err = engineOf(c); image != nil || text == "" || err != nil {
		t.Errorf("a refused input: %q, %v", text, err)
	}
	c.Release = "1.0"
	if got, want := none.Key(t.Context(), c), `engine: release "1.0" is not known`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if traces := none.Traces(t.Context(), c); len(traces) != 3 || traces[1].Text != `release "1.0" is not known` {
		t.Errorf("%+v", traces)
	}
}

// Keys have no names and no numbers.
func TestGeneral(t *testing.T) {
	for text, want := range map[string]string{
		"": "", " one\ntwo": "one", "size of 'k' is 0x1f, not 12 in a.cubin": "size of _ is _, not _ in _", "it's": "it's",
	} {
		if got := general(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	image := read(t, "13.0-sm_90-linked.cubin")
	change := func(list ...int) []byte {
		b := bytes.Clone(image)
		for i := 0; i < len(list); i += 2 {
			b[list[i]] = byte(list[i+1])
		}
		return b
	}
	for want, other := range map[string][]byte{
		"header flags": change(48, 2), "symbol value": change(48, 2, 0x420+6*24+8, 8), "text _": change(0xe80+0x31, 0x77), "file bytes": change(0xe80-1, 1), "bytes": []byte("x"),
	} {
		if got := firstDifference(image, other); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := firstDifference(image, image); got != "bytes" {
		t.Errorf("%q", got)
	}
}

func TestCause(t *testing.T) {
	v := func(kinds ...check.Kind) *check.Verdict {
		v := &check.Verdict{}
		for _, k := range kinds {
			v.Findings = append(v.Findings, check.Finding{Kind: k})
		}
		return v
	}
	for i, c := range []struct {
		v    *check.Verdict
		want check.Kind
	}{
		{v(check.CodeBytes, check.SharedPlace), check.SharedPlace}, {v(check.CodeBytes, check.SharedPlace, check.PointerMissing), check.PointerMissing}, {v(check.CodeBytes), check.CodeBytes},
	} {
		if got := Cause(c.v); got != c.want {
			t.Error(fmt.Sprint(i), got, c.want)
		}
	}
}
