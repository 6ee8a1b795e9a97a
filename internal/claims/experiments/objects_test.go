package experiments

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// TestObjectHeaders reads the headers of the corpus's objects. RC-164, RC-165 and RA-045 call byte 7 a class byte that
// marks Mercury, RA-121 takes byte 4 for the form of relocations.
func TestObjectHeaders(t *testing.T) {
	for in := range objects(t) {
		f := open(t, in.Data)
		if f.Header.Machine != 190 {
			t.Errorf("RC-002: %s: machine %d", in.Name, f.Header.Machine)
		}
		if in.Data[4] != 2 {
			t.Errorf("RC-165 RA-121: class %d", in.Data[4])
		}
		capsules := slices.ContainsFunc(sections(f), func(s named) bool { return strings.HasPrefix(s.name, ".nv.capmerc") })
		want := byte(0x33)
		if in.Release == "13.0" {
			want = 0x41
		}
		if in.Data[7] != want || capsules {
			t.Errorf("RC-164 RA-045: %s of %s for %s: byte 7 is %#x, capsules %v", in.Name, in.Release, in.Arch, in.Data[7], capsules)
		}
	}
}

// TestRelocationSections counts which types ptxas emits, where, and for which architectures.
func TestRelocationSections(t *testing.T) {
	type use struct {
		where map[string]bool
		sm    map[int]bool
	}
	uses := map[string]*use{}
	rel, rela := map[bool]int{}, map[bool]int{} // by: sm_90 and later
	family := regexp.MustCompile(`^\.(text|nv\.\w+|debug_\w+|nv_debug_\w+)`)
	for in := range objects(t) {
		f := open(t, in.Data)
		late := smOf(in.Arch) >= 90
		for _, s := range sections(f) {
			for _, header := range []string{".nv.tex.header", ".nv.samp.header", ".nv.surf.header"} { // RC-128
				if strings.HasPrefix(s.name, header) {
					t.Errorf("RC-128: %s has %s", in.Name, s.name)
				}
			}
			if s.Type != cuda.SHTRel && s.Type != cuda.SHTRela {
				continue
			}
			target := f.Section(int(s.Info))
			name := f.SectionName(&target)
			prefix, entry := ".rel", uint64(16) // RA-128: "a 12-byte record"
			count := rel
			if s.Type == cuda.SHTRela {
				prefix, entry, count = ".rela", 24, rela
			}
			if s.name != prefix+name || s.EntSize != entry {
				t.Errorf("RC-003 RA-128: %s for %s, %d bytes a record", s.name, name, s.EntSize)
			}
			if strings.HasPrefix(name, ".nv.info") {
				t.Errorf("RC-025: records for %s", name)
			}
			for _, r := range recordsOf(t, f, &s.Section) {
				count[late]++
				known, ok := cuda.LookupReloc(r.Type)
				if !ok {
					t.Fatalf("type %d", r.Type)
				}
				u := uses[known.Name]
				if u == nil {
					u = &use{map[string]bool{}, map[int]bool{}}
					uses[known.Name] = u
				}
				u.where[family.FindString(name)] = true
				u.sm[smOf(in.Arch)] = true
			}
		}
	}
	t.Logf("REL %v, RELA %v (true: from sm_90 on)", rel, rela)
	if rel[true] != 0 || rela[true] == 0 || rel[false] == 0 || rela[false] == 0 {
		t.Errorf("RC-003 RA-039: REL %v, RELA %v", rel, rela)
	}
	oldest := func(name string) int {
		u := uses["R_CUDA_"+name]
		if u == nil {
			return 0
		}
		least := 1000
		for sm := range u.sm {
			least = min(least, sm)
		}
		return least
	}
	for _, c := range []struct {
		id, name string
		sm       int
	}{
		{"RC-116", "ABS47_34", 70}, {"RC-116", "ABS55_16_34", 90}, {"RC-116", "ABS56_16_34", 90}, {"RC-135", "CONST_FIELD21_20", 50},
		{"RC-168", "ABS32_LO_32", 70},
	} {
		if got := oldest(c.name); got != c.sm {
			t.Errorf("%s: %s is emitted from sm_%d on, wanted %d", c.id, c.name, got, c.sm)
		}
	}
	for _, c := range []struct{ id, name, not string }{{"RC-098", "32", ".text"}, {"RC-098", "64", ".text"}} {
		if u := uses["R_CUDA_"+c.name]; u == nil || u.where[c.not] {
			t.Errorf("%s: %s stands in %s", c.id, c.name, c.not)
		}
	}
	if u := uses["R_CUDA_UNUSED_CLEAR64"]; u == nil || len(u.where) != 1 || !u.where[".debug_frame"] || uses["R_CUDA_UNUSED_CLEAR32"] != nil {
		t.Error("RC-154:", u)
	}
}

// TestLanes looks at the eight byte lanes of one address, as ptxas lays them down: the place moves by one byte while the
// type's number of bits moves by eight, so the lane goes to the place itself (RC-100, RC-102; CM-103: in data).
func TestLanes(t *testing.T) {
	const lanes = `.global .u32 x = 5;
.global .align 8 .u8 b[8] = {0xff(generic(x)), 0xff00(generic(x)), 0xff0000(generic(x)), 0xff000000(generic(x)), 0xff00000000(generic(x)),
 0xff0000000000(generic(x)), 0xff000000000000(generic(x)), 0xff00000000000000(generic(x))};
.visible .entry k(.param .u64 p){ .reg .b64 %d<3>; ld.param.u64 %d1,[p]; ld.global.u8 %d2,[b]; st.global.u8 [%d1],%d2; ret; }
`
	const kernel = `.visible .entry k2(){ ret; }
.global .align 8 .u8 b[8] = {0xff(k2), 0xff00(k2), 0xff0000(k2), 0xff000000(k2), 0xff00000000(k2), 0xff0000000000(k2), 0xff000000000000(k2), 0xff00000000000000(k2)};
.visible .entry k(.param .u64 p){ .reg .b64 %d<3>; ld.param.u64 %d1,[p]; ld.global.u8 %d2,[b]; st.global.u8 [%d1],%d2; ret; }
`
	for _, c := range []struct {
		ptx           string
		arch, section string
		first         uint32
	}{{lanes, "sm_75", ".nv.global.init", cuda.R_CUDA_G8_0}, {lanes, "sm_90", ".nv.global.init", cuda.R_CUDA_G8_0}, {lanes, "sm_100", ".nv.merc.nv.global.init", 0x10018},
		{kernel, "sm_75", ".nv.global.init", cuda.R_CUDA_FUNC_DESC_8_0}} {
		f := open(t, assemble(t, "13.0", c.arch, c.ptx))
		byOffset := map[uint64]uint32{}
		least := uint64(1 << 40)
		for _, s := range sections(f) {
			if s.Type != cuda.SHTRel && s.Type != cuda.SHTRela && s.Type != 0x70000082 {
				continue
			}
			target := f.Section(int(s.Info))
			name := f.SectionName(&target)
			for _, r := range recordsOf(t, f, &s.Section) {
				lane := r.Type >= c.first && r.Type < c.first+8
				if name == c.section && lane {
					byOffset[r.Off] = r.Type
					least = min(least, r.Off)
				}
				if lane && (strings.HasPrefix(name, ".text") || strings.HasPrefix(name, ".nv.capmerc")) {
					t.Errorf("CM-103: a lane in %s", name)
				}
			}
		}
		if len(byOffset) != 8 {
			t.Errorf("%s: %d lanes", c.arch, len(byOffset))
		}
		for k := range uint64(8) {
			if got := byOffset[least+k]; got != c.first+uint32(k) {
				t.Errorf("RC-100 RC-102 RC-124: %s: byte %d has type %#x", c.arch, k, got)
			}
		}
	}
}

// TestDisassembly asks nvdisasm how wide the halves are that a pair of instructions carries (RC-115, RC-123), and how
// long an instruction is (RA-096).
func TestDisassembly(t *testing.T) {
	const address = `.global .u32 x;
.visible .entry k2(){ ret; }
.visible .func f(){ ret; }
.visible .entry k(.param .u64 p){ .reg .b64 %d<4>; ld.param.u64 %d1,[p]; mov.u64 %d2,x; st.global.u64 [%d1],%d2; mov.u64 %d3,f; st.global.u64 [%d1+8],%d3; mov.u64 %d3,k2; st.global.u64 [%d1+16],%d3; ret; }
`
	text := dump(t, "13.0", "nvdisasm", []string{"-c"}, assemble(t, "13.0", "sm_75", address))
	for _, want := range []string{"32@lo(x)", "32@hi(x)", "32@lo(fun@fdesc(k2))", "32@hi(fun@fdesc(k2))"} {
		if !strings.Contains(text, want) {
			t.Errorf("RC-115 RC-123: nvdisasm doesn't print %s", want)
		}
	}
	if strings.Contains(text, "16@") {
		t.Error("RC-115: a half of 16 bits")
	}
	if strings.Contains(text, "/*0008*/") || !strings.Contains(text, "/*0010*/") {
		t.Error("RA-096: instructions of sm_75 have not 16 bytes")
	}
}
