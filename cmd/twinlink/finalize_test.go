package main

import (
	"os"
	"strings"
	"testing"
)

// TestFinalizeModes wants of each way to ask for a kind of output, a check or a level
// a copy or a refusal that names the option; no file is where it was refused.
func TestFinalizeModes(t *testing.T) {
	besideLeaf(t)
	const copied = "; copied"
	for _, c := range []struct{ words, says string }{
		{"--cap-merc", copied},
		{"--binary-kind=capmerc", copied},
		{"--binary-kind capmerc --self-check", "self-check passed; copied"},
		{"--binary-kind=sass --cap-merc", copied}, // the later one counts
		{"--cap-merc --binary-kind=sass", "--binary-kind"},
		{"--binary-kind=elf", "--binary-kind: 'elf'"},
		{"--binary-kind", "--binary-kind: needs a value"},
		{"--cap-merc=1", "--cap-merc: takes no value"},
		{"--out-sass", "--out-sass"},
		{"--self-check --out-sass", "self-check passed; copied"},
		{"--self-check --binary-kind=mercury", "--self-check: there is no capsule"},
		{"--self-check --out-sass --binary-kind=sass", "--self-check: there is no capsule"},
		{"--fastpath-off", "--fastpath-off"},
		{"--fastpath-off --self-check", "--fastpath-off"},
		{"--opt-level=3", copied}, // that of the file
		{"--opt-level=2", "--opt-level"},
		{"--generate-line-info", "--generate-line-info"},
		{"--verbose-tkinfo", "--verbose-tkinfo"},
		{"--disable-smem-reservation", "--disable-smem-reservation"},
		{"--compile-as-at-entry-patch", "--compile-as-at-entry-patch: new code"},
		{"--trap-into-debugger", "--trap-into-debugger: new code"},
		{"-arch sm_100 --fastpath-off", "the fast path isn't used for a file's own target; copied"},
		{"-arch sm_100 --trap-into-debugger", "--trap-into-debugger: new code"},
		{"--opportunistic-finalization-lvl 0", copied},
		{"--opportunistic-finalization-lvl 4", copied},
		{"--opportunistic-finalization-lvl 5", "'5' is not a number from 0 to 4"},
		{"--opportunistic-finalization-lvl", "needs a value"},
	} {
		r := twinlink(append([]string{"finalize", "-arch", "sm_103", "x.cubin", "-o", "out.cubin"}, strings.Fields(c.words)...)...)
		_, err := os.Stat("out.cubin")
		if !strings.Contains(r.out, c.says) || (r.exit == exitOK) != strings.Contains(c.says, copied) || (err == nil) != (r.exit == exitOK) {
			t.Errorf("%s: exit %d, file %v, %s", c.words, r.exit, err == nil, r.out)
		}
		_, err = os.Stat("out.cubin.sass")
		if (err == nil) != (c.words == "--self-check --out-sass") {
			t.Errorf("%s: the SASS: %v", c.words, err)
		}
		_, _ = os.Remove("out.cubin"), os.Remove("out.cubin.sass")
	}
}

// TestFinalizeDoubles wants no copy of code with doubles for sm_103, which has other
// code for them: its attribute 11 has no bit for that.
func TestFinalizeDoubles(t *testing.T) {
	data, err := os.ReadFile("../../engine/testdata/offtarget.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.cubin", data, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := twinlink("finalize", "-arch", "sm_103", "x.cubin", "-o", "out.cubin"); r.exit != exitRefused || !strings.Contains(r.out, "attribute 11") {
		t.Errorf("exit %d, %s", r.exit, r.out)
	}
	if _, err := os.Stat("out.cubin"); err == nil {
		t.Error("copied")
	}
}

// besideLeaf moves to a folder of the test's own, where x.cubin is an object for sm_100.
func besideLeaf(t *testing.T) {
	t.Helper()
	data, err := os.ReadFile("../../corpus/testdata/mercury/leaf/13.0-sm_100/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.cubin", data, 0o644); err != nil {
		t.Fatal(err)
	}
}
