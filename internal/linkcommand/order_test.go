package linkcommand

import "testing"

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
