package experiments

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// TestPreserve links a constant's record with and without --preserve-relocs.
func TestPreserve(t *testing.T) {
	const two = `.const .u32 first = 1;
.const .u32 c = 7;
.visible .entry k(.param .u64 p){ .reg .b64 %d; .reg .b32 %x; ld.param.u64 %d,[p]; ld.const.u32 %x,[c]; st.global.u32 [%d],%x; ret; }
`
	object := assemble(t, "12.4", "sm_52", two)
	// The record is a REL one of the type CONST_FIELD19_20: 14 bits at 20, five bank bits at 34. Both get old content.
	in := open(t, object)
	text, records := section(t, in, ".text.k"), section(t, in, ".rel.text.k")
	place := text.Off
	for _, r := range recordsOf(t, in, &records.Section) {
		if r.Type != cuda.R_CUDA_CONST_FIELD19_20 {
			t.Fatal("another type")
		}
		place += r.Off
	}
	word := le.Uint64(object[place:])
	old := word&^(1<<14-1)<<0 | word
	old |= 5<<20 | 1<<34
	m := bytes.Clone(object)
	le.PutUint64(m[place:], old)

	plain := mustLink(t, "12.4", "sm_52", nil, m)
	kept := mustLink(t, "12.4", "sm_52", []string{"--preserve-relocs"}, m)
	saved := section(t, kept, ".nv.resolvedrela.text.k") // RA-033, RA-119
	if saved.Type != 0x70000003 || saved.EntSize != 24 || len(saved.data)%24 != 0 {
		t.Errorf("RA-033 RA-119 RA-120: %+v", saved.Section)
	}
	found := false
	for at := 0; at+24 <= len(saved.data); at += 24 {
		b := saved.data[at:]
		if le.Uint32(b[8:]) != cuda.R_CUDA_CONST_FIELD19_20 {
			continue
		}
		found = true
		symbol, _ := kept.Symtab().At(int(le.Uint32(b[12:])))
		if name := kept.Symtab().Name(&symbol); name != "c" { // RA-126
			t.Errorf("RA-126: the record names %s", name)
		}
		if symbol.Other&0xe0 == 0x40 { // RA-129: "only where st_other & 0xE0 is 0x40"
			t.Errorf("RA-129: st_other %#x", symbol.Other)
		}
		if addend := le.Uint64(b[16:]); addend != 5 { // RC-042: the bank's old bit is not in it
			t.Errorf("RC-042: addend %#x", addend)
		}
	}
	if !found {
		t.Error("RC-042 RA-129: no record was written down")
	}
	if !bytes.Equal(section(t, plain, ".text.k").data, section(t, kept, ".text.k").data) {
		t.Error("RA-125: --preserve-relocs changes the code")
	}
}

// TestClear links a function that nothing calls: what an UNUSED_CLEAR64 record of the frame section covers becomes zero
// (RC-153, AG-040, AG-068).
func TestClear(t *testing.T) {
	object := assemble(t, "12.4", "sm_75", small+".visible .func dead(){ ret; }\n")
	in := open(t, object)
	out := section(t, mustLink(t, "12.4", "sm_75", nil, object), ".debug_frame").data
	seen := 0
	for _, s := range sections(in) {
		if s.name != ".rela.debug_frame" && s.name != ".rel.debug_frame" {
			continue
		}
		for _, r := range recordsOf(t, in, &s.Section) {
			if r.Type != cuda.R_CUDA_UNUSED_CLEAR64 {
				continue
			}
			seen++
			zero := le.Uint64(out[r.Off:]) == 0
			if dead := symbolName(in, r.Symbol) == "dead"; zero != dead {
				t.Errorf("RC-153 AG-040 AG-068: %s has %#x", symbolName(in, r.Symbol), le.Uint64(out[r.Off:]))
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d records", seen)
	}
}

// TestUnifiedSymbols looks for records against the symbols of the unified tables in objects, where ptxas puts them, and
// in final images, where none may be left: RC-144, RA-140, CM-113.
func TestUnifiedSymbols(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	count := func(data []byte) (n int) {
		f := open(t, data)
		for _, s := range sections(f) {
			if s.Type != cuda.SHTRel && s.Type != cuda.SHTRela {
				continue
			}
			for _, r := range recordsOf(t, f, &s.Section) {
				name := symbolName(f, r.Symbol)
				if strings.HasPrefix(name, "__UFT") || strings.HasPrefix(name, "__UDT") {
					n++
				}
			}
		}
		return n
	}
	before := 0
	for _, c := range cases {
		if c.Output == nil || le.Uint16(c.Output[16:]) != 2 {
			continue
		}
		for _, in := range c.Inputs {
			if in.Data != nil {
				before += count(in.Data)
			}
		}
		if n := count(c.Output); n > 0 {
			t.Errorf("RC-144 RA-140 CM-113: %s: %d records left", c.ID(), n)
		}
	}
	if before == 0 {
		t.Error("RC-144: no object has such records")
	}
}

// TestUnifiedSections reads the sections of the unified tables: RA-029 compares with 0x6FFFFF0E, CM-022 names one.
func TestUnifiedSections(t *testing.T) {
	seen := map[string]bool{}
	for in := range objects(t) {
		f := open(t, in.Data)
		for _, s := range sections(f) {
			if strings.HasPrefix(s.name, ".nv.uft") {
				seen[fmt.Sprintf("%s %#x", s.name, uint32(s.Type))] = true
			}
		}
	}
	if !seen[".nv.uft 0x7000000e"] && !seen[".nv.uft.rel.both 0x7000000e"] {
		t.Error("RA-029:", seen)
	}
	if !seen[".nv.uft.entry 0x70000011"] {
		t.Error("CM-022:", seen)
	}
}

// TestBankTypes asks cuobjdump for the names of the section types 0x70000064 to 0x7000007E: AG-034.
func TestBankTypes(t *testing.T) {
	object := assemble(t, "13.0", "sm_75", small)
	f := open(t, object)
	at := le.Uint64(object[40:]) + 64*uint64(section(t, f, ".nv.constant3").index) + 4
	for offset, name := range map[byte]string{
		0: "CUDA_CONSTANT_B0", 3: "CUDA_CONSTANT_B3", 7: "CUDA_CONSTANT_B7",
		20: "CUDA_MERCURY_CONSTANT_PARAMS", 21: "CUDA_MERCURY_CONSTANT_IMGHDR", 24: "CUDA_MERCURY_CONSTANT_USER", 26: "CUDA_MERCURY_CONSTANT_TOOLS",
	} {
		text := dump(t, "13.0", "cuobjdump", []string{"-elf"}, patched(object, at, 0x64+offset))
		if !strings.Contains(text, name+" ") {
			t.Errorf("AG-034: 0x70000064+%d is not %s", offset, name)
		}
	}
}

// TestAlias links a call of a function's second name: RA-040. The function has the value 0 and a definition, so that is no
// sign of being unresolved (RA-042), and its symbol is of type function, not section (CM-114).
func TestAlias(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, c := range cases {
		if c.Program != "alias" || c.Output == nil || len(c.Args) > 5 {
			continue
		}
		seen++
		names := func(f *cubin.File) map[string]bool {
			set := map[string]bool{}
			for _, s := range sections(f) {
				if strings.HasPrefix(s.name, ".rel") && strings.Contains(s.name, ".text.") {
					for _, r := range recordsOf(t, f, &s.Section) {
						set[symbolName(f, r.Symbol)] = true
					}
				}
			}
			return set
		}
		in, out := names(open(t, c.Inputs[0].Data)), open(t, c.Output)
		if !in["pub"] || names(out)["pub"] || !names(out)["impl"] {
			t.Errorf("RA-040: %s: %v became %v", c.ID(), in, names(out))
		}
		for i := range out.Symtab().Len() {
			s, _ := out.Symtab().At(i)
			if out.Symtab().Name(&s) == "pub" && (s.Value != 0 || s.Type() != cuda.STTFunc || s.Shndx == 0) {
				t.Errorf("RA-042 CM-114: %s: %+v", c.ID(), s)
			}
		}
	}
	if seen == 0 {
		t.Error("no case")
	}
}

// TestUndefined links a call of what nothing defines: CM-117 has it dropped silently.
func TestUndefined(t *testing.T) {
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		res := link(t, release, "sm_75", nil, assemble(t, release, "sm_75", call))
		if res.ExitCode != 255 || !strings.Contains(res.Message(), "Undefined reference to 'f'") {
			t.Errorf("CM-117: %s: %s: %s", release, res, res.Message())
		}
	}
}

// TestPartial links the address of a function with -r, which keeps the unified type, and then finally, which doesn't: CM-112.
func TestPartial(t *testing.T) {
	const address = `.visible .func f(){ ret; }
.visible .global .u64 table[1] = {f};
.visible .entry k(.param .u64 p){ .reg .b64 %d<3>; ld.param.u64 %d1,[p]; ld.global.u64 %d2,[table]; st.global.u64 [%d1],%d2; ret; }
`
	object := assemble(t, "13.0", "sm_90", address)
	types := func(f *cubin.File) (list []uint32) {
		for _, s := range sections(f) {
			if s.name == ".rela.nv.global.init" {
				for _, r := range recordsOf(t, f, &s.Section) {
					list = append(list, r.Type)
				}
			}
		}
		return list
	}
	part := mustLink(t, "13.0", "sm_90", []string{"-r"}, object)
	if got := types(part); len(got) != 1 || got[0] != cuda.R_CUDA_UNIFIED {
		t.Errorf("CM-112: -r has %v", got)
	}
	if got := types(mustLink(t, "13.0", "sm_90", nil, part.Data)); len(got) != 1 || got[0] != cuda.R_CUDA_64 {
		t.Errorf("CM-112: the final link has %v", got)
	}
}

// TestUnknownAttributes gives a kernel's record every number that cuobjdump has no name for, and some that it has: nothing
// is said. RC-026, RC-169, RC-171.
func TestUnknownAttributes(t *testing.T) {
	for _, release := range []string{"11.8", "12.4", "13.0"} {
		object := assemble(t, release, "sm_75", small)
		s := section(t, open(t, object), ".nv.info.k")
		for _, number := range []byte{0, 1, 64, 90, 95, 96, 97, 98, 100, 110, 127, 128, 200, 254, 255} {
			res := link(t, release, "sm_75", nil, patched(object, s.Off+1, number))
			if res.ExitCode != 0 || res.Message() != "" {
				t.Errorf("RC-026 RC-169 RC-171: %s: %d: %s: %s", release, number, res, res.Message())
			}
		}
	}
}

// TestObscureSymbols sets the storage bits of a function's symbol, one by one: RC-173.
func TestObscureSymbols(t *testing.T) {
	object := assemble(t, "13.0", "sm_75", small)
	f := open(t, object)
	table := section(t, f, ".symtab")
	for i := range f.Symtab().Len() {
		s, _ := f.Symtab().At(i)
		if f.Symtab().Name(&s) != "k" {
			continue
		}
		for bit := range 8 {
			at := table.Off + 24*uint64(i) + 5
			res := link(t, "13.0", "sm_75", nil, patched(object, at, object[at]^1<<bit))
			if strings.Contains(res.Message(), "OBSCURE") {
				t.Errorf("RC-173: bit %d: %s", bit, res.Message())
			}
		}
	}
}

// TestSymbolTypes reads symbols whose nature is known by their names. RA-130 takes type 13 for textures, CM-115 for
// functions; RA-031 and CM-118 take binding 1 for local, CM-116 section 0xFFF2 for absolute.
func TestSymbolTypes(t *testing.T) {
	object := assemble(t, "12.4", "sm_75", small+`.visible .global .texref tex;
.visible .global .u32 plain;
.common .global .u32 shared_name;
.func hidden(){ ret; }
`)
	f := open(t, object)
	for i := range f.Symtab().Len() {
		s, _ := f.Symtab().At(i)
		switch f.Symtab().Name(&s) {
		case "plain":
			if s.Info != 1<<4|13 {
				t.Errorf("RA-130 CM-115: a variable has info %#x", s.Info)
			}
		case "tex":
			if s.Info&15 != 10 {
				t.Errorf("RA-130: a texture has type %d", s.Info&15)
			}
		case "k":
			if s.Info != 1<<4|2 {
				t.Errorf("CM-115 RA-031 CM-118: a visible kernel has info %#x", s.Info)
			}
		case "hidden":
			if s.Info != 2 {
				t.Errorf("RA-031 CM-118: a static function has info %#x", s.Info)
			}
		case "shared_name":
			if s.Shndx != 0xfff2 || s.Value != 4 {
				t.Errorf("CM-116: a common variable has section %#x, value %d", s.Shndx, s.Value)
			}
		}
	}
}
