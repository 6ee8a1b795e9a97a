package main

import (
	"strings"
	"testing"
)

// TestLibrary wants a link to get of each object of an archive the newest that its linker reads, for its architecture.
func TestLibrary(t *testing.T) {
	b := &bed{closing: []*object{
		{Name: "a", Arch: "sm_90", Release: "13.0"}, {Name: "a", Arch: "sm_90", Release: "13.4"}, {Name: "a", Arch: "sm_90", Release: "13.5"},
		{Name: "b", Arch: "sm_90", Release: "13.5"}, {Name: "c", Arch: "sm_100", Release: "13.0"},
	}}
	for release, want := range map[string]string{"12.4": "", "13.3": "a 13.0", "13.4": "a 13.4", "13.5": "a 13.5, b 13.5"} {
		var got []string
		for _, o := range b.library(&plan{arch: "sm_90", release: release}) {
			got = append(got, o.Name+" "+o.Release)
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %q, not %q", release, s, want)
		}
	}
}

// TestLaunching wants addresses of kernels in about one program of three, and in nearly all where they were asked for.
func TestLaunching(t *testing.T) {
	count := func(all bool) (n int) {
		b := &bed{seed: 5, launching: all}
		b.generate(60)
		seen := map[string]bool{}
		for _, s := range b.sources {
			if strings.Contains(string(s.text), " kt") || strings.Contains(string(s.text), "cudaLaunchDeviceV2") {
				seen[s.family] = true
			}
		}
		return len(seen)
	}
	if some, all := count(false), count(true); some < 5 || some > 30 || all < 40 {
		t.Errorf("%d and %d programs of 60", some, all)
	}
}
