package container

import (
	"strings"
	"testing"
)

// PTX is identified by its first directive, after comments; its target by a later one.
func TestPTX(t *testing.T) {
	const version = ".version 8.0\n"
	for _, c := range []struct {
		text   string
		is     bool
		target string
	}{
		{"", false, ""},
		{"\n \t\r\n", false, ""},
		{version, true, ""},
		{version + ".target sm_80\n", true, "sm_80"},
		{version + ".target sm_80", true, "sm_80"},
		{".version\t8.0\n.target\tsm_75 // which\n", true, "sm_75"},
		{version + ".target sm_90a, debug\n", true, "sm_90a"},
		{version + ".address_size 64\n.target sm_80\n", true, "sm_80"},
		{version + "// .target sm_70\n/* .target sm_72 */ .target sm_80\n", true, "sm_80"},
		{"// one\r\n\n/* two\n three */ .version 8.0\n.target sm_86\n", true, "sm_86"},
		{"/*/ .version 8.0\n", false, ""},
		{"/**/.version 8.0\n.target sm_80\n", true, "sm_80"},
		{"/* open .version 8.0\n", false, ""},
		{version + "/* open\n.target sm_80\n", true, ""},
		{version + ".target\n", true, ""},
		{version + ".targets sm_80\n", true, ""},
		{version + ".target none\n", true, ""},
		{version + "code\n.target sm_80\n", true, ""},
		{".version\n", false, ""},
		{".versions 8.0\n", false, ""},
		{".version8.0\n", false, ""},
		{"code\n" + version, false, ""},
		{"/" + version, false, ""},
		{strings.Repeat(" ", ptxLead-len(version)) + version, true, ""},
		{strings.Repeat(" ", ptxLead-len(".version 8")) + version, true, ""},
		{strings.Repeat(" ", ptxLead-len(".version")) + version, false, ""},
		{strings.Repeat(" ", ptxLead) + version, false, ""},
	} {
		arch, ok := PTXTarget([]byte(c.text))
		short := c.text[max(0, len(c.text)-60):]
		if is := IsPTX([]byte(c.text)); is != c.is {
			t.Errorf("%q: PTX %v, want %v", short, is, c.is)
		}
		if ok != (c.target != "") || ok && "sm_"+arch.String() != c.target {
			t.Errorf("%q: target %v %v, want %q", short, arch, ok, c.target)
		}
	}
}
