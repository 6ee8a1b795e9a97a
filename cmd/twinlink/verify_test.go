package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestVerify puts the objects of testdata, and nvlink 12.4's image of them, to
// engine and oracle.
func TestVerify(t *testing.T) {
	folder(t, "12.4-sm_80")
	write(t, "other.cubin", read(t, "a.cubin"))
	write(t, "text.cubin", strings.Repeat("text ", 20))
	for _, c := range []struct {
		args   string
		exit   int
		output string // part of what is printed
	}{
		{"-arch=sm_80 a.cubin b.cubin", 0, "1 agree"},
		{"-arch=sm_80 --output linked.cubin a.cubin b.cubin", 0, "output is the engine's, byte for byte"},
		{"-arch=sm_80 --strict --allow-unjudged --output linked.cubin a.cubin b.cubin", 0, "1 agree"},
		{"-arch=sm_80 -toolkit 12.4 --output linked.cubin b.cubin a.cubin", 0, "1 agree"},
		{"-arch=sm_80 --output=other.cubin a.cubin b.cubin", 1, "1 differ"},
		{"-arch=sm_80 --output=text.cubin a.cubin b.cubin", 1, "output.unreadable"},
		{"-arch=sm_80 a.cubin", 3, "Undefined reference to 'twice'"},
		{"-arch=sm_80", 2, ""},
		{"a.cubin b.cubin", 2, ""},
		{"-arch=sm_80 none.cubin", 2, ""},
		{"-arch=sm_80 a.cubin b.cubin --format yaml", 2, ""},
		{"-arch=sm_80 a.cubin b.cubin --output", 2, ""},
	} {
		got := twinlink(append([]string{"verify", "--no-nvlink"}, strings.Fields(c.args)...)...)
		if got.exit != c.exit || !strings.Contains(got.out, c.output) {
			t.Errorf("verify %s: exit %d, wanted %d; printed\n%s%s", c.args, got.exit, c.exit, got.out, got.stderr)
		}
	}
	got := twinlink("verify", "--no-nvlink", "--format=json", "-arch=sm_80", "a.cubin", "b.cubin")
	if !json.Valid([]byte(got.out)) {
		t.Errorf("not JSON: %s", got.out)
	}
	for _, format := range formatWords() {
		got := twinlink("verify", "--no-nvlink", "--format", format, "--report=r", "-arch=sm_80", "--output=other.cubin", "a.cubin", "b.cubin")
		if got.exit != exitDiffer || got.out != "" || !strings.Contains(read(t, "r"), "function.missing") {
			t.Errorf("%s: exit %d, report %s", format, got.exit, read(t, "r"))
		}
	}
	twinlink("verify", "--no-nvlink", "--report=none/r", "-arch=sm_80", "a.cubin", "b.cubin").want(t, exitUsage,
		"twinlink: write none/r: open none/.r."+strconv.Itoa(os.Getpid())+".0.tmp: no such file or directory")
}

// A registration file has every module of the link once and no other; each way in which it hasn't is told.
func TestVerifyRegistered(t *testing.T) {
	folder(t, "12.4-sm_80")
	twinlink("link", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "out.cubin", "--register-link-binaries=r").want(t, 0)
	right := read(t, "r")
	lines := strings.SplitAfter(right, "\n")
	for _, c := range []struct {
		text   string
		exit   int
		output string
	}{
		{right, 0, "1 agree"},
		{lines[0] + lines[1], 1, "registration."},
		{lines[0] + lines[1] + lines[1], 1, "registration."},
		{right + "DEFINE_REGISTER_FUNC(_another)\n", 1, "registration."},
		{strings.Replace(right, "OBJECTS 2", "OBJECTS 3", 1), 1, "registration."},
		{"", 1, "registration."},
	} {
		write(t, "r", c.text)
		got := twinlink("verify", "--no-nvlink", "-arch=sm_80", "--registered=r", "--output=out.cubin", "a.cubin", "b.cubin")
		if got.exit != c.exit || !strings.Contains(got.out, c.output) {
			t.Errorf("%q: exit %d, want %d; printed\n%s%s", c.text, got.exit, c.exit, got.out, got.stderr)
		}
	}
	if got := twinlink("verify", "--no-nvlink", "-arch=sm_80", "--registered=none", "a.cubin", "b.cubin"); got.exit == 0 {
		t.Errorf("a file that isn't there: exit %d", got.exit)
	}
}

// TestDemo runs what the README begins with.
func TestDemo(t *testing.T) {
	got := twinlink("demo")
	if got.exit != 0 || !strings.Contains(got.out, " 0 differ, 3 refused alike") {
		t.Errorf("exit %d\n%s%s", got.exit, got.out, got.stderr)
	}
}

// A build has hundreds of inputs; a row's name stays one that can be read.
func TestSubject(t *testing.T) {
	many := strings.Fields("a b c d e f g h i j")
	for n, want := range map[int]string{1: "a", 8: "a b c d e f g h", 9: "a b c d e f g and 2 more", 10: "a b c d e f g and 3 more"} {
		if got := subject(many[:n]); got != want {
			t.Errorf("%d inputs: %q, want %q", n, got, want)
		}
	}
}
