package experiments

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// TestOptions gives ptxas and nvlink the options of the document: CM-010 to CM-014, CM-171, CM-179, CM-180. What only they
// could start is out of reach: CM-015, CM-172, CM-173, CM-175, CM-176, CM-177.
func TestOptions(t *testing.T) {
	tools := nvidiatest.Need(t, "13.0", nvidia.Ptxas, nvidia.Nvlink)
	object := assemble(t, "13.0", "sm_100", small)
	for _, option := range []string{"--binary-kind=capmerc", "--cap-merc", "--self-check", "--out-sass", "--opportunistic-finalization-lvl=2"} {
		name, _, _ := strings.Cut(option, "=")
		want := "Unknown option '" + name[1:] + "'"
		res, err := tools.Assemble(t.Context(), "13.0", []string{"-arch=sm_100", option}, nvidia.File{Name: "m.ptx", Data: []byte(header("13.0", "sm_100") + small)})
		if err != nil {
			t.Fatal(err)
		}
		if res.ExitCode != 255 || !strings.Contains(res.Message(), want) {
			t.Errorf("CM-010 CM-011 CM-012 CM-013 CM-014 CM-171 CM-179: ptxas %s: %s: %s", option, res, res.Message())
		}
		if res := link(t, "13.0", "sm_100", []string{option}, object); res.ExitCode != 1 || !strings.Contains(res.Message(), want) {
			t.Errorf("CM-014 CM-171 CM-180: nvlink %s: %s: %s", option, res, res.Message())
		}
	}
	for _, tool := range []string{nvidia.Ptxas, nvidia.Nvlink} {
		of, err := tools.Tool("13.0", tool)
		if err != nil {
			t.Fatal(err)
		}
		res, err := of.Run(t.Context(), nvidia.Job{Args: []string{"--help"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"self-check", "cap-merc", "binary-kind", "out-sass", "opportunistic"} {
			if bytes.Contains(res.Stdout, []byte(word)) {
				t.Errorf("CM-015 CM-172 CM-173 CM-175 CM-176 CM-177: %s --help knows %s", tool, word)
			}
		}
	}
}

// compat returns where the payload of an attribute of .nv.compat is in a file.
func compat(t *testing.T, f *cubin.File, number uint8) uint64 {
	t.Helper()
	s := section(t, f, ".nv.compat")
	at := s.Off
	for _, r := range info(t, f, &s.Section) {
		if uint8(r.Attr) == number {
			if r.Format == 4 {
				return at + 4
			}
			return at + 2
		}
		at += uint64(r.Len())
	}
	t.Fatalf("no attribute %d", number)
	return 0
}

// TestLevels sets the level (attribute 6 of .nv.compat) of objects and links them for other architectures.
func TestLevels(t *testing.T) {
	made := map[string][]byte{}
	link1 := func(from, to string, level byte) bool {
		if made[from] == nil {
			made[from] = assemble(t, "13.0", from, small)
		}
		object := made[from]
		res := link(t, "13.0", to, nil, patched(object, compat(t, open(t, object), 6), level))
		if strings.Contains(res.Message(), "fastpath") || strings.Contains(string(res.Stdout), "fastpath") {
			t.Errorf("CM-202 CM-208: %s", res.Message())
		}
		return res.ExitCode == 0
	}
	for _, c := range []struct {
		ids      string
		from, to string
		levels   []byte // those that are accepted, of 0 to 5
	}{
		{"CM-181 CM-183 CM-187 CM-188 CM-193", "sm_100", "sm_103", []byte{0, 1, 2, 3, 4}},
		{"CM-184", "sm_103", "sm_100", nil},
		{"CM-185 CM-199", "sm_100", "sm_120", []byte{3}},
		{"CM-199", "sm_120", "sm_100", nil},
		{"CM-186", "sm_100", "sm_110", []byte{4}},
		{"CM-186", "sm_100", "sm_121", []byte{4}},
		{"CM-182", "sm_100", "sm_100", []byte{0, 1, 2, 3, 4, 5}},
	} {
		for level := range byte(6) {
			if got := link1(c.from, c.to, level); got != slices.Contains(c.levels, level) {
				t.Errorf("%s: %s for %s at level %d: %v", c.ids, c.from, c.to, level, got)
			}
		}
	}
	// CM-182: "level 1 means no finalization"; it is what ptxas writes.
	object := made["sm_100"]
	if got := object[compat(t, open(t, object), 6)]; got != 1 {
		t.Errorf("CM-180 CM-182: ptxas writes level %d", got)
	}
	// CM-200: the variable changes nothing.
	before := link(t, "13.0", "sm_103", nil, object)
	t.Setenv("CAN_FINALIZE_DEBUG", "2")
	if after := link(t, "13.0", "sm_103", nil, object); after.Message() != before.Message() || !bytes.Equal(after.Output, before.Output) {
		t.Errorf("CM-200: %s", after.Message())
	}
}

// TestCompatMask reads and changes the mask (attribute 11): CM-195 to CM-198.
func TestCompatMask(t *testing.T) {
	for arch, want := range map[string]byte{"sm_100": 0x09, "sm_103": 0, "sm_110": 0, "sm_120": 0x50, "sm_121": 0} {
		object := assemble(t, "13.0", arch, small)
		f := open(t, object)
		at := compat(t, f, 11)
		if object[at] != want { // 100: 0x01, 103: 0x08; 120: 0x10 and 121: 0x40; none of 110's 0x02
			t.Errorf("CM-195 CM-196 CM-197: %s: %#x", arch, object[at])
		}
		if arch != "sm_100" {
			continue
		}
		for _, mask := range []byte{0, 0x01, 0xff} {
			out := mustLink(t, "13.0", "sm_103", nil, patched(object, at, mask)) // accepted with any
			same := mustLink(t, "13.0", "sm_100", nil, patched(object, at, mask))
			if got := same.Data[compat(t, same, 11)]; got != 0x09 || out.Header.SM() != 103 {
				t.Errorf("CM-198: mask %#x became %#x", mask, got)
			}
		}
	}
}

// TestCompatDefault takes the ISA version (attribute 7) out of an object by making it another attribute: nvlink adds 0x0100.
func TestCompatDefault(t *testing.T) {
	object := assemble(t, "13.0", "sm_100", small)
	f := open(t, object)
	at := compat(t, f, 7)
	out := mustLink(t, "13.0", "sm_100", nil, patched(object, at-1, 0x20))
	if got := le.Uint16(out.Data[compat(t, out, 7):]); got != 256 {
		t.Errorf("CM-039: %#x", got)
	}
}

// TestFlags reads and changes e_flags.
func TestFlags(t *testing.T) {
	object := assemble(t, "13.0", "sm_100", small)
	flags := le.Uint32(object[48:]) // CM-203: "+48 in the capsule header"
	if flags&1 != 0 || flags&2 == 0 {
		t.Errorf("CM-105: %#x", flags)
	}
	if flags>>8&0xffff != 100 {
		t.Errorf("CM-203 CM-204: %#x", flags)
	}
	old := assemble(t, "12.4", "sm_75", small)
	if flags := le.Uint32(old[48:]); flags&0xff != 75 {
		t.Errorf("CM-205: %#x", flags)
	}
	// RA-013, CM-104: with bit 0 the R_CUDA records are read as Mercury's. AG-005: the flag decides, not the number.
	res := link(t, "13.0", "sm_100", nil, patched(object, 48, byte(flags)&^7|1))
	if !strings.Contains(res.Message(), "unexpected reloc") {
		t.Errorf("RA-013 CM-104 AG-005: %s: %s", res, res.Message())
	}
	out := mustLink(t, "13.0", "sm_103", nil, object) // CM-206
	if got := le.Uint32(out.Data[48:]); got>>8&0xffff != 103 {
		t.Errorf("CM-206: %#x", got)
	}
}

// TestSMNumbers gives objects the SM numbers of the document's map 104 to 120, 130 to 107, 101 to 110 (CM-191). nvlink takes
// 101 for 110; 104 is refused as any number in between is, and there is no target 107 to try 130 on.
func TestSMNumbers(t *testing.T) {
	for _, c := range []struct {
		from     string
		label    byte
		accepted bool
	}{{"sm_110", 110, true}, {"sm_110", 101, true}, {"sm_110", 102, false}, {"sm_110", 111, false}, {"sm_120", 104, false}, {"sm_120", 105, false}, {"sm_120", 120, true}} {
		object := assemble(t, "13.0", c.from, small)
		if res := link(t, "13.0", c.from, nil, patched(object, 49, c.label)); (res.ExitCode == 0) != c.accepted {
			t.Errorf("CM-191: %s as %d: %s: %s", c.from, c.label, res, res.Message())
		}
	}
	for _, arch := range []string{"sm_101", "sm_104", "sm_107", "sm_130"} {
		if res := link(t, "13.0", arch, nil, assemble(t, "13.0", "sm_100", small)); !strings.Contains(res.Message(), "is not defined for option 'arch'") {
			t.Errorf("CM-191: %s: %s", arch, res.Message())
		}
	}
}

// TestMercuryFlag clears the flag of a capsule: CM-140.
func TestMercuryFlag(t *testing.T) {
	object := assemble(t, "13.0", "sm_100", small)
	f := open(t, object)
	at := le.Uint64(object[40:]) + 64*uint64(section(t, f, ".nv.capmerc.text.k").index) + 8
	plain := link(t, "13.0", "sm_100", nil, object)
	res := link(t, "13.0", "sm_100", nil, patched(object, at+3, 0))
	if res.Outcome == nvidia.Success && bytes.Equal(res.Output, plain.Output) {
		t.Error("CM-140: nothing changes without the flag")
	}
}

// TestMercuryLink links an object whose kernel has been overwritten with zeros where the capsule has the instruction, and
// one with a function that nothing calls.
func TestMercuryLink(t *testing.T) {
	object := assemble(t, "13.0", "sm_100", small+".visible .func dead(){ ret; }\n")
	f := open(t, object)
	text := section(t, f, ".text.k")
	good := mustLink(t, "13.0", "sm_100", nil, object)
	zeroed := mustLink(t, "13.0", "sm_100", nil, patched(object, text.Off, make([]byte, 16)...)) // the first: LDC R1, stored in the capsule
	code := section(t, good, ".text.k").data
	if !bytes.Equal(code, section(t, zeroed, ".text.k").data) || bytes.Equal(code[:16], make([]byte, 16)) {
		t.Error("CM-005 CM-201 CM-208 CM-212: the code is not made anew")
	}
	if has(good, ".text.dead") || has(good, ".nv.capmerc.text.dead") {
		t.Error("CM-091: a dead function is left on one side")
	}
	capsule := section(t, good, ".nv.capmerc.text.k")
	if n := le.Uint32(capsule.data); good.SectionName(at(good, n)) != ".text.k" {
		t.Errorf("CM-091: the capsule's section number is %d", n)
	}
}

// TestOffTarget links code with doubles for another architecture: CM-189 (only bytes differ), CM-207.
func TestOffTarget(t *testing.T) {
	const doubles = `.visible .entry k(.param .u64 p){ .reg .b64 %d; .reg .f64 %f<9>; ld.param.u64 %d,[p];
 ld.global.f64 %f1,[%d]; ld.global.f64 %f2,[%d+8]; fma.rn.f64 %f3,%f1,%f2,%f1; add.f64 %f4,%f3,%f1; mul.f64 %f5,%f4,%f2; fma.rn.f64 %f6,%f5,%f3,%f1; st.global.f64 [%d],%f6; ret; }
`
	object := assemble(t, "13.0", "sm_100", doubles)
	same, other := mustLink(t, "13.0", "sm_100", nil, object), mustLink(t, "13.0", "sm_103", nil, object)
	a, b := section(t, same, ".text.k").data, section(t, other, ".text.k").data
	if len(a) >= len(b) {
		t.Errorf("CM-189: %d and %d bytes of code", len(a), len(b))
	}
	// The register count is the object's, also where it is a lie: nothing is rebuilt for the other target.
	f := open(t, object)
	list := section(t, f, ".nv.merc.nv.info")
	count := list.Off
	for _, r := range info(t, f, &list.Section) {
		if r.Attr == 47 {
			break
		}
		count += uint64(r.Len())
	}
	lie := mustLink(t, "13.0", "sm_103", nil, patched(object, count+8, 77))
	for _, name := range []string{".nv.info", ".nv.merc.nv.info"} {
		s := section(t, lie, name)
		for _, r := range info(t, lie, &s.Section) {
			if n, ok := r.Word(1); r.Attr == 47 && (!ok || n != 77) {
				t.Errorf("CM-207: %s has %d registers", name, n)
			}
		}
	}
}

// options returns the payload of MERCURY_FINALIZER_OPTIONS (90) of an object's kernel, and where it is.
func options(t *testing.T, object []byte) (at uint64, payload []byte) {
	t.Helper()
	f := open(t, object)
	s := section(t, f, ".nv.merc.nv.info.k")
	at = s.Off
	for _, r := range info(t, f, &s.Section) {
		if r.Attr == 90 {
			return at + 4, r.Data
		}
		at += uint64(r.Len())
	}
	t.Fatal("no options")
	return 0, nil
}

// TestFinalizerOptions exchanges the option blocks of objects that were compiled at different levels.
func TestFinalizerOptions(t *testing.T) {
	at := map[string]uint64{}
	payload, object := map[string][]byte{}, map[string][]byte{}
	for _, flag := range []string{"-O0", "-O2", "-O3", "-lineinfo", "-g"} {
		object[flag] = assemble(t, "13.0", "sm_100", program, flag)
		at[flag], payload[flag] = options(t, object[flag])
	}
	code := func(object []byte) []byte {
		return section(t, mustLink(t, "13.0", "sm_100", nil, object), ".text.k").data
	}
	fast := code(object["-O3"])
	// CM-034: nvlink is told nothing of -O, and makes the code again as the block says.
	if bytes.Equal(code(patched(object["-O3"], at["-O3"], payload["-O0"]...)), fast) {
		t.Error("CM-034: another level's options change nothing")
	}
	if !bytes.Equal(code(patched(object["-O3"], at["-O3"], payload["-O2"]...)), fast) {
		t.Error("CM-034: the options of -O2 change the code of -O3")
	}
	// CM-070: no changed byte is refused, as a checksum that anything looks at would have it; and what is stored is no
	// text (TestCapsules), so the step before the pairs are read undoes a scrambling.
	for i := range payload["-O3"] {
		if i%8 == 5 {
			res := link(t, "13.0", "sm_100", nil, patched(object["-O3"], at["-O3"]+uint64(i), payload["-O3"][i]^0x55))
			if res.Outcome != nvidia.Success {
				t.Errorf("CM-070: byte %d: %s: %s", i, res, res.Message())
			}
		}
	}
	// CM-069: {u16 key length, u16 value length, key, value} shows in where two blocks part. The value of optLevel stands
	// after 4+len("optLevel\x00") bytes; lineInfo, as long a key with an empty value, parts at the value's length; and
	// deviceDebug, a longer key, at the first byte.
	part := func(a, b string) int {
		i := 0
		for i < len(payload[a]) && i < len(payload[b]) && payload[a][i] == payload[b][i] {
			i++
		}
		return i
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"-O0", "-O3", 4 + len("optLevel\x00")}, {"-O2", "-O3", 4 + len("optLevel\x00")}, {"-O3", "-lineinfo", 2}, {"-O3", "-g", 0}} {
		if got := part(c.a, c.b); got != c.want {
			t.Errorf("CM-069: %s and %s part at %d", c.a, c.b, got)
		}
	}
}
