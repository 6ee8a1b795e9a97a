package capsule_test

import (
	"fmt"
	"os"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
)

// List the nodes of a function: where each is in SASS and in Mercury, and the
// tag of what the capsule keeps of it.
func ExampleOpen() {
	const name = "../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin"
	data, err := os.ReadFile(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := capsule.Open(f)
	fn := &m.Funcs[0]
	fmt.Println(len(m.Funcs), "functions;", fn.Name, "has", fn.Cap.SASSSize(), "bytes of SASS,", fn.Cap.MercSize, "of Mercury")
	for i := range fn.Cap.Nodes[:6] {
		n := &fn.Cap.Nodes[i]
		fmt.Printf("SASS %02x Mercury %02x %-6s %08x\n", n.SASS, n.Merc, n.Kind, fn.Cap.Tag(n))
	}
	// Output:
	// 5 functions; k4 has 640 bytes of SASS, 800 of Mercury
	// SASS 00 Mercury 00 stored 010b040a
	// SASS 10 Mercury 10 stored 02220e06
	// SASS 20 Mercury 30 stored 010b0e0a
	// SASS 30 Mercury 40 stored 02220e06
	// SASS 40 Mercury 60 stored 010b040a
	// SASS 50 Mercury 70 stored 010b060a
}

// Find the instruction that a Mercury offset names: line tables, symbols and
// relocations of the Mercury side count in such offsets.
func ExampleCapsule_AtMerc() {
	data := []byte{
		1, 0, 0, 0, // section index of the text
		1, 0, 0, 0xc0, // format 1
		3, 0, 0, 0, // nodes
		1, 0, 0, 0, // the first is PLAIN
		0x01, 0x0b, 0x04, 0x0a, 0xf8, 0, 0x04, 0, 0, 0, 0x41, 0, 0, 0x04, 0, 0, // a record of 16 bytes
		0xd0, 0x00, // a SKIP of one word
	}
	text := make([]byte, 3*capsule.WordSize)
	text[0], text[1] = 0x02, 0x78 // MOV with an immediate
	c, fault := capsule.Decode(data, uint64(len(text)))
	if fault != nil {
		fmt.Println(fault.Detail)
		return
	}
	fmt.Println("unknown sizes:", c.Locate(text))
	k := c.AtMerc(0x10)
	fmt.Printf("Mercury 10 is node %d, SASS %02x, %s\n", k, c.Nodes[k].SASS, c.Nodes[k].Kind)
	// Output:
	// unknown sizes: []
	// Mercury 10 is node 1, SASS 10, stored
}
