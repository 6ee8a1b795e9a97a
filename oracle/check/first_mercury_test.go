package check

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// Objects of ptxas 12.8.93 and 12.9.86, whose capsules are of an older form or say no version
// of Mercury, linked by nvlink 13.0.88 and 13.5.37.
func TestFirstMercury(t *testing.T) {
	read := func(name string) []byte {
		data, err := os.ReadFile("testdata/first/squares-" + name + ".cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, x := range []struct {
		compiler, linker string
		record           []byte // of the words that are PLAIN in the older form: CALL and RET
	}{
		{"12.8", "13.0", []byte{0x42, 0x0a, 0x02, 0x0e}},
		{"12.8", "13.5", []byte{0x42, 0x33, 0x00, 0x0e}},
		{"12.9", "13.0", []byte{0x42, 0x0a, 0x02, 0x0e}},
		{"12.9", "13.5", []byte{0x42, 0x33, 0x00, 0x0e}},
	} {
		in, out := []Input{{Name: "squares.cubin", Data: read(x.compiler)}}, read(x.compiler+"-"+x.linker)
		options := Options{Arch: "sm_100", Toolkit: x.linker}
		if v := Check(in, out, options); !v.Agrees() {
			t.Errorf("%s by %s: %s", x.compiler, x.linker, v)
		}
		wrong := bytes.Replace(out, x.record, []byte{x.record[0], x.record[1] + 2, x.record[2], x.record[3]}, 1)
		v := Check(in, wrong, options)
		if !slices.ContainsFunc(v.Findings, func(f Finding) bool { return f.Kind == CodeBytes }) {
			t.Errorf("%s by %s: another record is accepted: %s", x.compiler, x.linker, v)
		}
	}
}
