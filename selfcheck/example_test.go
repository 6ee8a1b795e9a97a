package selfcheck_test

import (
	"bytes"
	"fmt"
	"os"

	"github.com/twinlink/twinlink/selfcheck"
)

// Check an object of ptxas 13.0 for sm_100 as it is, and with one bit inverted: bit
// 28 of an instruction whose Mercury record is in the capsule.
func ExampleCheck() {
	data, err := os.ReadFile("../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := selfcheck.Check("a.cubin", data, selfcheck.Options{})
	fmt.Println(r.Verdict, r.Nodes.Reconstituted, "of", r.Nodes.Stored)

	// LDC R1, c[0x0][0x37c] is the first instruction of each kernel.
	first := bytes.Index(data, []byte{0x82, 0x7b, 0x01, 0xff, 0x00, 0xdf})
	data[first+3] ^= 0x10
	r = selfcheck.Check("a.cubin", data, selfcheck.Options{})
	fmt.Println(r.Verdict, "code", r.Code())
	for _, f := range r.Findings {
		fmt.Println(f.Section, f.Detail())
	}
	// Output:
	// pass 102 of 102
	// findings code 17
	// .text.k4 instruction of record 010b040a: expected 000e300000000800.0000df00ff017b82, found 000e300000000800.0000df00ef017b82
	// .text.k4 register in bits 24 to 31 of opcode b82: expected below 16, or RZ, found 239
}

// Reconstitute gives a damaged SASS side as the Mercury side has it.
func ExampleReconstitute() {
	data, err := os.ReadFile("../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin")
	if err != nil {
		fmt.Println(err)
		return
	}
	damaged := bytes.Clone(data)
	damaged[bytes.Index(data, []byte{0x82, 0x7b, 0x01, 0xff, 0x00, 0xdf})+3] ^= 0x10
	r, again, err := selfcheck.Reconstitute("a.cubin", damaged, selfcheck.Options{})
	fmt.Println(r.Verdict, bytes.Equal(again, data), err)
	// Output:
	// findings true <nil>
}
