package ptx

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A kernel loads what its line names, from a place of its own each, and writes all results; what isn't named isn't loaded.
func TestKernelLoads(t *testing.T) {
	for _, c := range []struct {
		line  string
		wants []string
	}{
		{"ret;", nil},
		{"x %a0 %a7;", []string{"ld.global.b32 %a0, [%at+0]", "ld.global.b32 %a7, [%at+28]"}},
		{"x %A1;", []string{"ld.global.b64 %A1, [%at+72]"}}, {"x %h3;", []string{"ld.global.b16 %h3, [%at+38]"}}, {"x %g2;", []string{"ld.global.b64 %g2, [%at+144]"}},
		{"x %X1;", []string{"ld.global.b64 %X1, [%at+200]", "st.global.b64 [%out+72], %X1"}}, {"x %x2;", []string{"ld.global.b32 %x2, [%at+168]", "st.global.b32 [%out+8], %x2"}},
		{"x %z3;", []string{"st.global.b16 [%out+38], %z3"}}, {"x %q1;", []string{"selp.b32 %t1, 1, 0, %q1", "st.global.b32 [%out+132], %t1"}},
		{"x %p2;", []string{"ld.global.b32 %t0, [%at+56]", "setp.ne.u32 %p2, %t0, 0"}},
		{"x %U3 %u3;", []string{"ld.param.b64 %U3, [pU3]", "ld.param.b32 %u3, [pu3]"}}, {"x %U4 %u4;", nil},
		{"x %s0;", []string{".shared .align 128 .b8 shared_here[1024]", "mov.u32 %s1, shared_here", "mad.lo.u32 %s0, %me, 64, %s1"}},
		{"x %s1;", []string{".shared .align 128 .b8 shared_here[1024]", "mov.u32 %s1, shared_here", "mad.lo.u32 %s0, %me, 64, %s1"}},
		{"x shared_here;", []string{".shared .align 128 .b8 shared_here[1024]"}}, {"x local_here;", []string{".local .align 16 .b8 local_here[512]"}},
		{"x %l0;", []string{".local .align 16 .b8 local_here[512]", "mov.u32 %l0, local_here", "mad.lo.u32 %l0, %me, 4, %l0"}},
		{"x %a10;", nil}, {"x %b1;", nil},
	} {
		text, _ := Module("9.0", "sm_100", []string{c.line})
		_, body, _ := strings.Cut(text, "mad.wide.u32 %at, %me, 256, %in;\n")
		head := text[:len(text)-len(body)]
		var got []string
		for _, s := range regexp.MustCompile(`[;\n]`).Split(body, -1) {
			if s = strings.TrimSpace(s); s != "" && s != "ret" && s != "}" && s+";" != c.line {
				got = append(got, s)
			}
		}
		for _, name := range []string{"shared_here[", "local_here["} {
			if i := strings.Index(head, name); i >= 0 {
				from := strings.LastIndex(head[:i], "\n") + 1
				got = append(got, head[from:strings.Index(head[from:], ";")+from])
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.wants))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.line, got, want)
		}
	}
}

// Remarks and empty lines go, what begins with a tab goes on, choices are written out, and each line comes once.
func TestLines(t *testing.T) {
	for text, want := range map[string][]string{
		"# remark\n\n  add; # why\n\tgoes on # more\n\n\tand on\n <a/b> ;\nadd;\nadd;\n \t\nb ;": {"add; goes on and on", "a ;", "b ;", "add;"},
		"# a remark\n\tfirst\n\n  a <x/y>  # more\n\tb # c\n\t\n#\tz\na x b\nlast":               {"first", "a x b", "a y b", "last"},
		"": nil,
	} {
		if got := Lines(text); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A quarter of all lines is held back, the same each time: FNV-1a of 32 bits of the line, by 4.
func TestHeldBack(t *testing.T) {
	held := 0
	for a := range 40 {
		for b := range 100 {
			if HeldBack(strings.Repeat("x", a) + strings.Repeat("y", b)) {
				held++
			}
		}
	}
	if held < 850 || held > 1150 {
		t.Errorf("%d of 4000", held)
	}
	for line, want := range map[string]bool{"": false, "a": true, "b": false, "foobar": true} { // 811c9dc5 e40c292c e70c2de5 bf9cf968
		if HeldBack(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}

// Up to 16 choices are all written out; of more there are 16, or as many as the longest list has parts.
func TestMost(t *testing.T) {
	for line, want := range map[string]int{
		"<a/b/c/d><a/b/c/d>":                        16,
		"<a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p>":         16,
		"<a/b/c/d><a/b/c/d/e>":                      16,
		"<a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q>":       17,
		"<a/b>.<a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q>": 17,
	} {
		got := Expand(line)
		if len(got) != want {
			t.Errorf("%s: %d, want %d", line, len(got), want)
		}
		if distinct := len(slices.Compact(slices.Sorted(slices.Values(got)))); distinct != want {
			t.Errorf("%s: %d of %d are the same", line, want-distinct, want)
		}
	}
}
