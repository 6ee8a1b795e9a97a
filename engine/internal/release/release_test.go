package release

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

func TestParseTarget(t *testing.T) {
	for name, want := range map[string]Target{
		"sm_50": {SM: 50}, "sm_90a": {SM: 90, Accelerated: true}, "sm_100": {SM: 100}, "sm_103f": {SM: 103, Family: true}, "sm_121a": {SM: 121, Accelerated: true},
	} {
		want.Name = name
		if got, ok := ParseTarget(name); !ok || got != want {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "sm_", "sm_9", "sm_a", "sm_9a", "sm_1000", "sm_90b", "sm_90aa", "sm_9:", "sm_/0", "compute_90", "90", "SM_90", "sm_90 "} {
		if got, ok := ParseTarget(name); ok {
			t.Errorf("%q: %+v", name, got)
		}
	}
}

// The targets of each release, as its help says them; of 12.8 and 12.9 nvJitLink's.
func TestArchs(t *testing.T) {
	const (
		of118 = "sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90"
		of124 = "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a"
		of128 = of124 + " sm_100 sm_100a sm_101 sm_101a sm_120 sm_120a"
		of130 = "sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a"
		of134 = of130 + " sm_107 sm_107a sm_107f"
	)
	for name, archs := range map[string]string{"11.8": of118, "12.0": of124, "12.4": of124, "12.6": of124, "12.8": of128,
		"12.9": of128 + " sm_100f sm_101f sm_103 sm_103a sm_103f sm_120f sm_121 sm_121a sm_121f", "13.0": of130, "13.1": of130, "13.3": of130, "13.4": of134, "13.5": of134} {
		got, want := slices.Sorted(slices.Values(Choose(name, 0).Archs)), strings.Fields(archs)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A release by its name, the name of one of its builds, or the newest input; of releases that nobody asked nvlink of
// none is chosen by an input.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		newest uint32
		want   string
	}{
		{"12.4", 0, "12.4"}, {"12.4", 999, "12.4"}, {"12.4.131", 0, "12.4"}, {"12.40", 0, ""}, {"12", 0, ""}, {"13.5.37", 0, "13.5"}, {"9.9", 0, ""},
		{"", 0, "11.8"}, {"", 118, "11.8"}, {"", 119, "12.4"}, {"", 123, "12.4"}, {"", 125, "13.0"}, {"", 129, "13.0"}, {"", 131, "13.1"}, {"", 135, "13.5"}, {"", 136, ""},
		{"12.0", 0, "12.0"}, {"12.8", 0, "12.8"},
		{"13.2.86", 0, "13.2"}, {"13.2.78", 0, "13.2.78"}, {"13.0.48", 0, "13.0.48"}, {"13.2.99", 0, ""}, {"13.2.7", 0, ""},
	} {
		got := ""
		if r := Choose(c.name, c.newest); r != nil {
			got = r.Name
		}
		if got != c.want {
			t.Errorf("%q, %d: %q, want %q", c.name, c.newest, got, c.want)
		}
	}
	for i, r := range All {
		if major, minor, _ := strings.Cut(r.Name, "."); r.Toolkit != number(major)*10+number(minor) || i > 0 && All[i-1].Toolkit >= r.Toolkit {
			t.Errorf("%s has number %d", r.Name, r.Toolkit)
		}
		if !r.Notes && r.Eversion != r.Toolkit || r.Notes && (r.Eversion != 1 || !strings.Contains(r.Version, "release "+r.Name+", V"+r.Name+".") || !strings.HasPrefix(r.Build, "Build cuda_"+r.Name+".r"+r.Name+"/compiler.")) {
			t.Errorf("%s: %d, %q, %q", r.Name, r.Eversion, r.Version, r.Build)
		}
	}
}

func number(digits string) (n uint32) {
	for _, c := range digits {
		n = n*10 + uint32(c-'0')
	}
	return n
}

// How much shared memory a kernel may use: the number that nvlink names where it refuses one.
func TestMostShared(t *testing.T) {
	for _, c := range []struct {
		release, target string
		want            int32
	}{
		{"11.8", "sm_80", 0xc000}, {"12.3", "sm_90", 0xc000}, {"12.4", "sm_50", 0x10000}, {"12.4", "sm_52", 0x18000}, {"12.4", "sm_53", 0x10000},
		{"12.4", "sm_60", 0x10000}, {"12.4", "sm_61", 0x18000}, {"12.4", "sm_62", 0x10000}, {"12.4", "sm_70", 0x18000}, {"12.4", "sm_72", 0x10000},
		{"12.4", "sm_75", 0x10000}, {"12.4", "sm_80", 0x29000}, {"12.4", "sm_86", 0x19000}, {"12.6", "sm_87", 0x29000}, {"12.4", "sm_89", 0x29000},
		{"12.4", "sm_90", 0x29000}, {"12.4", "sm_90a", 0x29000}, {"12.8", "sm_90a", 0xc000}, {"13.0", "sm_90", 0xc000}, {"13.0", "sm_90a", 0x38c00},
		{"13.0", "sm_103f", 0xc000}, {"13.5", "sm_110a", 0x38c00}, {"13.5", "sm_120a", 0x18c00}, {"13.5", "sm_121a", 0x18c00}, {"13.5", "sm_121", 0xc000},
	} {
		target, _ := ParseTarget(c.target)
		if got := Choose(c.release, 0).MostShared(target); got != c.want {
			t.Errorf("%s as %s: %#x, want %#x", c.target, c.release, got, c.want)
		}
	}
}

// Functions of the driver, and the first release that has those of graphs.
func TestDriverDefines(t *testing.T) {
	first := map[string]string{"vprintf": "11.8", "malloc": "11.8", "__assertfail": "11.8", "free": "11.8", "vfprintf": "11.8", "__cuda_syscall_x": "11.8", "cnpGetLimit": "11.8", "cnpLaunchDeviceV2": "11.8",
		"cudaGraphLaunch": "12.0", "cudaGraphSetConditional": "12.3", "cudaGraphKernelNodeSetParam": "12.4", "cudaGraphKernelNodeSetEnabled": "12.4",
		"cudaGraphKernelNodeSetGridDim": "12.4", "cudaGraphKernelNodeUpdatesApply": "12.4", "printf": "14", "cudaGraphDestroy": "14", "": "14", "__cuda_sys": "14"}
	for name, from := range first {
		for _, r := range All {
			if got, want := r.DriverDefines(name), r.Name >= from; got != want {
				t.Errorf("%s of %s: %v", name, r.Name, got)
			}
		}
	}
}

// Which attributes of .nv.compat a release knows, and what it says of those that inputs lack.
func TestCompatRules(t *testing.T) {
	known := func(r string) (list []int) {
		for a := range 256 {
			if _, ok := Choose(r, 0).CompatFormat(cuda.CompatAttr(a)); ok {
				list = append(list, a)
			}
		}
		return list
	}
	until132 := []int{int(cuda.CompatISAClass), int(cuda.CompatInstTensormapV1), int(cuda.CompatInstTcgen05MMA), int(cuda.CompatEnableOpportunisticFinalization),
		int(cuda.CompatAcceleratorTarget), int(cuda.CompatMercuryISAMajorMinor), int(cuda.CompatMercuryISAPatch), int(cuda.CompatCanFastpathFinalize)}
	slices.Sort(until132)
	from133, from134 := append(slices.Clone(until132), 0xd), append(slices.Clone(until132), 0xc, 0xd, 0xe, 0xf)
	for r, want := range map[string][]int{"13.0": until132, "13.2": until132, "13.3": from133, "13.4": from134, "13.5": from134} {
		if got := known(r); !slices.Equal(got, want) {
			t.Errorf("%s knows %v, want %v", r, got, want)
		}
	}
	c := CompatRules{Missing: []CompatRecord{{Attr: 7, Value: 1, Silent: true}, {Attr: 8, Value: 1}}}
	for _, says := range []struct {
		attr  cuda.CompatAttr
		value uint16
		want  bool
	}{{7, 1, false}, {7, 2, true}, {8, 1, true}, {9, 1, true}} {
		if c.Says(says.attr, says.value) != says.want {
			t.Errorf("%d of %d is said: %v", says.value, says.attr, !says.want)
		}
	}
}
