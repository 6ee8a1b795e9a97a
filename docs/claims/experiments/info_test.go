package experiments

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/links"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/witness"
	"github.com/twinlink/twinlink/witness/witnesstest"
)

// TestAttributeNames has cuobjdump name the numbers that the capsule document calls marker codes.
func TestAttributeNames(t *testing.T) {
	object := assemble(t, "13.0", "sm_90", small)
	f := open(t, object)
	s := section(t, f, ".nv.info.k")
	records := info(t, f, &s.Section)
	for _, c := range []struct {
		id     string
		number byte
		said   string
		name   string
	}{
		{"CM-046", 21, "has EXIT", "BINDLESS_TEXTURE_BANK"},
		{"CM-047", 22, "uses call return stack", "BINDLESS_SURFACE_BANK"},
		{"CM-048", 74, "sampling mode", "VRC_CTA_INIT_COUNT"},
		{"CM-049", 27, "descriptor version", "MAXREG_COUNT"},
		{"CM-050", 73, "stack frame size", "SHADER_TYPE"},
		{"CM-051", 88, "atomics", "STUB_FUNCTION_KIND"},
		{"CM-052", 95, "minimum SM", "MERCURY_ISA_VERSION"},
		{"CM-053", 10, "global references", "PARAM_CBANK"},
		{"CM-054", 25, "shared references", "CBANK_PARAM_SIZE"},
		{"CM-055", 47, "instruction format version", "REGCOUNT"},
		{"CM-056", 50, "register count", "SHARED_SCRATCH"},
		{"CM-057", 54, "texture references", "SW_WAR"},
		{"CM-058", 67, "barrier information", "UCODE_SECTION_DATA"},
		{"CM-067", 72, "KNOBS section", "GRAPHICS_GLOBAL_CBANK"},
		{"CM-063", 46, "8-byte entries", "ATOM16_EMUL_INSTR_REG_MAP"},
		{"CM-063", 68, "8-byte entries", "UNUSED_LOAD_BYTE_OFFSET"},
		{"CM-066", 64, "12-byte entries", "INSTR_REG_MAP"},
		{"CM-068", 85, "nested list", "ANNOTATIONS"},
	} {
		if known := cuda.InfoAttr(c.number).String(); known != "EIATTR_"+c.name {
			t.Errorf("%s: package cuda calls %d %s", c.id, c.number, known)
		}
		// cuobjdump reads payloads and gives up where one is shorter than it thinks: any record will do that it prints.
		named := false
		for at, i := s.Off, 0; i < len(records) && !named; i++ {
			named = printsAttribute(t, patched(object, at+1, c.number), c.name)
			at += uint64(records[i].Len())
		}
		if !named {
			t.Errorf("%s: cuobjdump doesn't call %d, %q here, %s", c.id, c.number, c.said, c.name)
		}
	}
}

func printsAttribute(t *testing.T, object []byte, name string) bool {
	tools := witnesstest.Need(t, "13.0", witness.Cuobjdump)
	res, err := tools.Dump(t.Context(), "13.0", witness.Cuobjdump, []string{"-elf"}, witness.File{Name: "m.cubin", Data: object})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(res.Stdout), "EIATTR_"+name+"\n")
}

// TestInfoRecords reads the record lists of objects of sm_100, and of the corpus.
func TestInfoRecords(t *testing.T) {
	barriers, targets, exits, streams := false, false, false, 0
	for _, f := range mercuryObjects(t) {
		for _, s := range sections(f) {
			function, plain := strings.CutPrefix(s.name, ".nv.info.")
			if !plain {
				var merc bool
				if function, merc = strings.CutPrefix(s.name, ".nv.merc.nv.info."); !merc {
					continue
				}
			}
			streams++
			// CM-042, CM-043: the stream of formats 1 to 4 is here, in whole, and not in the capsule.
			list := info(t, f, &s.Section)
			total, end, declared := 0, uint64(0), uint64(0)
			code := uint64(len(section(t, f, ".text."+function).data))
			for i, r := range list {
				total += r.Len()
				switch r.Format {
				case 2: // CM-086 "[02][code][00][00]", CM-087 "flags with zero bytes"
					barriers = barriers || r.Attr == 76 && r.Value == 1
				case 1, 3: // CM-044: format 1 takes four bytes, as an unknown one is said to
				case 4:
					if len(r.Data)%4 != 0 { // CM-045
						t.Errorf("CM-045: %d bytes of %s", len(r.Data), r.Attr)
					}
				default:
					t.Errorf("CM-042 CM-044: format %d", r.Format)
				}
				switch r.Attr {
				case 23: // CM-059, CM-060: u16 at +6 is the parameter's offset, its size in bits 18 and up of the next word
					end = max(end, uint64(le.Uint16(r.Data[6:]))+uint64(le.Uint32(r.Data[8:])>>18))
				case 25:
					declared = uint64(r.Value)
				case 28: // CM-061, CM-062
					for at := 0; at+4 <= len(r.Data); at += 4 {
						exits = true
						if o := uint64(le.Uint32(r.Data[at:])); plain && (o%16 != 0 || o >= code) {
							t.Errorf("CM-061 CM-062: EXIT at %#x of %#x", o, code)
						}
					}
				case 52: // CM-064: branch, word, count, targets
					targets = true
					for d := r.Data; len(d) > 0; {
						n := int(le.Uint32(d[8:]))
						if len(d) < 12+4*n || n < 2 || plain && uint64(le.Uint32(d)) >= code {
							t.Fatalf("CM-064: % x", r.Data)
						}
						d = d[12+4*n:]
					}
				}
				if i == len(list)-1 && r.Attr == 95 {
					t.Errorf("CM-088: %s ends with 95", s.name)
				}
			}
			if total != len(s.data) {
				t.Errorf("CM-042 CM-043: %d of %d bytes", total, len(s.data))
			}
			if plain && declared != 0 && declared != end { // CM-060: "register pressure"
				t.Errorf("CM-059 CM-060: %s: %d and %d bytes of parameters", function, end, declared)
			}
		}
	}
	if !barriers || !targets || !exits || streams == 0 {
		t.Errorf("CM-061 CM-064 CM-086 CM-087: barriers %v, jump tables %v, exits %v", barriers, targets, exits)
	}

	// CM-065: MBARRIER_INSTR_OFFSETS, in the program that has such instructions.
	programs, err := links.Programs()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range programs {
		if p.Name != "mbarrier" {
			continue
		}
		for _, source := range p.Sources {
			f := open(t, assembleText(t, "13.0", "sm_90", string(source.Text)))
			for _, s := range sections(f) {
				function, ok := strings.CutPrefix(s.name, ".nv.info.")
				if !ok {
					continue
				}
				code := uint64(len(section(t, f, ".text."+function).data))
				for _, r := range info(t, f, &s.Section) {
					if r.Attr != 57 {
						continue
					}
					seen++
					if len(r.Data)%16 != 0 {
						t.Errorf("CM-065: %d bytes", len(r.Data))
					}
					for at := 0; at+16 <= len(r.Data); at += 16 {
						if o := uint64(le.Uint32(r.Data[at:])); o%16 != 0 || o >= code {
							t.Errorf("CM-065: %#x of %#x", o, code)
						}
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("CM-065: no such record")
	}
}
