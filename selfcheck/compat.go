package selfcheck

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// compatRule is what the tools of a release write for an attribute of
// .nv.compat: its format and the values seen, in 858 objects and images.
type compatRule struct {
	format cuda.InfoFormat
	values []uint16
}

// compatRules is by CUDA API version. Attributes 9 and 11 follow from target
// and code.
var compatRules = map[uint32]map[cuda.CompatAttr]compatRule{
	api130: {
		2: {cuda.FormatByte, []uint16{1, 2, 3, 4}},
		3: {cuda.FormatByte, []uint16{0, 1, 2, 3}},
		5: {cuda.FormatByte, []uint16{0, 1, 2, 4, 5, 6, 8, 9, 10}},
		6: {cuda.FormatByte, []uint16{1}},
		7: {cuda.FormatHalf, []uint16{mercuryISA}},
	},
	api135: {
		2:  {cuda.FormatByte, []uint16{1, 2, 3}},
		3:  {cuda.FormatByte, []uint16{0, 1, 2, 3}},
		5:  {cuda.FormatByte, []uint16{0, 1, 2, 4, 5, 6, 8, 9, 10}},
		7:  {cuda.FormatHalf, []uint16{mercuryISA}},
		12: {cuda.FormatByte, []uint16{0, 1, unsaid12}},
		13: {cuda.FormatHalf, []uint16{mercuryISA, mercuryISA107, unsaid13}},
		14: {cuda.FormatHalf, []uint16{0x0400, 0x0440}},
	},
}

// What nvlink 13.4 and 13.5 write of attributes that an object of an older toolkit lacks.
const (
	unsaid12 = 2
	unsaid13 = 0x100
)

// oldCompatRules is what 12.8 and 12.9 were seen to write.
var oldCompatRules = map[cuda.CompatAttr]compatRule{
	2: compatRules[api135][2],
	3: compatRules[api130][3],
	5: compatRules[api130][5],
	6: {cuda.FormatByte, []uint16{1}},
}

func (c *checker) compatValue(section int, r *record) {
	rules := compatRules[c.api]
	if c.old {
		rules = oldCompatRules
	}
	if rules == nil {
		if c.api < api130 || c.api > api135 {
			c.leave(exCompat)
		}
		return
	}
	attr := cuda.CompatAttr(r.Attr)
	switch attr {
	case cuda.CompatAcceleratorTarget:
		c.number(Text, Content, section, r.at, "format of "+attr.String(), uint64(cuda.FormatByte), uint64(r.Format))
		return
	case cuda.CompatCanFastpathFinalize:
		return
	}
	rule, ok := rules[attr]
	if !ok && c.writer == writerFinalizer {
		rule, ok = compatRules[api135][attr] // it is newer than the object
	}
	if !ok && c.old {
		c.leave(exCompat)
		return
	}
	if !ok {
		c.add(Text, Content, section, r.at+1, "attribute of .nv.compat", "one of the release", attr.String())
		return
	}
	c.number(Text, Content, section, r.at, "format of "+attr.String(), uint64(rule.format), uint64(r.Format))
	for _, v := range rule.values {
		if v == r.Value {
			return
		}
	}
	if c.old {
		c.leave(exCompat)
		return
	}
	var list []string
	for _, v := range rule.values {
		list = append(list, hex(v))
	}
	c.add(Text, Content, section, r.at+2, attr.String(), strings.Join(list, ", "), fmt.Sprint(hex(r.Value)))
}
