package experiments

import (
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
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
	tools := nvidiatest.Need(t, "13.0", nvidia.Cuobjdump)
	res, err := tools.Dump(t.Context(), "13.0", nvidia.Cuobjdump, []string{"-elf"}, nvidia.File{Name: "m.cubin", Data: object})
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
	programs, err := corpus.Links()
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

// replaced returns an object of sm_100 whose kernel has these records, in bytes, on its Mercury side.
func replaced(t *testing.T, object []byte, name string, records []byte) []byte {
	t.Helper()
	s := section(t, open(t, object), name)
	if len(records) > len(s.data) {
		t.Fatalf("%d bytes of records for %d", len(records), len(s.data))
	}
	header := le.Uint64(object[40:]) + 64*uint64(s.index)
	return patched(patched(object, s.Off, records...), header+32, le.AppendUint64(nil, uint64(len(records)))...)
}

// TestTranslatedRecords gives a kernel records that are all one Mercury offset, that of its EXIT. The finalizer turns into
// offsets of .text.k those words that it takes for offsets, which shows how it reads each record.
func TestTranslatedRecords(t *testing.T) {
	object := assemble(t, "13.0", "sm_100", small)
	exit := func(f *cubin.File, name string) uint32 {
		s := section(t, f, name)
		for _, r := range info(t, f, &s.Section) {
			if n, ok := r.Word(0); r.Attr == 28 && ok {
				return n
			}
		}
		t.Fatal("no EXIT")
		return 0
	}
	before := exit(open(t, object), ".nv.merc.nv.info.k")
	after := exit(mustLink(t, "13.0", "sm_100", nil, object), ".nv.info.k")
	if before == after {
		t.Fatal("the offsets don't differ")
	}
	o := before
	for _, c := range []struct {
		ids    string
		number byte
		words  []uint32
		offset string // which are offsets
	}{
		{"CM-061 CM-062", 28, []uint32{o, o, o, o}, "1111"},
		{"CM-061 CM-062", 40, []uint32{o, o, o, o}, "1111"},
		{"CM-061 CM-062", 49, []uint32{o, o, o, o}, "1111"},
		{"CM-061 CM-062", 70, []uint32{o, o, o, o}, "1111"},
		{"CM-061 CM-062", 71, []uint32{o, o, o, o}, "1111"},
		{"CM-061 CM-062", 87, []uint32{o, o, o, o}, "1111"},
		{"CM-063", 46, []uint32{o, o, o, o}, "1010"},
		{"CM-063", 68, []uint32{o, o, o, o}, "1010"},
		{"CM-065", 57, []uint32{o, o, o, o, o, o, o, o}, "10001000"},
		{"CM-066", 64, []uint32{o, o, o, o, o, o}, "100100"},
		{"CM-064", 52, []uint32{o, o, 2, o, o}, "10011"}, // branch, word, count, targets
		{"CM-064", 52, []uint32{o, o, 1, o, o, o, 1, o}, "10011001"},
		{"CM-068", 85, []uint32{1, o, 2, o, 4, o, 3, 4, o}, "010100000"}, // {1, offset}, {2, offset, n, bytes}, {3, n, bytes}
	} {
		record := []byte{4, c.number, byte(4 * len(c.words)), 0}
		for _, w := range c.words {
			record = le.AppendUint32(record, w)
		}
		out := mustLink(t, "13.0", "sm_100", nil, replaced(t, object, ".nv.merc.nv.info.k", record))
		s, found := section(t, out, ".nv.info.k"), false
		for _, r := range info(t, out, &s.Section) {
			if byte(r.Attr) != c.number {
				continue
			}
			found = true
			for i, w := range c.words {
				want := w
				if c.offset[i] == '1' {
					want = after
				}
				if got, _ := r.Word(i); got != want {
					t.Errorf("%s: record %d: word %d is %#x, wanted %#x", c.ids, c.number, i, got, want)
				}
			}
		}
		if !found {
			t.Errorf("%s: record %d is gone", c.ids, c.number)
		}
	}
}

// TestInfoFormats puts records of unknown formats, and one of five bytes, before others: nvlink writes the list in reverse,
// so each record's end shows. CM-044, CM-045.
func TestInfoFormats(t *testing.T) {
	object := assemble(t, "13.0", "sm_75", small)
	follow := "\x03\x1b\x4d\x00" + "\x02\x4c\x03\x00"
	reversed := "\x02\x4c\x03\x00" + "\x03\x1b\x4d\x00"
	for _, c := range []struct{ id, first string }{
		{"CM-044", "\x00\xc8\x08\x00"}, {"CM-044", "\x05\xc8\x08\x00"}, {"CM-044", "\x09\xc8\x08\x00"},
		{"CM-045", "\x04\xc8\x05\x00\x01\x02\x03\x04\x05"},
	} {
		out := mustLink(t, "13.0", "sm_75", nil, replaced(t, object, ".nv.info.k", []byte(c.first+follow)))
		if got := section(t, out, ".nv.info.k").data; string(got) != reversed+c.first {
			t.Errorf("%s: % x became % x", c.id, c.first+follow, got)
		}
	}
}
