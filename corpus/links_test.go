package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/internal/manifest"
)

var releases = map[string][]string{
	"11.8": {"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90"},
	"12.4": {"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72", "sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a"},
	"13.0": {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a"},
}

// TestCases wants every case to be consistent in itself.
func TestCases(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.ID()] {
			t.Errorf("%s: twice", c.ID())
		}
		seen[c.ID()] = true
		if c.Linked() != (c.Exit == 0) {
			t.Errorf("%s: exit %d, output %v", c.ID(), c.Exit, c.Linked())
		}
		if c.Exit != 0 && c.Stderr == "" {
			t.Errorf("%s: refused without a word", c.ID())
		}
		if c.Output != nil {
			if sum := sha256.Sum256(c.Output); hex.EncodeToString(sum[:]) != c.SHA256 {
				t.Errorf("%s: output is not the one of the manifest", c.ID())
			}
		}
		if c.Complete() && c.Linked() && c.Output == nil {
			t.Errorf("%s: no output though nothing of NVIDIA's is in it", c.ID())
		}
		for _, in := range c.Inputs {
			if !slices.Contains(c.Args, in.Name) {
				t.Errorf("%s: input %s is not in the arguments", c.ID(), in.Name)
			}
			if in.Witness != "" && in.Data != nil {
				t.Errorf("%s: input %s is a file of NVIDIA's", c.ID(), in.Name)
			}
		}
	}
}

// TestReach wants thirty programs, all releases, and of each release all architectures.
func TestReach(t *testing.T) {
	programs, err := Links()
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 30 {
		t.Errorf("%d programs", len(programs))
	}
	got := map[string]map[string]bool{}
	for _, p := range programs {
		if p.About == "" || len(p.Reaches) == 0 || len(p.Cases) == 0 {
			t.Errorf("%s: nothing about it, or no case", p.Name)
		}
		for _, c := range p.Cases {
			if got[c.Release] == nil {
				got[c.Release] = map[string]bool{}
			}
			got[c.Release][c.Arch] = true
		}
	}
	for release, archs := range releases {
		for _, a := range archs {
			if !got[release][a] {
				t.Errorf("no case of %s for %s", release, a)
			}
		}
	}
}

// TestWanted wants what the project asked of the corpus.
func TestWanted(t *testing.T) {
	programs, err := Links()
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, w := range strings.Fields(`global constant constant-bank-2 constant-bank-3 local shared-static shared-dynamic shared-function weak-function
		weak-object duplicate common static function-pointer indirect-call recursion dead-code byte-lanes texture sampler surface system-call
		device-launch registers debug lineinfo -g -lineinfo --preserve-relocs -r -kernels-used`) {
		missing[w] = true
	}
	for _, p := range programs {
		for _, r := range p.Reaches {
			delete(missing, r)
		}
		for _, c := range p.Cases {
			for _, a := range c.Args {
				name, _, _ := strings.Cut(a, "=")
				delete(missing, name)
			}
			for _, in := range c.Inputs {
				for _, f := range in.Flags {
					delete(missing, f)
				}
			}
		}
	}
	for w := range missing {
		t.Errorf("nothing reaches %s", w)
	}
}

// TestFormat wants the manifest to be as corpus/internal/links writes it.
func TestFormat(t *testing.T) {
	text, err := linkFiles.ReadFile("testdata/links/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	again := m.Format()
	if !bytes.Equal(text, again) {
		t.Error("manifest.json is not formatted; run corpus/internal/links -update")
	}
}

// TestBudget keeps the corpus below eight megabytes.
func TestBudget(t *testing.T) {
	total := int64(0)
	err := fs.WalkDir(linkFiles, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > 8<<20 {
		t.Errorf("%d bytes", total)
	}
}

// TestSources wants a comment at the head of every module.
func TestSources(t *testing.T) {
	programs, err := Links()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		for _, s := range p.Sources {
			if !strings.HasPrefix(string(s.Text), "// ") {
				t.Errorf("%s/%s: no comment", p.Name, s.Name)
			}
		}
	}
}
