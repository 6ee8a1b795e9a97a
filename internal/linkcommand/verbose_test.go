package linkcommand

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
)

var saidBarriers = regexp.MustCompile(`used (\d+) barriers`)

// linked is what a link with -v says of barriers, and all that it says.
func linked(t *testing.T, args ...string) (numbers, said string) {
	t.Helper()
	var out, err bytes.Buffer
	args = append(args, "-v", "-o", filepath.Join(t.TempDir(), "out.cubin"))
	Run(Call{Tool: "twinlink link", Out: &out, Err: &err}, args)
	var list []string
	for _, m := range saidBarriers.FindAllStringSubmatch(err.String(), -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, " "), err.String()
}

// TestStaleBarriers: kernels without barriers get numbers from memory that nvlink doesn't set, and the
// same here.
func TestStaleBarriers(t *testing.T) {
	text, err := os.ReadFile("testdata/barriers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		args := append([]string{"-toolkit=" + f[0]}, strings.Fields(f[1])...)
		for _, name := range strings.Fields(f[2]) {
			args = append(args, "../../corpus/testdata/"+name)
		}
		if got, said := linked(t, args...); got != f[3] {
			t.Errorf("%s %s %s: barriers %s, nvlink says %s\n%s", f[0], f[1], f[2], got, f[3], said)
		} else if strings.Contains(said, "uninitialized memory") {
			t.Errorf("%s %s %s: a warning of a number that is nvlink's", f[0], f[1], f[2])
		}
	}
}

// TestStaleAddress: after a host object the number is an address for nvlink 13.1, another in each run, and has
// a warning.
func TestStaleAddress(t *testing.T) {
	const device, host = "../../corpus/testdata/links/lanes/13.0-sm_80/a.cubin", "../container/testdata/13.0-part.o"
	if _, said := linked(t, "-toolkit=13.1", "-arch=sm_80", device, host); !strings.Contains(said, "uninitialized memory") {
		t.Errorf("no warning of what isn't known:\n%s", said)
	}
}

// TestCompatRead: what nvlink 13.1.115 printed of an object of which one attribute of .nv.compat was
// called 0c, which it doesn't know.
func TestCompatRead(t *testing.T) {
	data, err := os.ReadFile("../../corpus/testdata/links/cluster/13.0-sm_90/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(f.Lookup(".nv.compat"))
	for attr, want := range map[byte]string{5: "16842752", 6: "16777472", 7: "65792"} {
		changed := bytes.Clone(data)
		records := changed[s.Off : s.Off+s.Size]
		for at := 0; at < 24; at += 4 {
			if records[at+1] == attr {
				records[at+1] = 0x0c
			}
		}
		name := filepath.Join(t.TempDir(), "a.cubin")
		if err := os.WriteFile(name, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, said := linked(t, "-toolkit=13.1", "-arch=sm_90", name); !strings.HasPrefix(got, want) {
			t.Errorf("without attribute %d: barriers %s, nvlink says %s\n%s", attr, got, want, said)
		}
	}
}
