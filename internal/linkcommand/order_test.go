package linkcommand

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrderOfRefusal: that an input doesn't fit is told before anything is told of a later one (nvlink 11.8.89,
// 12.4.131, 13.0.88 and 13.5.37; the lines are 13.0.88's and 13.5.37's).
func TestOrderOfRefusal(t *testing.T) {
	const (
		device, host = "../../corpus/testdata/links/lanes/13.0-sm_80/a.cubin", "../container/testdata/13.0-part.o"
		lacks        = "nvlink warning : SM Arch ('sm_90') not found in '" + host + "'\n"
		refused      = "nvlink fatal   : Input file '" + device + "' arch does not match target 'sm_90'\n"
	)
	for _, release := range []string{"13.0", "13.5"} {
		if _, said := linked(t, "-toolkit="+release, "-arch=sm_90", device, host); said != refused {
			t.Errorf("%s: the refused input first: said\n%s", release, said)
		}
		if _, said := linked(t, "-toolkit="+release, "-arch=sm_90", host, device, host); said != lacks+refused {
			t.Errorf("%s: the refused input second: said\n%s", release, said)
		}
	}
}

// TestAfterError: with -Werror an option's warning is an error, and the next host object, archive or fatbinary ends the
// link; so does one after an error of an earlier file (nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37; the lines are
// 13.0.88's and 13.5.37's).
func TestAfterError(t *testing.T) {
	const (
		device, host, fatbin = "../../corpus/testdata/links/calls/13.0-sm_90/a.cubin", "../container/testdata/13.0-part.o", "../container/testdata/13.0-plain.fatbin"
		option               = "nvlink error   : Option '--preserve-relocs' is not fully implemented for gpu archtecture 'sm_90' and may not work as expected\n"
		lacks                = "nvlink error   : SM Arch ('sm_90') not found in '" + host + "'\n"
		internal, fatbinary  = "nvlink fatal   : elfLink internal error\n", "nvlink fatal   : elfLink fatbinary error\n"
	)
	for _, release := range []string{"13.0", "13.5"} {
		for _, c := range []struct {
			said string
			args []string
		}{
			{option + internal, []string{"--preserve-relocs", host}},
			{option + fatbinary, []string{"--preserve-relocs", device, fatbin}},
			{lacks + internal, []string{host, host}},
			{lacks + fatbinary, []string{host, device, fatbin}},
			{lacks, []string{host, device}},
		} {
			if _, said := linked(t, append([]string{"-toolkit=" + release, "-arch=sm_90", "-Werror"}, c.args...)...); said != c.said {
				t.Errorf("%s %q: said\n%swant\n%s", release, c.args, said, c.said)
			}
		}
	}
}

// TestNoToolsPatch: that a function is no tools' patch is told when all inputs are merged (nvlink 13.5.37).
func TestNoToolsPatch(t *testing.T) {
	const plain, b = "../../corpus/testdata/cases/tools_patch/13.5-sm_80/bplain.cubin", "../../corpus/testdata/cases/tools_patch/13.5-sm_80/b.cubin"
	want := "nvlink error   : Multiple definition of 'h' in '" + b + "', first defined in '" + plain + "'\nnvlink fatal   : merge_elf failed\n"
	if _, said := linked(t, "-toolkit=13.5", "-arch=sm_80", "-astoolspatch", plain, b); said != want {
		t.Errorf("said\n%swant\n%s", said, want)
	}
}

// TestRegisteredOfFailed: where a warning about code became an error nvlink writes the registered names all the same
// (12.4.131, 13.1.115 and 13.5.37).
func TestRegisteredOfFailed(t *testing.T) {
	const dir = "../../corpus/testdata/links/recursion/13.0-sm_86/"
	name := filepath.Join(t.TempDir(), "names")
	_, said := linked(t, "-toolkit=13.0", "-arch=sm_86", "-Werror", "--register-link-binaries="+name, dir+"a.cubin", dir+"b.cubin", dir+"c.cubin")
	if _, err := os.Stat(name); err != nil || !strings.Contains(said, "nvlink error   : Stack size") {
		t.Errorf("%v; said\n%s", err, said)
	}
}
