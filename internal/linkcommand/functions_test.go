package linkcommand

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFunctions: what kernels get of functions that use tensor memory (tcgen05_calls, tensor_columns), and of none where
// a filter hides a kernel that its address keeps (kept_address); functions of the program's own that are called as the driver's
// and use shared memory (driver_names). ptxas of a row's release compiled the PTX, and nvlink of that release linked it:
// 12.4.131, 13.0.88, 13.1.115, 13.4.92 and 13.5.37.
func TestFunctions(t *testing.T) {
	for _, c := range []struct{ program, folder, objects, args string }{
		{"tcgen05_calls", "13.0-sm_100a", "13.0-sm_100a/a 13.0-sm_100a/b", ""},
		{"tcgen05_calls", "13.0-sm_100a-only", "13.0-sm_100a/a 13.0-sm_100a/b", "-kernels-used=paired"},
		{"tcgen05_calls", "13.5-sm_100a", "13.5-sm_100a/b 13.5-sm_100a/a", ""},
		{"tcgen05_calls", "13.5-sm_100a-r", "13.5-sm_100a/a 13.5-sm_100a/b", "-r"},
		{"tensor_columns", "13.5-sm_100a", "13.5-sm_100a-g/a", ""},
		{"tensor_columns", "13.5-sm_100a-r", "13.5-sm_100a-g/a", "-r"},
		{"tensor_columns", "13.5-sm_100a-only", "13.5-sm_100a-g/a", "-kernels-used=calls"},
		{"kept_address", "12.4-sm_75-filter", "12.4-sm_75/a", "-kernels-used=zz"},
		{"kept_address", "13.0-sm_90-variables", "13.0-sm_90/a", "-variables-used=t"},
		{"kept_address", "13.5-sm_120-filter", "13.5-sm_120/a", "-kernels-used=zz"},
		{"driver_names", "12.4-sm_80", "12.4-sm_80/a", "-suppress-stack-size-warning"},
		{"driver_names", "13.0-sm_90-r", "13.0-sm_90/a", "-r -suppress-stack-size-warning"},
		{"driver_names", "13.1-sm_100", "13.1-sm_100/a", "-suppress-stack-size-warning"},
		{"driver_names", "13.4-sm_80-only", "13.4-sm_80/a", "-kernels-used=one -suppress-stack-size-warning"},
		{"driver_names", "13.5-sm_110", "13.5-sm_110/a", "-suppress-stack-size-warning"},
	} {
		dir := filepath.Join("testdata", "functions", c.program)
		want, err := os.ReadFile(filepath.Join(dir, c.folder, "out.cubin"))
		if err != nil {
			t.Fatal(err)
		}
		release, arch, _ := strings.Cut(c.folder, "-")
		arch, _, _ = strings.Cut(arch, "-")
		out := filepath.Join(t.TempDir(), "out.cubin")
		args := append([]string{"-toolkit=" + release, "-arch=" + arch, "-o", out}, strings.Fields(c.args)...)
		for _, o := range strings.Fields(c.objects) {
			args = append(args, filepath.Join(dir, o+".cubin"))
		}
		var said bytes.Buffer
		Run(Call{Tool: NvlinkName, Out: &said, Err: &said}, args)
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) || said.Len() > 0 {
			t.Errorf("%s %s: %v, %d bytes, nvlink made %d\n%s", c.program, c.folder, err, len(got), len(want), &said)
		}
	}
}

// TestBothGranularities: a kernel may not have tcgen05 of single CTAs and of pairs (nvlink 13.0.88).
func TestBothGranularities(t *testing.T) {
	dir := filepath.Join("testdata", "functions", "tcgen05_calls")
	want, err := os.ReadFile(filepath.Join(dir, "13.0-sm_100a-both", "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, "13.0-sm_100a")
	if _, said := linked(t, "-toolkit=13.0", "-arch=sm_100a", filepath.Join(at, "a.cubin"), filepath.Join(at, "b.cubin"), filepath.Join(at, "c.cubin")); !strings.HasPrefix(said, string(want)) {
		t.Errorf("said\n%swant\n%s", said, want)
	}
}

// TestWorkID: of a kernel of 13.3 that asks for the next cluster (clusterlaunchcontrol.try_cancel) nvlink 13.4.92 and 13.5.37
// give scoreboards out again. Not all such kernels are nvlink's here, so there is a warning.
func TestWorkID(t *testing.T) {
	dir := filepath.Join("testdata", "functions", "work_id")
	for folder, arg := range map[string]string{"13.4-sm_100-r": "-r", "13.5-sm_100": ""} {
		want, err := os.ReadFile(filepath.Join(dir, folder, "out.cubin"))
		if err != nil {
			t.Fatal(err)
		}
		release, _, _ := strings.Cut(folder, "-")
		out := filepath.Join(t.TempDir(), "out.cubin")
		var said bytes.Buffer
		Run(Call{Tool: NvlinkName, Out: &said, Err: &said}, append(strings.Fields(arg), "-toolkit="+release, "-arch=sm_100", "-o", out, filepath.Join(dir, "13.3-sm_100", "a.cubin")))
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) || strings.Count(said.String(), "Kernel 'k' was rescheduled") != 1 {
			t.Errorf("%s: %v, %d bytes, nvlink made %d; said\n%s", folder, err, len(got), len(want), &said)
		}
	}
}
