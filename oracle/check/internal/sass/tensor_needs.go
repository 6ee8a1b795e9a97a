package sass

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// What kernels say of tensor memory and clusters on behalf of the functions that they reach.
//
//	74  VRC_CTA_INIT_COUNT    the largest
//	79  AT_ENTRY_FRAGEMENTS   the words of all, the kernel's own first; a function has none in a finished image
//	81  TCGEN05_1CTA_USED     where one has it
//	82  TCGEN05_2CTA_USED     where one has it
//	98  (no name is known)    where one has it; it cancels the launch of clusters
//
// The only kernel of a link is charged with what everything that is there says, but nvlink
// leaves its 74 as it was.
//
// Source: 64 kernels that reach functions directly, through others and in cycles, for sm_100a and 103a, and with other
// values put into the inputs, by nvlink 13.0, 13.3 and 13.5; nvlink links no object of 12.x with tcgen05.

// AttrCancelsClusters has no name that cuobjdump knows.
const AttrCancelsClusters cuda.InfoAttr = 98

// TensorNeed is what a function and all it may call say of these.
type TensorNeed struct {
	Counts                uint64 // VRC_CTA_INIT_COUNT
	Fragments             uint64 // a bit for each word
	Strange               bool   // a word has no bit
	Single, Pair, Cancels bool
}

// More adds what another function needs.
func (n *TensorNeed) More(o *TensorNeed) {
	n.Counts, n.Fragments, n.Strange = max(n.Counts, o.Counts), n.Fragments|o.Fragments, n.Strange || o.Strange
	n.Single, n.Pair, n.Cancels = n.Single || o.Single, n.Pair || o.Pair, n.Cancels || o.Cancels
}

// Add adds what an attribute says.
func (n *TensorNeed) Add(a image.Attribute) {
	switch a.Attr {
	case cuda.AttrVrcCtaInitCount:
		n.Counts = image.Number(a.Value, 0, 1)
	case cuda.AttrAtEntryFragements:
		n.Strange = n.Strange || len(a.Value)%4 != 0
		for at := uint64(0); at+4 <= uint64(len(a.Value)); at += 4 {
			if w := image.Word(a.Value, at); w < 64 {
				n.Fragments |= 1 << w
			} else {
				n.Strange = true
			}
		}
	case cuda.AttrTcgen051ctaUsed:
		n.Single = true
	case cuda.AttrTcgen052ctaUsed:
		n.Pair = true
	case AttrCancelsClusters:
		n.Cancels = true
	}
}

// FragmentsOf are a kernel's own words and after them those that others add.
func FragmentsOf(own []byte, all uint64) string {
	list := string(own)
	var has TensorNeed
	has.Add(image.Attribute{Attr: cuda.AttrAtEntryFragements, Value: own})
	for w := range uint32(64) {
		if all&^has.Fragments>>w&1 != 0 {
			list += BytesOf(w)
		}
	}
	return list
}

// BytesOf are the four bytes of a number.
func BytesOf(n uint32) string {
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
}
