package selfcheck

import (
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/capsule"
)

// A vote after WARPSYNC.COLLECTIVE and a UIADD3 of the finalizer after it, as ptxas 12.9.86 made them
// in Liger CuTe kernels 0.8.5 but for the target, which may be after that, where it is a SKIP, and nowhere else.
func TestBehindSkips(t *testing.T) {
	words := []Word{{Lo: 0x0f007348, Hi: 0x038fea0003c00000}, {Lo: 0x0000000000ff7806, Hi: 0x000fe200028c0000}, {Lo: 0x791b, Hi: 0x000ff60003800000},
		{Lo: 0x000000fffffff290, Hi: 0x000fe2000fffe0ff}, {Lo: 0x7941, Hi: 0x000fea0003800000}}
	vote := append([]byte{3<<7&0xff | 0x51, 3 >> 1}, "\x02\x4c\x0e\x06\xf8\x00\x20\x00\x00\x00\x00\xc1\xff\x01\x30\x00\x28\x00\xc0\x03\x02"...)
	vote = append(vote, make([]byte, 2+32-len(vote))...)
	for _, x := range []struct {
		name   string
		skip   bool
		target uint64 // in words from the vote on
		want   bool
	}{
		{"end of the record's words", true, 3, true},
		{"behind the SKIP", true, 4, true},
		{"behind what is no SKIP", false, 4, false},
		{"behind the code", true, 5, false},
		{"in front of the end", true, 2, false},
	} {
		nodes, bitmap := []byte(nil), uint32(0b110)
		if x.skip {
			nodes, bitmap = []byte{1<<7 | 0x50, 0}, 0b100
		}
		data := []byte{4: 1, 7: 0xc0, 8: 3, 11: 0}
		data = append(append(binary.LittleEndian.AppendUint32(data, bitmap), vote...), nodes...)
		code := make([]byte, 0, 5*capsule.WordSize)
		first := words[0]
		first.Lo |= (x.target - 1) * capsule.WordSize / 4 << 16
		for _, w := range append([]Word{first}, words[1:]...) {
			code = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(code, w.Lo), w.Hi)
		}
		c, _, fault := capsule.DecodeLocated(data, code)
		if fault != nil {
			t.Fatal(fault)
		}
		made := words[0]
		made.Lo |= 2 * capsule.WordSize / 4 << 16
		want := []Word{made}
		behindSkips(&capsule.Func{Cap: c, Code: code}, &c.Nodes[0], want, []Word{first})
		if got := want[0] == first; got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}
