package inputs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// What nvlink 13.0.88 and 13.5.37 make of -lx where one/libx.a is something and two/libx.a a library with code. A script, as
// glibc has for libm.a, is skipped; from 13.4.92 on others than that one mostly end the link.
func TestLibrary(t *testing.T) {
	whole := archive("p.o", partObject(t))
	const skipped = "nvlink warning : Skipping incompatible 'one/libx.a' when searching for -lx"
	bad := []string{"nvlink fatal   : unexpected archive format", "nvlink fatal   : elfLink internal error"}
	large := []string{"nvlink fatal   : archive member size exceeds library bounds", bad[1]}
	member := func(size string) []byte { return fmt.Appendf(nil, "x<arch>\n%-48s%-10s`\nabcd", "f.o/", size) }
	for name, c := range map[string]struct {
		data []byte
		path string
		said []string
	}{
		"library":            {whole, "one/libx.a", nil},
		"script":             {[]byte("/* GNU ld script */\nGROUP ( /usr/lib/libm-2.36.a )\n"), "two/libx.a", []string{skipped}},
		"seven bytes":        {[]byte("hello w"), "two/libx.a", []string{skipped}},
		"nothing":            {[]byte{}, "two/libx.a", []string{skipped}},
		"no member":          {archive(), "two/libx.a", []string{skipped}},
		"no object":          {archive("a.txt", []byte("hello!")), "two/libx.a", []string{skipped}},
		"no end of a header": {[]byte("!<arch>\n" + strings.Repeat("x", 80)), "", bad},
		"text":               {[]byte("INPUT ( libfoo.so )  "), "", bad},
		"slash before":       {[]byte("xxxxxxx/xxxxxxxxxxxx"), "", bad},
		"slash behind a nul": {[]byte("xxxxxxxxxxx\x00xxxxx/xxxx"), "", bad},
		"too large":          {member("5"), "two/libx.a", []string{skipped}},
		"13.5 library":       {whole, "one/libx.a", nil},
		"13.5 script":        {[]byte("/* GNU ld script\n*/\nOUTPUT_FORMAT(elf64-x86-64)\nGROUP ( /usr/lib/libm-2.36.a )\n"), "two/libx.a", []string{skipped}},
		"13.5 short script":  {[]byte("/* GNU ld script */\nGROUP ( /usr/lib/libm-2.36.a )\n"), "", bad},
		"13.5 other script":  {[]byte("/* GNU ld script\n   Use the shared library. */\nGROUP ( /usr/lib/libm.so.6 )\n"), "", bad},
		"13.5 eight bytes":   {[]byte("hello wo"), "two/libx.a", []string{skipped}},
		"13.5 nine bytes":    {[]byte("hello wor"), "", bad},
		"13.5 size":          {member("4"), "two/libx.a", []string{skipped}},
		"13.5 size of text":  {member("0x9"), "two/libx.a", []string{skipped}},
		"13.5 too large":     {member("5x"), "", large},
		"13.5 negative":      {member("-1"), "", large},
	} {
		r, _ := cmdline.ParseRelease("13.0")
		if strings.HasPrefix(name, "13.5") {
			r, _ = cmdline.ParseRelease("13.5")
		}
		g := given{"one/libx.a": c.data, "two/libx.a": whole}
		cmd, err := cmdline.Parse(r, []string{"-arch=sm_75", "-Lone", "-Ltwo/", "-lx", "a.cubin", "-o", "out"}, g.read)
		if err != nil {
			t.Fatal(err)
		}
		path, list := New(cmd, NewReader(g.read)).Library("x")
		var said []string
		for _, d := range list {
			said = append(said, d.String())
		}
		if diff := cmp.Diff(c.said, said); path != c.path || diff != "" {
			t.Errorf("%s: %q, want %q; %s", name, path, c.path, diff)
		}
	}
}

// The newest toolkit of what is linked, in each form that device code has; what is for another target, isn't linked, or
// can't be read doesn't count.
func TestNewest(t *testing.T) {
	fat118, fat130 := fatbinFile(t, "11.8-plain.fatbin"), fatbinFile(t, "13.0-plain.fatbin")
	cubin118, cubin130 := deviceCode(t, fat118), deviceCode(t, fat130)
	host := func(fat []byte) []byte {
		return sections(1, "__nv_relfatbin", string(fat), ".nvFatBinSegment", strings.Repeat("\x00", 24))
	}
	g := given{
		"old.cubin": cubin118, "new.cubin": cubin130, "old.fatbin": fat118, "new.fatbin": fat130, "old.o": host(fat118), "new.o": host(fat130),
		"old.a": archive("x.o", host(fat118)), "new.a": archive("t.txt", []byte("text"), "x.o", host(fat118), "y.o", host(fat130)),
		"cubins.a": archive("c.cubin", cubin130), "text": []byte("text"), "cut.fatbin": fat130[:40], "cut.a": archive("x.o", host(fat130))[:100],
	}
	arch := archOf(t, "sm_80")
	for _, c := range []struct {
		files string
		want  uint32
	}{
		{"old.cubin", 118}, {"new.cubin", 130}, {"old.fatbin", 118}, {"new.fatbin", 130}, {"old.o", 118}, {"new.o", 130}, {"old.a", 118}, {"new.a", 130},
		{"new.cubin old.cubin", 130}, {"old.cubin new.fatbin old.a", 130}, {"new.o old.fatbin", 130}, {"old.o new.a", 130},
		{"cubins.a", 0}, {"text", 0}, {"absent", 0}, {"cut.fatbin", 0}, {"cut.a", 0}, {"text absent old.o cut.a", 118}, {"", 0},
	} {
		if got := NewReader(g.read).Newest(arch, strings.Fields(c.files)); got != c.want {
			t.Errorf("%s: %d, want %d", c.files, got, c.want)
		}
	}
	other := archOf(t, "sm_50")
	for _, name := range []string{"new.fatbin", "new.o", "new.a"} {
		if got := NewReader(g.read).Newest(other, slices.Repeat([]string{name}, 2)); got != 0 {
			t.Errorf("%s for another target: %d", name, got)
		}
	}
}

func archOf(t *testing.T, name string) container.Arch {
	t.Helper()
	a, ok := container.ParseArch(name)
	if !ok {
		t.Fatal(name)
	}
	return a
}
