package registration

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/cubin"
)

// A pattern of nvcc fits a name where the parts between its stars are in it in their order, the first at its beginning
// and the last at its end.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"k", "k", true}, {"k", "kk", false}, {"k", "", false}, {"", "", true}, {"", "k", false},
		{"_Z3run*", "_Z3run", true}, {"_Z3run*", "_Z3runPi", true}, {"_Z3run*", "x_Z3run", false},
		{"*run", "run", true}, {"*run", "_Z3run", true}, {"*run", "runs", false},
		{"a*b*c", "abc", true}, {"a*b*c", "axbyc", true}, {"a*b*c", "axyc", false}, {"a*b*c", "acb", false}, {"a*b*c", "cba", false},
		{"a*b*b", "ab", false}, {"a*b*b", "abb", true}, {"a*b*c*d", "acbd", false}, {"a*b*c*d", "abcd", true}, {"*", "", true}, {"**", "x", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q, %q: %v", c.pattern, c.name, got)
		}
	}
}

// Of a pair of patterns one has to be there; each is paired by its own end alone.
func TestPairs(t *testing.T) {
	for name, c := range map[string]struct {
		external, internal, names []string
		want                      []Fault
	}{
		"the internal one is of another name": {[]string{"_Z2tk*"}, []string{"_m_*2uk*"}, []string{"_m_x2uky"}, []Fault{{NoKernel, "_Z2tk*", "a"}}},
		"the internal one isn't there":        {[]string{"_Z2tk*"}, []string{"_m_*2tk*"}, []string{"k"}, []Fault{{NoKernel, "_Z2tk*", "a"}}},
		"an internal one without a star":      {[]string{"_Z2tk"}, []string{"_m"}, []string{"_m"}, []Fault{{NoKernel, "_Z2tk", "a"}}},
		"an external one beside it":           {[]string{"_Z2tk"}, []string{"_m"}, []string{"_Z2tk"}, []Fault{{NoKernel, "_m", "a"}}},
		"an internal one alone, which is":     {nil, []string{"_m"}, []string{"_m"}, nil},
	} {
		p := new(Program)
		p.lacking(NoKernel, "a", c.external, c.internal, c.names)
		if diff := cmp.Diff(c.want, p.Faults); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Everything that host code can refer to is counted, and each kind is looked for among its own.
func TestNames(t *testing.T) {
	fat, err := os.ReadFile("../container/testdata/13.0-plain.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	p, err := CheckProgram("p", program(".nv_fatbin", string(fat), "__nv_module_id", " def  m \x00 m \x00\x00", ".nvHRKE", "count\x00k1\x00k2\x00", ".nvHRKI", "i1*\x00i2\x00i3\x00i4\x00",
		".nvHRDE", "counter\x00d1\x00", ".nvHRDI", "e1\x00e2\x00e3\x00e4\x00e5\x00e6\x00e7\x00", ".nvHRCE", "c1\x00", ".nvHRCI", "counter\x00f2\x00f3\x00f4\x00f5\x00f6\x00f7\x00f8\x00count\x00"))
	if err != nil {
		t.Fatal(err)
	}
	if p.Names != 3+4+2+7+1+9 || p.Modules != 1 {
		t.Errorf("%d names, %d modules", p.Names, p.Modules)
	}
	var said []string
	for _, f := range p.Faults {
		said = append(said, string(f.Kind)+" "+f.Name)
	}
	var want []string
	for _, n := range strings.Fields("k1 k2 i1* i2 i3 i4") {
		want = append(want, string(NoKernel)+" "+n)
	}
	for _, n := range strings.Fields("d1 e1 e2 e3 e4 e5 e6 e7 c1 f2 f3 f4 f5 f6 f7 f8 count") { // a kernel is no variable
		want = append(want, string(NoVariable)+" "+n)
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
}

// What an image defines: kernels, not device functions, and objects of every kind, not what is undefined.
func TestDefined(t *testing.T) {
	fat, err := os.ReadFile("../container/testdata/13.0-plain.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(fat), "\x7fELF")
	data := fat[at:]
	f, err := cubin.Open("a", data)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name string) []byte {
		table := f.Symtab()
		for i := 1; i < table.Len(); i++ {
			if s, ok := table.At(i); ok && table.Name(&s) == name {
				for j := range f.OfType(2) {
					s := f.Section(j)
					return data[s.Off+24*uint64(i):][:24]
				}
			}
		}
		t.Fatalf("no symbol %s", name)
		return nil
	}
	names := func() string {
		var d defined
		if err := d.add("a", data); err != nil {
			t.Fatal(err)
		}
		return strings.Join(d.kernels, " ") + "; " + strings.Join(d.variables, " ")
	}
	if got := names(); got != "count; counter _SREG" {
		t.Errorf("%s", got)
	}
	kernel, variable := entry("count"), entry("counter")
	for _, c := range []struct {
		entry []byte
		at    int
		value byte
		want  string
	}{
		{kernel, 5, kernel[5] &^ 0x10, "; counter _SREG"}, {kernel, 4, 0x11, "; counter _SREG count"}, {kernel, 4, 0x10, "; counter _SREG"}, {variable, 4, 0x12, "count; _SREG"},
		{variable, 4, 0x1a, "count; counter _SREG"}, {variable, 4, 0x1b, "count; counter _SREG"}, {variable, 4, 0x1c, "count; counter _SREG"}, {variable, 4, 0x1d, "count; counter _SREG"}, {variable, 4, 0x1e, "count; _SREG"},
	} {
		was := c.entry[c.at]
		c.entry[c.at] = c.value
		if got := names(); got != c.want {
			t.Errorf("byte %d %#x: %s, want %s", c.at, c.value, got, c.want)
		}
		c.entry[c.at] = was
	}
	was := [2]byte(variable[6:8])
	copy(variable[6:8], []byte{0, 0})
	if got := names(); got != "count; _SREG" {
		t.Errorf("undefined: %s", got)
	}
	copy(variable[6:8], was[:])
}
