package experiments

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// program has what a Mercury object can have: constants, jump tables, globals, shared memory, calls, several functions.
const program = `.const .u32 c = 7;
.global .align 8 .u64 g = 5;
.shared .align 4 .b8 s[64];
.extern .shared .align 4 .b8 dyn[];
.visible .func (.param .u32 r) f(.param .u32 a){ .reg .b32 %x; ld.param.u32 %x,[a]; mul.lo.u32 %x,%x,%x; st.param.u32 [r],%x; ret; }
.visible .entry k(.param .u64 p, .param .u32 n){ .reg .b64 %d<4>; .reg .b32 %x<9>; .reg .pred %q;
 ld.param.u64 %d1,[p]; ld.param.u32 %x1,[n]; ld.const.u32 %x2,[c]; ld.global.u64 %d2,[g]; st.shared.u32 [s],%x2; st.shared.u32 [dyn],%x1; bar.sync 0; ld.shared.u32 %x3,[s+4];
 setp.gt.u32 %q,%x1,7; @%q bra done;
 targets: .branchtargets A, B, C, D, E, F;
 brx.idx %x1, targets;
A: add.u32 %x3,%x3,1; bra done;
B: mul.lo.u32 %x3,%x3,13; bra done;
C: sub.u32 %x3,%x3,5; bra done;
D: xor.b32 %x3,%x3,%x1; bra done;
E: shl.b32 %x3,%x3,3; bra done;
F: not.b32 %x3,%x3;
done:
 {.param .u32 a; .param .u32 r; st.param.u32 [a],%x3; call (r),f,(a); ld.param.u32 %x4,[r];}
 st.global.u32 [%d1],%x4; st.global.u64 [%d1+8],%d2; ret; }
`

// moreDebug adds sections that the program's compiler didn't write; ptxas takes them as they are.
const moreDebug = `
	.section .debug_ranges { .b32 1,2,3,4 }
	.section .debug_aranges { .b32 1,2,3,4 }
	.section .debug_str { .b8 65,66,0 }
	.section .debug_pubnames { .b32 1,2,3 }
	.section .debug_pubtypes { .b32 1,2,3 }
`

var mercury = struct {
	sync.Mutex
	made map[string][]byte
}{made: map[string][]byte{}}

// mercuryObjects returns objects for sm_100: the program above and a C++ one with debug information.
func mercuryObjects(t *testing.T) map[string]*cubin.File {
	t.Helper()
	mercury.Lock()
	defer mercury.Unlock()
	if len(mercury.made) == 0 {
		mercury.made["plain"] = assemble(t, "13.0", "sm_100", program)
		mercury.made["reserved"] = assemble(t, "13.0", "sm_110", small)
		programs, err := corpus.Links()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			if p.Name == "cxx_debug" {
				mercury.made["debug"] = assembleText(t, "13.0", "sm_100", string(p.Sources[0].Text)+moreDebug, "-g")
			}
		}
	}
	files := map[string]*cubin.File{}
	for name, data := range mercury.made {
		files[name] = open(t, data)
	}
	return files
}

// TestMercurySections reads the section headers of objects for sm_100.
func TestMercurySections(t *testing.T) {
	clones := map[string]bool{}
	for _, f := range mercuryObjects(t) {
		list := sections(f)
		first := slices.IndexFunc(list, func(s named) bool { return s.Flags&0x10000000 != 0 })
		for _, s := range list {
			merc := strings.HasPrefix(s.name, ".nv.merc.")
			capsule := strings.HasPrefix(s.name, ".nv.capmerc.text.") // CM-002, CM-040: ".nv.capmerc" and ".text.f"
			if strings.HasPrefix(s.name, ".nv.capmerc") && !capsule {
				t.Errorf("CM-002 CM-040: %s", s.name)
			}
			// CM-138, CM-139, CM-170: the flag is on these and no others; CM-141: they are numbered on, after the others.
			if flag := s.Flags&0x10000000 != 0; flag != (merc || capsule) || flag != (s.index >= first) {
				t.Errorf("CM-138 CM-139 CM-141 CM-170: %s at %d has flags %#x", s.name, s.index, s.Flags)
			}
			if capsule && (s.Type != 0x70000016 || s.Flags != 0x10000000 || s.Align != 16) { // CM-142, CM-143, CM-166
				t.Errorf("CM-142 CM-143 CM-166: %+v", s.Section)
			}
			if capsule && !has(f, strings.TrimPrefix(s.name, ".nv.capmerc")) { // CM-006, CM-019, CM-020
				t.Errorf("CM-006 CM-019 CM-020: no counterpart of %s", s.name)
			}
			if merc {
				mercurySection(t, f, s, clones)
			}
			if strings.HasPrefix(s.name, ".text.") && s.Flags&4 == 0 { // CM-214: "sections with flags & 4 are skipped"
				t.Errorf("CM-214: %s", s.name)
			}
			if strings.HasPrefix(s.name, ".text.") { // CM-108: "the low 24 bits of sh_link"
				if symbol := symbolName(f, s.Info&0xffffff); ".text."+symbol != s.name || f.SectionName(at(f, s.Link)) != ".symtab" {
					t.Errorf("CM-108: %s: link %d, info %#x", s.name, s.Link, s.Info)
				}
			}
			if (s.Type == cuda.SHTRela || s.Type == cuda.SHTRel || s.Type == 0x70000082) && strings.Contains(s.name, ".nv.info") { // RC-025
				t.Errorf("RC-025: %s", s.name)
			}
			if s.Type == 0x70000006 { // CM-136
				t.Errorf("CM-136: %s", s.name)
			}
		}
		if first < 0 { // CM-001
			t.Error("CM-001: no Mercury section")
		}
		kernel := ""
		for _, s := range list {
			if k, ok := strings.CutPrefix(s.name, ".nv.constant0."); ok {
				kernel = k
			}
		}
		for _, name := range []string{".shstrtab", ".strtab", ".symtab", ".text." + kernel, ".nv.info." + kernel, ".note.nv.tkinfo", ".note.nv.cuinfo"} {
			if kernel == "" || !has(f, name) {
				t.Errorf("CM-021: no %s", name)
			}
		}
	}
	for _, name := range strings.Fields("debug_frame debug_info debug_line debug_str debug_abbrev nv_debug_ptx_txt nv_debug_line_sass nv_debug_info_reg_sass nv_debug_info_reg_type debug_pubnames debug_pubtypes debug_loc debug_aranges debug_macinfo debug_ranges") {
		if !clones[name] {
			t.Errorf("CM-024 CM-025 CM-026: no clone of %s", name)
		}
	}
	// CM-003, CM-027 to CM-030: of the document's list these were not written, and others were.
	for _, name := range strings.Fields("symtab_shndx nv.shared.reserved rela nv.constant0 nv.global nv.shared.k nv.local") {
		if clones[name] {
			t.Errorf("CM-027 CM-028 CM-029 CM-030: .nv.merc.%s", name)
		}
	}
	for _, name := range strings.Fields("symtab nv.info nv.global.init nv.constant.user nv.shared.reserved.0") {
		if !clones[name] {
			t.Errorf("CM-003 CM-028 CM-030: no .nv.merc.%s", name)
		}
	}
}

func at(f *cubin.File, i uint32) *cubin.Section {
	s := f.Section(int(i))
	return &s
}

// mercurySection checks one .nv.merc section.
func mercurySection(t *testing.T, f *cubin.File, s named, clones map[string]bool) {
	t.Helper()
	short := strings.TrimPrefix(s.name, ".nv.merc.")
	base := short
	for _, prefix := range []string{"nv.info.", "nv_debug_ptx_txt."} {
		if strings.HasPrefix(short, prefix) {
			base = strings.TrimSuffix(prefix, ".")
		}
	}
	clones[base] = true
	debug := strings.Contains(short, "debug_") && !strings.HasPrefix(short, "rela.")
	switch {
	case strings.HasPrefix(short, "rela."):
		target := f.SectionName(at(f, s.Info))
		// CM-160: "plus the section's name"; CM-159; CM-155 to CM-158, CM-167
		if s.Type != 0x70000082 || s.Flags != 0x10000040 || s.Align != 8 || s.EntSize != 24 || f.SectionName(at(f, s.Link)) != ".nv.merc.symtab" {
			t.Errorf("CM-155 CM-156 CM-157 CM-158 CM-167: %s: %+v", s.name, s.Section)
		}
		rest := strings.TrimPrefix(short, "rela.")
		if target != ".nv.merc."+rest && target != ".nv.capmerc."+rest {
			t.Errorf("CM-159 CM-160: %s is for %s", s.name, target)
		}
		if len(s.data)%24 != 0 {
			t.Errorf("CM-161: %d bytes", len(s.data))
		}
		for i := 0; i+24 <= len(s.data); i += 24 { // CM-161, CM-163
			number, symbol := le.Uint32(s.data[i+8:]), le.Uint32(s.data[i+12:])
			if number <= 0x10000 || int(symbol) >= f.Symtab().Len() {
				t.Errorf("CM-161 CM-163: %s: type %#x, symbol %d", s.name, number, symbol)
			}
		}
	case debug:
		counterpart := strings.TrimPrefix(s.name, ".nv.merc")
		// CM-131 to CM-135, CM-148, CM-149
		if s.Type != 1 || s.Flags != 0x10000000 || s.Align != 1 {
			t.Errorf("CM-131 CM-132 CM-133 CM-134 CM-135 CM-148 CM-149: %s: %+v", s.name, s.Section)
		}
		same := bytes.Equal(section(t, f, counterpart).data, s.data)
		switch base {
		case "debug_info": // CM-147, CM-154
			if !same || !has(f, ".nv.merc.rela.debug_info") {
				t.Error("CM-147 CM-154: the clone of .debug_info differs, or has no records")
			}
			symbols := section(t, f, ".nv.merc.symtab").data
			records := section(t, f, ".nv.merc.rela.debug_info").data
			for i := 0; i+24 <= len(records); i += 24 { // CM-151: the section symbols lead to clones
				sym := symbols[24*le.Uint32(records[i+12:]):]
				if sym[4]&15 == 3 && !strings.HasPrefix(f.SectionName(at(f, uint32(le.Uint16(sym[6:])))), ".nv.merc.") && !strings.HasPrefix(f.SectionName(at(f, uint32(le.Uint16(sym[6:])))), ".nv.capmerc.") {
					t.Errorf("CM-151: section %s", f.SectionName(at(f, uint32(le.Uint16(sym[6:])))))
				}
			}
		case "debug_frame", "debug_line", "nv_debug_line_sass": // CM-150
			if same {
				t.Errorf("CM-150: %s is a copy", s.name)
			}
		}
	case short == "nv.global.init": // CM-130, CM-136
		if s.Type != 0x70000008 {
			t.Errorf("CM-130 CM-136: %+v", s.Section)
		}
	case short == "nv.shared.reserved.0":
		if s.Type != 0x70000015 {
			t.Errorf("CM-130: %+v", s.Section)
		}
	case short == "nv.constant.user": // CM-168, CM-169
		if counterpart := section(t, f, ".nv.constant3"); s.Type != 0x7000007c || counterpart.Type != 0x70000067 {
			t.Errorf("CM-168 CM-169: %#x beside %#x", s.Type, counterpart.Type)
		}
	case short == "nv.info" || strings.HasPrefix(short, "nv.info."):
		if s.Type != 0x70000083 { // CM-169
			t.Errorf("CM-169: %#x", s.Type)
		}
	}
}

// TestCapsules takes capsules apart: a word with the section's number, a version word, the count of nodes, a bitmap of the
// nodes that have no bytes, and the records of the others.
func TestCapsules(t *testing.T) {
	for _, f := range mercuryObjects(t) {
		for _, s := range sections(f) {
			name, ok := strings.CutPrefix(s.name, ".nv.capmerc")
			if !ok {
				continue
			}
			text := section(t, f, name)
			d := s.data
			// CM-032, CM-146
			if le.Uint32(d) != uint32(text.index) || le.Uint32(d[4:]) != 0xC0000001 {
				t.Fatalf("CM-032 CM-146: %s: % x", s.name, d[:8])
			}
			nodes := int(le.Uint32(d[8:]))
			bitmap := d[12:][:4*((nodes+31)/32)]
			rest := d[12+len(bitmap):]
			spans, stored := 0, 0
			for i := range nodes {
				if bitmap[i/8]>>(i%8)&1 != 0 {
					spans++
					continue
				}
				w := le.Uint16(rest)
				switch w & 0x7f {
				case 0x50:
					spans += int(w >> 7)
					rest = rest[2:]
					continue
				case 0x51:
					spans += int(w >> 7)
					rest = rest[2:]
				default:
					spans++
				}
				n := map[byte]int{0x01: 16, 0x02: 32, 0x41: 4, 0x42: 4}[rest[0]] // CM-101: no 1280 bits
				if n == 0 {
					t.Fatalf("CM-101: %s: a record that begins with %#x", s.name, rest[0])
				}
				stored += n
				rest = rest[n:]
			}
			// CM-004, CM-033, CM-089, CM-145: nothing is left behind the records; CM-023: they cover all of the code.
			if len(rest) != 0 || 16*spans != len(text.data) {
				t.Errorf("CM-004 CM-023 CM-033 CM-089 CM-145: %s: %d bytes left, %d of %d bytes covered", s.name, len(rest), 16*spans, len(text.data))
			}
			if bytes.Contains(d, text.data[:32]) || len(d) >= len(text.data) { // CM-144
				t.Errorf("CM-144: %s: %d bytes for %d of code", s.name, len(d), len(text.data))
			}
			records := section(t, f, ".nv.merc.nv.info"+strings.TrimPrefix(name, ".text"))
			for _, r := range info(t, f, &records.Section) {
				if r.Attr != 90 {
					continue
				}
				// CM-070: read as {u16, u16, key, value} the first pair is longer than all of it.
				if int(le.Uint16(r.Data))+int(le.Uint16(r.Data[2:])) < len(r.Data) || bytes.Contains(r.Data, []byte("KNOBS")) || bytes.Contains(r.Data, []byte("optLevel")) {
					t.Errorf("CM-070: % x", r.Data)
				}
			}
		}
	}
}

// TestOutputModes compiles for old and new architectures: CM-007, CM-016, CM-017, CM-211.
func TestOutputModes(t *testing.T) {
	for _, c := range []struct{ release, arch string }{{"12.4", "sm_52"}, {"12.4", "sm_70"}, {"13.0", "sm_75"}, {"13.0", "sm_89"}, {"13.0", "sm_90a"}, {"13.0", "sm_100"}, {"13.0", "sm_120"}} {
		object := assemble(t, c.release, c.arch, small)
		if !bytes.HasPrefix(object, []byte("\x7fELF")) {
			t.Errorf("CM-211: %s", c.arch)
		}
		mercury := false
		for _, s := range sections(open(t, object)) {
			mercury = mercury || strings.HasPrefix(s.name, ".nv.merc") || strings.HasPrefix(s.name, ".nv.capmerc")
		}
		if mercury != (smOf(c.arch) >= 100) {
			t.Errorf("CM-007 CM-016 CM-017: %s: %v", c.arch, mercury)
		}
	}
}

// TestDwarfHeader reads the head of .debug_info: CM-152 gives the sizes of its fields, CM-153 the version 4.
func TestDwarfHeader(t *testing.T) {
	d := section(t, mercuryObjects(t)["debug"], ".nv.merc.debug_info").data
	if length := le.Uint32(d); int(length)+4 > len(d) || le.Uint32(d[6:]) != 0 || d[10] != 8 {
		t.Errorf("CM-152: % x", d[:11])
	}
	if version := le.Uint16(d[4:]); version != 2 {
		t.Errorf("CM-153: version %d", version)
	}
}

// TestProgRel looks at what PROG_REL records stand against (CM-095): an offset in a function, not a distance.
func TestProgRel(t *testing.T) {
	seen := 0
	for _, f := range mercuryObjects(t) {
		for _, s := range sections(f) {
			if s.Type != 0x70000082 {
				continue
			}
			for i := 0; i+24 <= len(s.data); i += 24 {
				if number := le.Uint32(s.data[i+8:]); number != 0x10007 && number != 0x10008 {
					continue
				}
				seen++
				sym, _ := f.Symtab().At(int(le.Uint32(s.data[i+12:])))
				if kind := sym.Type(); kind != cuda.STTFunc && kind != cuda.STTSection {
					t.Errorf("CM-095: %s: a symbol of type %d", s.name, kind)
				}
				if addend := int64(le.Uint64(s.data[i+16:])); addend < 0 {
					t.Errorf("CM-095: %s: addend %d", s.name, addend)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("CM-095: no such record")
	}
}
