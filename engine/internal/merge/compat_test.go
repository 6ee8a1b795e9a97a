package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/input"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// compatOf reads records written as "attribute=value".
func compatOf(text string) (list []cubin.InfoRecord) {
	for one := range strings.FieldsSeq(text) {
		var r cubin.InfoRecord
		r.Format = cuda.FormatHalf
		if _, err := fmt.Sscanf(one, "%x=%x", &r.Attr, &r.Value); err != nil {
			panic(err)
		}
		list = append(list, r)
	}
	return list
}

func compatText(list []cubin.InfoRecord) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%x=%x", uint8(r.Attr), r.Value))
	}
	return strings.Join(words, " ")
}

// What .nv.compat of two inputs comes to, attribute by attribute (readCompat says where the rules are from).
func TestJoinCompat(t *testing.T) {
	for _, c := range []struct{ have, list, want string }{
		{"2=5", "2=7", "2=7"}, {"2=7", "2=5", "2=7"}, {"2=0", "2=5", "2=0"}, {"2=5", "2=0", "2=0"},
		{"3=5", "3=2", "3=7"}, {"3=5", "3=4", "3=5"},
		{"5=9", "5=6", "5=a"}, {"5=6", "5=9", "5=a"}, {"5=1", "5=4", "5=0"}, {"5=5", "5=4", "5=4"}, {"5=5", "5=0", "5=0"}, {"5=0", "5=5", "5=0"}, {"5=35", "5=16", "5=36"},
		{"6=1", "6=1", "6=1"}, {"6=2", "6=2", "6=2"}, {"6=2", "6=3", "6=1"}, {"6=0", "6=1", "6=1"},
		{"7=2", "7=1", "7=2"}, {"8=1", "8=2", "8=2"}, {"c=0", "c=1", "c=1"}, {"d=3", "d=0", "d=3"},
		{"e=3", "e=5", "e=5"}, {"e=3 7=1", "7=2", "7=2"}, {"f=3", "", ""}, {"7=1 f=2", "f=4", "7=1 f=4"},
		{"7=1", "8=1", "7=1"}, {"8=1 7=1", "7=3 8=2", "8=2 7=3"},
	} {
		if got := compatText(joinCompat(compatOf(c.have), compatOf(c.list))); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.have, c.list, got, c.want)
		}
	}
	sized := []cubin.InfoRecord{{Attr: 7, Format: cuda.FormatSized, Value: 1}}
	if got := compatText(joinCompat(sized, compatOf("7=3"))); got != "7=1" {
		t.Errorf("of a record with bytes: %s", got)
	}
}

// What an input lacks is added: attributes from 0c on late. Without its ISA class a warning says that the output is
// limited, an error where warnings are.
func TestMissingCompat(t *testing.T) {
	for _, werror := range []bool{false, true} {
		l := &merger{Program: &model.Program{Set: &input.Set{Opt: &input.Options{WarningsAsErrors: werror}, Release: &release.Release{}}}}
		l.Arch.SM = 103
		l.Release.Compat.Missing = []release.CompatRecord{{Attr: 0x7, Value: 4}, {Attr: cuda.CompatISAClass, Value: 1}, {Attr: 0xb, Value: 9}, {Attr: 0xc, Value: 2}, {Attr: 0xf, Value: 3}}
		list, late := l.addMissing(&module{file: &cubin.File{Name: "a.cubin"}}, compatOf("8=1 f=7"))
		if got := compatText(list) + "; " + compatText(late); got != "8=1 f=7 7=4 2=1 b=9; c=2" {
			t.Errorf("%s", got)
		}
		severity := diag.Warning
		if werror {
			severity = diag.Error
		}
		want := diag.Diagnostic{Severity: severity, Kind: diag.WrongArch, File: "a.cubin", Section: ".nv.compat",
			Text: "Output is limited to run on SM Arch '103' only, due to missing attribute 'ISA_CLASS' in input file 'a.cubin'"}
		if len(l.Diags) != 1 || l.Diags[0] != want || l.Failed != werror {
			t.Errorf("%+v, want %+v", l.Diags, want)
		}
	}
}
