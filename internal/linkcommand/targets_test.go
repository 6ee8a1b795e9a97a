package linkcommand

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

var recordTargets = flag.Bool("record-targets", false, "ask nvlink, and write testdata/targets.tsv anew")

// askedTargets are all that some release knows, and a few that none does.
var askedTargets = strings.Fields("sm_30 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_89a sm_90 sm_90a sm_90f " +
	"sm_100 sm_100a sm_100f sm_101 sm_103 sm_103a sm_103f sm_107 sm_107a sm_107f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f sm_122")

// targetPrograms are small programs; what of them nvlink does its own way on some targets shows in image and messages.
var targetPrograms = []struct {
	name    string
	objects func(t *testing.T, release string, sm uint32) map[string][]byte // nil where there are none for the target
}{
	{"call", func(t *testing.T, release string, sm uint32) map[string][]byte {
		if sm == 107 || sm >= 120 {
			return nil // the code is another one's, and is rescheduled
		}
		return defined(t, release, sm, "func_extern.a", "func.b")
	}},
	{"tables", func(t *testing.T, release string, sm uint32) map[string][]byte {
		return defined(t, release, sm, "texture.b", "const_init.a")
	}},
	{"large", func(t *testing.T, release string, sm uint32) map[string][]byte {
		from := map[string]string{"11.8": "11.8-sm_80", "12.4": "12.4-sm_50"}[release]
		switch {
		case sm >= 100 && (release != "13.5" || sm < 120):
			return nil
		case sm >= 100:
			from = "13.5-sm_120"
		case from == "":
			from = "13.0-sm_90"
		}
		objects := map[string][]byte{}
		for _, name := range []string{"k.cubin", "f.cubin"} {
			data, err := os.ReadFile("../../corpus/testdata/cases/too_much_shared/" + from + "/" + name)
			if err != nil {
				t.Fatal(err)
			}
			growShared(t, data)
			objects[name] = data
		}
		return objects
	}},
}

// defined are objects of package definitions.
func defined(t *testing.T, release string, sm uint32, keys ...string) map[string][]byte {
	t.Helper()
	all, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	from := drawnReleases[release] + "/sm_75/"
	if sm >= 100 {
		from = "13.0/sm_100/"
	}
	objects := map[string][]byte{}
	for _, key := range keys {
		if all[from+key] == nil {
			t.Fatal(from + key)
		}
		objects[key+".cubin"] = slices.Clone(all[from+key])
	}
	return objects
}

// growShared makes a shared variable larger than any target allows.
func growShared(t *testing.T, data []byte) {
	t.Helper()
	f, err := cubin.Open("", data)
	if err != nil {
		t.Fatal(err)
	}
	const most = 0x4000000
	le := binary.LittleEndian
	for i := range f.NumSections() {
		s := f.Section(i)
		at := f.Header.ShOff + uint64(i)*64
		switch {
		case shared(&s, f):
			le.PutUint64(data[at+32:], most)
		case s.Type == cuda.SHTSymtab:
			for k := s.Off; k < s.Off+s.Size; k += 24 {
				of := f.Section(int(le.Uint16(data[k+6:])))
				if shared(&of, f) && le.Uint64(data[k+16:]) != 0 {
					le.PutUint64(data[k+16:], most)
				}
			}
		}
	}
}

// shared reports whether variables of a kernel's shared memory are in a section.
func shared(s *cubin.Section, f *cubin.File) bool {
	return s.Type == cuda.SHTCudaShared || strings.HasPrefix(f.SectionName(s), ".nv.shared")
}

// targeted makes an object one for a target of some number.
func targeted(data []byte, sm uint32) {
	le := binary.LittleEndian
	flags := le.Uint32(data[48:])
	if data[7] == cuda.OSABILegacy {
		flags = flags&^0xff00ff | sm | sm<<16
	} else {
		flags = flags&^uint32(cuda.EFSMMask) | sm<<cuda.EFSMShift
	}
	le.PutUint32(data[48:], flags)
}

// targetLine is one link for a target.
type targetLine struct {
	drawn
	folder map[string][]byte
}

func targetLines(t *testing.T) (list []targetLine) {
	t.Helper()
	for _, release := range []string{"11.8", "12.4", "13.0", "13.3", "13.5"} {
		for _, target := range askedTargets {
			var sm uint32
			if _, err := fmt.Sscanf(target, "sm_%d", &sm); err != nil {
				t.Fatal(err)
			}
			for _, p := range targetPrograms {
				l := targetLine{drawn{release: release, args: []string{"-arch=" + target}}, p.objects(t, release, sm)}
				if l.folder == nil {
					continue
				}
				for _, name := range slices.Backward(slices.Sorted(maps.Keys(l.folder))) {
					targeted(l.folder[name], sm)
					l.args = append(l.args, name)
				}
				l.args = append(l.args, "-o", "out.cubin")
				list = append(list, l)
			}
		}
	}
	return list
}

// TestTargets links small programs for every target with every release, and wants what nvlink was seen to do.
func TestTargets(t *testing.T) {
	lines := targetLines(t)
	if *recordTargets {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(l.theirs(t, l.folder) + "\n")
		}
		if err := os.WriteFile("testdata/targets.tsv", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("testdata/targets.tsv")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(text), "\n")
	t.Chdir(t.TempDir())
	for i, l := range lines {
		for name, data := range l.folder {
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.String() + "\t" + l.ours(t); i >= len(want) || got != want[i] {
			t.Errorf("\n%s\nnvlink, as recorded:\n%s", got, want[min(i, len(want)-1)])
		}
	}
}
