package selfcheck

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/mercury"
)

// A tag-only node is the tag of a record whose other bytes SASS tells. Its tag and the
// opcode of its word go together: of every tag one opcode was seen, bits 0 to 11
// of the word, in 1.5 million tag-only nodes of 2,712 objects and images, and always in one
// word. Tags seen once are omitted.
//
// Source: ptxas and nvlink 13.0.88 and 13.5.37, libraries built with 13.0 and 13.4; 57 tags
// from mercury/ptx by ptxas 12.8.93 and 12.9.86.
const miniTable = `
	4100000a 211  41000e0a 202  4100100a c82  4101000a 21b  4105000a 942  4108040c 945  4109000a 941  4109040a 941
	410b200a 202  410b240a c02  410b280a c82  410c0c04 297  410c140a 221  410c260a 230  410c4004 235  410c4404 c35
	410c5004 235  410c5404 c35  410e000c 98f  410e020c 98f  410e040a 3bc  410e140c 98f  410e160c 98f  410e180c 98f
	410e1a0c 990  410e1e0a 9b9  410f3a0a 256  41105c0a 253  4110720a 20c  4110760a c0c  41107a0a 28c  4112040b 239
	4112080b c39  41120e0a 304  41122445 311  41122a45 311  4112460a d12  4112480a 306  4112500c 906  41128e0b 25a
	4112940a 310  4112940d 85a  4112960a d10  4112b20b 25e  4112b80a 312  4112bc0a 312  4112c00a 312  4112c40a 312
	4112cc0c 912  4112ec45 25c  4113020a 2a5  41172e0a 24a  41191004 607  41191404 e07  41191804 c87  41191c04 251
	411a080a 20a  411b380a 819  411f0204 c26  411f0404 226  411f0604 c26  4123020a 9b7  41271004 292  41281004 292
	412c020a 35d  412e0016 801  41300404 e16  4139080a 819  41390a0a 899  41390c0a 819  4139140a 816  4139160a 896
	41410604 20f  4144003c 84c  41471216 b1d  41476e0a 948  4147700a 348  4147760a 948  4147780a 348  4149060a 3c6
	414a000a 3a1  414c020a 886  415d000a 806  4162020a 82d  4163080a 9e3  41632c44 3e9  41635a0c 9e6  41635c0c 9e6
	4164000a 82f  42010206 81b  42010606 89b  42020014 f6f  42080006 945  420a020e 943  420a0a0e 944  420b220e 402
	420b260e 482  420c3014 235  420c3206 835  420c3414 c35  420c4206 835  420d0026 223  420d2826 231  420d4446 431
	420d5c26 255  42100c26 22a  42101032 80b  42101226 20b  42101426 c0b  42102e14 20c  42103006 80c  42103214 c0c
	42103406 88c  42103614 28c  42103e06 88c  42104014 28c  42105826 253  42105e14 20c  42106214 c0c  42106614 28c
	42120a15 239  42121015 239  42123815 239  42124a07 905  4212d006 83e  4212ea07 85c  4212ec26 23e  42172c06 84a
	421a0226 20a  421b3e06 9b1  421d0814 210  421d0a06 810  421d0c14 c10  421d1214 210  421d1406 810  42203014 225
	42203406 825  42203806 8a5  42204e14 2a6  42221832 381  42222c06 980  42223a06 984  42233c06 9b0  42233e06 9b0
	42254214 291  42271414 212  42271806 812  42280c06 892  42281414 212  42282414 292  422a0206 812  422a0414 c12
	422a0606 892  422a0a14 212  42310406 9aa  4233000e 950  4233040e 950  42350806 499  42380406 dbd  42380832 386
	42410c06 876  42411014 c76  42420206 446  42450014 214  42480006 3cb  425a0826 237  425b0206 83b  42600406 844
	42635206 9ee  42635e06 9ed  42673406 885  42673614 285  42674614 217  42674a06 817  42674e14 c17  42680a14 23e
	42681c14 23e
`

var miniOps = sync.OnceValue(func() map[uint32]uint64 {
	m := map[uint32]uint64{}
	fields := strings.Fields(miniTable)
	for i := 0; i+1 < len(fields); i += 2 {
		tag, err := strconv.ParseUint(fields[i], 16, 32)
		op, err2 := strconv.ParseUint(fields[i+1], 16, 12)
		if err != nil || err2 != nil {
			panic("selfcheck: table of tag-only nodes: " + fields[i] + " " + fields[i+1])
		}
		m[uint32(tag)] = op
	}
	return m
})

// plain compares the word of a PLAIN node with those of genuine files.
func (c *checker) plain(w Word) {
	like := c.decoder.LikePlain(w)
	if like == mercury.Alike {
		c.report.covered.alike++
		return
	}
	c.leave(exPlain)
	c.report.Forms[fmt.Sprintf("PLAIN %03x %s", w.Lo&opcodeMask, like)]++
	c.report.covered.unknown++
}

// tag-only node compares the opcode of a tag-only node's word with that of its tag.
func (c *checker) mini(fn *capsule.Func, n *capsule.Node) {
	w := wordAt(fn.Code, n.SASS)
	like := c.decoder.LikeTag(fn.Cap.Tag(n), w)
	if like == mercury.Alike && n.Span == 1 {
		c.report.covered.alike++
		return
	}
	op, ok := miniOps()[fn.Cap.Tag(n)&^(1<<31)]
	switch {
	case like == mercury.OtherOp && !ok && n.Span == 1:
		c.add(Text, Content, fn.Text, uint64(n.SASS), fmt.Sprintf("opcode of tag-only node %08x", fn.Cap.Tag(n)), "one known for this tag", fmt.Sprintf("%03x", w.Lo&opcodeMask))
		return
	case like == mercury.NeverMet && (!ok || op == w.Lo&opcodeMask && n.Span == 1):
		c.leave(exMiniTag)
		c.report.Forms[fmt.Sprintf("%08x with %03x %s", fn.Cap.Tag(n), w.Lo&opcodeMask, like)]++
		c.report.covered.unknown += int(n.Span)
		return
	case like == mercury.Unlike:
		c.leave(exMiniWord)
		c.report.Forms[fmt.Sprintf("%08x with %03x %s", fn.Cap.Tag(n), w.Lo&opcodeMask, like)]++
		c.report.covered.unknown += int(n.Span)
	default:
		c.report.covered.alike += int(n.Span)
	}
	if !ok {
		op = w.Lo & opcodeMask
	}
	if got := wordAt(fn.Code, n.SASS).Lo & opcodeMask; got != op || n.Span != 1 {
		c.add(Text, Content, fn.Text, uint64(n.SASS), fmt.Sprintf("opcode of tag-only node %08x", fn.Cap.Tag(n)),
			fmt.Sprintf("%03x", op), fmt.Sprintf("%03x in %d words", got, n.Span))
	}
}
