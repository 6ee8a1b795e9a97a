package nvjitlink

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFromNvlink(t *testing.T) {
	for _, c := range []struct {
		release, args, want, cannot string
	}{
		{"13.0", "-arch=sm_90", "-arch=sm_90", ""},
		{"13.0", "-arch sm_90 --debug", "-arch=sm_90 -g", ""},
		{"13.0", "--arch=sm_90 -kernels-used=a,b -variables-used v", "-arch=sm_90 -kernels-used=a -kernels-used=b -variables-used=v", ""},
		{"13.0", "-arch=sm_90 -r", "-arch=sm_90 -r", ""},
		{"12.9", "-arch=sm_90 -r", "", "-r: nvJitLink knows it from 13.0 on"},
		{"13.0", "-arch=sm_90 -w -v --dump-callgraph -m64 -cpu-arch X86_64", "-arch=sm_90 -verbose", ""},
		{"13.0", "-dlto -Xptxas=-v,-O1", "-lto -Xptxas=-v -Xptxas=-O1", ""},
		{"13.0", "--preserve-relocs", "", "--preserve-relocs: there is no such option"},
		{"13.0", "--reserve-null-pointer", "", "taken for -r"},
		{"13.0", "--verbose-tkinfo=true", "", "taken for -verbose"},
		{"13.0", "-Werror", "", "warnings remain warnings"},
		{"13.0", "-g=false", "", "a switch with a value"},
		{"13.0", "-arch", "", "its value is missing"},
		{"13.0", "-nonsense", "", "not among the options that were tried"},
		{"13.0", "a.cubin", "", "not among the options that were tried"},
	} {
		got, err := FromNvlink(c.release, strings.Fields(c.args))
		var cannot *CannotAskError
		switch {
		case c.cannot != "":
			if !errors.As(err, &cannot) || !strings.Contains(err.Error(), c.cannot) {
				t.Errorf("%s: %v", c.args, err)
			}
		case err != nil || !slices.Equal(got, strings.Fields(c.want)):
			t.Errorf("%s: %q, %v", c.args, got, err)
		}
	}
}
