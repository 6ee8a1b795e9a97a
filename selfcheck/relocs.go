package selfcheck

import (
	"fmt"
	"math"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Relocations of code. A Mercury record names a byte of a Mercury instruction,
// its SASS counterpart the word that represents that instruction; symbol and addend
// are the same, and so is the order. The R_CUDA type follows from the
// R_MERCURY type, the field and the instruction:
//
//	type           byte  instruction           R_CUDA
//	ABS64          24    CALL.ABS 943          75 ABS55_16_34
//	ABS64          24    CALL.ABS R 343        114 ABS56_16_34
//	ABS32          12    MOV, UMOV imm         55 ABS32_32
//	ABS32          28    LDCU c[][]            115 CONST_FIELD22_37
//	ABS16          12    MOV, UMOV imm         59 ABS16_32
//	ABS16          28    LDC c[][]             66 CONST_FIELD21_38
//	ABS32_LO/HI    12    MOV, UMOV imm         56/57, of a kernel 62/63
//	UNIFIED32_…    12    MOV, UMOV imm         112/113, of a kernel 62/63
//	ABS_PROG_REL…  12    MOV imm               56/57, the addend a Mercury offset
//	PROG_REL32     12    MOV, UMOV imm         none: the word holds the value
//	ABS32          12    MOV, UMOV imm of .nv.reservedSmem.*: none the same
//
// SASS has R_CUDA_YIELD_* besides, which no Mercury record stands for. The
// field of a record that is kept holds 0, but for constant banks, where it
// holds what the Mercury record of the instruction says.

// codeForm is a line of the table above.
type codeForm struct {
	merc   uint32
	field  uint32 // byte of the Mercury instruction
	op     uint64
	sass   uint32
	kernel uint32 // instead of sass where the symbol is a kernel; 0: none
	mapped bool   // the addend is a Mercury offset
}

const (
	opMOV  = 0x802
	opUMOV = 0x882
	opLDC  = 0xb82
	opLDCU = 0x7ac
	opCALL = 0x943
	opCALR = 0x343
)

var codeForms = []codeForm{
	{cuda.R_MERCURY_ABS64, 24, opCALL, cuda.R_CUDA_ABS55_16_34, 0, false},
	{cuda.R_MERCURY_ABS64, 24, opCALR, cuda.R_CUDA_ABS56_16_34, 0, false},
	{cuda.R_MERCURY_ABS32, 12, opMOV, cuda.R_CUDA_ABS32_32, 0, false},
	{cuda.R_MERCURY_ABS32, 12, opUMOV, cuda.R_CUDA_ABS32_32, 0, false},
	{cuda.R_MERCURY_ABS32, 28, opLDCU, cuda.R_CUDA_CONST_FIELD22_37, 0, false},
	{cuda.R_MERCURY_ABS16, 12, opMOV, cuda.R_CUDA_ABS16_32, 0, false},
	{cuda.R_MERCURY_ABS16, 12, opUMOV, cuda.R_CUDA_ABS16_32, 0, false},
	{cuda.R_MERCURY_ABS16, 28, opLDC, cuda.R_CUDA_CONST_FIELD21_38, 0, false},
	{cuda.R_MERCURY_ABS32_LO, 12, opMOV, cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_FUNC_DESC32_LO_32, false},
	{cuda.R_MERCURY_ABS32_LO, 12, opUMOV, cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_FUNC_DESC32_LO_32, false},
	{cuda.R_MERCURY_ABS32_HI, 12, opMOV, cuda.R_CUDA_ABS32_HI_32, cuda.R_CUDA_FUNC_DESC32_HI_32, false},
	{cuda.R_MERCURY_ABS32_HI, 12, opUMOV, cuda.R_CUDA_ABS32_HI_32, cuda.R_CUDA_FUNC_DESC32_HI_32, false},
	{cuda.R_MERCURY_UNIFIED32_LO, 12, opMOV, cuda.R_CUDA_UNIFIED32_LO_32, cuda.R_CUDA_FUNC_DESC32_LO_32, false},
	{cuda.R_MERCURY_UNIFIED32_LO, 12, opUMOV, cuda.R_CUDA_UNIFIED32_LO_32, cuda.R_CUDA_FUNC_DESC32_LO_32, false},
	{cuda.R_MERCURY_UNIFIED32_HI, 12, opMOV, cuda.R_CUDA_UNIFIED32_HI_32, cuda.R_CUDA_FUNC_DESC32_HI_32, false},
	{cuda.R_MERCURY_UNIFIED32_HI, 12, opUMOV, cuda.R_CUDA_UNIFIED32_HI_32, cuda.R_CUDA_FUNC_DESC32_HI_32, false},
	{cuda.R_MERCURY_ABS_PROG_REL32_LO, 12, opMOV, cuda.R_CUDA_ABS32_LO_32, 0, true},
	{cuda.R_MERCURY_ABS_PROG_REL32_LO, 12, opUMOV, cuda.R_CUDA_ABS32_LO_32, 0, true},
	{cuda.R_MERCURY_ABS_PROG_REL32_HI, 12, opMOV, cuda.R_CUDA_ABS32_HI_32, 0, true},
	{cuda.R_MERCURY_ABS_PROG_REL32_HI, 12, opUMOV, cuda.R_CUDA_ABS32_HI_32, 0, true},
}

// findForm returns the table's line for a record, nil for none.
func findForm(merc, field uint32, op uint64) *codeForm {
	for i := range codeForms {
		if f := &codeForms[i]; f.merc == merc && f.field == field && f.op == op {
			return f
		}
	}
	return nil
}

// zeroFields is the field of each R_CUDA type of code that holds 0.
var zeroFields = map[uint32]Word{
	cuda.R_CUDA_ABS32_32:          {Lo: 0xffffffff << 32},
	cuda.R_CUDA_ABS16_32:          {Lo: 0xffff << 32},
	cuda.R_CUDA_ABS32_LO_32:       {Lo: 0xffffffff << 32},
	cuda.R_CUDA_ABS32_HI_32:       {Lo: 0xffffffff << 32},
	cuda.R_CUDA_FUNC_DESC32_LO_32: {Lo: 0xffffffff << 32},
	cuda.R_CUDA_FUNC_DESC32_HI_32: {Lo: 0xffffffff << 32},
	cuda.R_CUDA_UNIFIED32_LO_32:   {Lo: 0xffffffff << 32},
	cuda.R_CUDA_UNIFIED32_HI_32:   {Lo: 0xffffffff << 32},
	cuda.R_CUDA_ABS55_16_34:       {Lo: 0xff<<16 | 0x3fffffff<<34, Hi: 0x1ffff},
	cuda.R_CUDA_ABS56_16_34:       {Lo: 0xff<<16 | 0x3fffffff<<34, Hi: 0x3ffff},
}

// R_CUDA_YIELD_OPCODE9_0 says what to put in the place of a YIELD where the
// link needs no forward progress, a NOP.
const (
	opYIELD    = 0x946
	yieldToNOP = 0x118
)

// relocations compares all relocation sections.
func (c *checker) relocations() {
	for i := range c.m.Funcs {
		fn := &c.m.Funcs[i]
		if fn.Cap == nil || fn.Rela == 0 || fn.MercRela == 0 {
			continue
		}
		if len(fn.Unsized) > 0 {
			c.leave(exUnsized)
			continue
		}
		c.codeRelocs(fn, c.calls[i])
	}
}

// relocs decodes a relocation section.
func (c *checker) relocs(section int) ([]cubin.Reloc, bool) {
	s := c.m.Sections[section]
	t, err := c.m.File.Relocs(&s.Section)
	if err != nil {
		c.fault(err)
		return nil, false
	}
	list := make([]cubin.Reloc, t.Len())
	for i := range list {
		list[i] = t.At(i)
	}
	return list, true
}

func (c *checker) codeRelocs(fn *capsule.Func, calls []uint32) {
	merc, ok := c.relocs(fn.MercRela)
	if !ok {
		return
	}
	sass, ok := c.relocs(fn.Rela)
	if !ok {
		return
	}
	c.returns(fn, merc, calls)
	yields := c.yields(fn, sass)
	c.sorted(fn.MercRela, merc)
	want := c.codeWanted(fn, fn.MercRela, merc)
	c.matchRelocs(fn.Rela, fn.MercRela, want, sass, yields)
	for i := range want {
		if !want[i].anyType {
			c.zeroField(fn, &want[i].Reloc)
		}
	}
}

// returns checks that the place after each call by offset has a record that puts
// it into a register: such a call doesn't do that itself.
func (c *checker) returns(fn *capsule.Func, merc []cubin.Reloc, calls []uint32) {
	if len(calls) == 0 {
		return
	}
	places := map[uint64]bool{}
	for i := range merc {
		if t := merc[i].Type; t == cuda.R_MERCURY_PROG_REL32 || t == cuda.R_MERCURY_ABS_PROG_REL32_LO {
			places[uint64(merc[i].Addend)] = true
		}
	}
	for _, at := range calls {
		k := fn.Cap.AtSASS(at)
		for k++; k < fn.Cap.Len() && fn.Cap.Node(k).Kind == capsule.Skip; k++ {
		}
		if k < fn.Cap.Len() && !places[uint64(fn.Cap.Node(k).Merc)] {
			c.add(Reloc, Count, fn.MercRela, 0, fmt.Sprintf("relocation of the return address of the call at 0x%x", at), "one", "none")
		}
	}
}

// codeWanted makes the SASS records of a list of Mercury records.
func (c *checker) codeWanted(fn *capsule.Func, section int, merc []cubin.Reloc) []wanted {
	want := make([]wanted, 0, len(merc))
	for i := range merc {
		if w, ok := c.codeReloc(fn, section, &merc[i], uint64(i)*cubin.RelaSize); ok {
			want = append(want, w)
		}
	}
	return want
}

// resolvedRelocs compares the records that a link with --preserve-relocs or -g
// keeps of what it has resolved.
func (c *checker) resolvedRelocs() {
	for i := range c.m.Sections {
		s := &c.m.Sections[i]
		t := c.m.Counterpart(i)
		if s.Type != cuda.SHTCudaResolvedRela || t == 0 {
			continue
		}
		fn := c.m.FuncOf(s.Info)
		if fn == nil || fn.Cap == nil || len(fn.Unsized) > 0 {
			continue
		}
		merc, ok := c.relocs(t)
		if !ok {
			continue
		}
		if sass, ok := c.relocs(i); ok {
			c.matchRelocs(i, t, c.codeWanted(fn, t, merc), sass, nil)
		}
	}
}

// sorted checks that offsets only rise, as nvlink has them, or only fall, as
// ptxas has them.
func (c *checker) sorted(section int, list []cubin.Reloc) {
	up, down := false, false
	for i := 1; i < len(list); i++ {
		up = up || list[i].Off > list[i-1].Off
		down = down || list[i].Off < list[i-1].Off
		if up && down {
			c.add(Reloc, Content, section, uint64(i)*cubin.RelaSize, "order of relocations", "rising or falling offsets", hex(list[i].Off))
			return
		}
	}
}

// yields checks the R_CUDA_YIELD records, two for one YIELD, and returns which
// of the records are of these types.
func (c *checker) yields(fn *capsule.Func, list []cubin.Reloc) []bool {
	yield := make([]bool, len(list))
	opcode := map[uint64]int{}
	for i := range list {
		r := &list[i]
		at := uint64(i) * cubin.RelaSize
		switch r.Type {
		case cuda.R_CUDA_YIELD_OPCODE9_0:
			c.number(Reloc, Content, fn.Rela, at+16, "addend of YIELD_OPCODE9_0", yieldToNOP, uint64(r.Addend))
			opcode[r.Off] |= 1
		case cuda.R_CUDA_YIELD_CLEAR_PRED4_87:
			c.number(Reloc, Content, fn.Rela, at+16, "addend of YIELD_CLEAR_PRED4_87", 0, uint64(r.Addend))
			opcode[r.Off] |= 2
		default:
			continue
		}
		yield[i] = true
		c.leave(exYield)
		c.number(Reloc, Content, fn.Rela, at+8, "symbol of a YIELD record", 0, uint64(r.Symbol))
		if r.Off%capsule.WordSize != 0 || r.Off >= uint64(len(fn.Code)) || wordAt(fn.Code, uint32(r.Off)).Lo&opcodeMask != opYIELD {
			c.add(Reloc, Content, fn.Rela, at, "offset of a YIELD record", "a YIELD", hex(r.Off))
		}
	}
	for i := range list {
		r := &list[i]
		if both := opcode[r.Off]; both == 1 || both == 2 {
			c.add(Reloc, Count, fn.Rela, uint64(i)*cubin.RelaSize, fmt.Sprintf("YIELD records at 0x%x", r.Off), "two", "one")
			opcode[r.Off] = 0
		}
	}
	return yield
}

// wanted is a SASS record that a Mercury record asks for.
type wanted struct {
	cubin.Reloc        // Type is the Mercury type where anyType is set
	at          uint64 // of the Mercury record in its section
	anyType     bool   // no form is known: that of the SASS type decides
	field       uint32 // byte of the Mercury instruction
	op          uint64 // of the SASS instruction, 0 for data
	counterpart *cubin.Reloc
	anyAddend   bool // that of a code address in a function whose map isn't known
}

// codeReloc makes the SASS record of a Mercury record, false where there is none.
func (c *checker) codeReloc(fn *capsule.Func, section int, r *cubin.Reloc, at uint64) (wanted, bool) {
	sass, merc, ok := fn.Cap.Place(uint32(min(r.Off, math.MaxUint32)))
	if !ok {
		c.add(Reloc, Content, section, at, "r_offset", "an offset in the function", hex(r.Off))
		return wanted{}, false
	}
	w := wanted{Reloc: *r, at: at}
	w.Off = uint64(sass)
	symbol := c.m.Merc.At(r.Symbol)
	if symbol == nil {
		c.add(Reloc, Content, section, at+12, "symbol of a relocation", "a symbol", fmt.Sprint(r.Symbol))
		return w, false
	}
	code := wordAt(fn.Code, sass)
	if c.resolved(fn, section, r, code, w.Off, at) {
		return w, false
	}
	form := findForm(r.Type, uint32(r.Off)-merc, code.Lo&opcodeMask)
	if form == nil {
		w.anyType, w.field, w.op = true, uint32(r.Off)-merc, code.Lo&opcodeMask
		return w, true
	}
	w.Type = form.sass
	if form.kernel != 0 && symbol.Type() == cuda.STTFunc && symbol.Other&cuda.STOEntry != 0 {
		w.Type = form.kernel
	}
	if form.mapped {
		owner := c.m.FuncOf(symbol.Section)
		if owner == nil || owner.Cap == nil {
			c.add(Reloc, Content, section, at+12, "symbol of a code address", "a function", symbol.Name)
			return w, false
		}
		if len(owner.Unsized) > 0 {
			c.leave(exUnsized)
			w.anyAddend = true
			return w, true
		}
		sass, ok := sassBoundary(owner.Cap, uint64(r.Addend))
		if !ok {
			c.add(Reloc, Content, section, at+16, "addend of a code address", "the start of a node", hex(uint64(r.Addend)))
		}
		w.Addend = int64(sass)
	}
	return w, true
}

// resolved reports whether a Mercury record has no SASS counterpart because the word
// holds its value, and checks that value.
func (c *checker) resolved(fn *capsule.Func, section int, r *cubin.Reloc, code Word, sass, at uint64) bool {
	symbol := c.m.Merc.At(r.Symbol)
	var value uint64
	switch {
	case r.Type == cuda.R_MERCURY_PROG_REL32:
		owner := c.m.FuncOf(symbol.Section)
		if owner == nil || owner.Cap == nil {
			c.add(Reloc, Content, section, at+12, "symbol of a code address", "a function", symbol.Name)
			return true
		}
		if len(owner.Unsized) > 0 {
			c.leave(exUnsized)
			return true
		}
		var ok bool
		if value, ok = nearBoundary(owner.Cap, symbol.Value+uint64(r.Addend), code.Lo>>32); !ok {
			c.add(Reloc, Content, section, at+16, "addend of a code address", "the start of a node", hex(uint64(r.Addend)))
			return true
		}
	case r.Type == cuda.R_MERCURY_ABS32 && (isSystem(symbol.Name) || c.image() && symbol.Other&cuda.STOSpace == cuda.STOReservedShared):
		counterpart := c.m.SASS.At(r.Symbol)
		if counterpart == nil {
			return true // symbols tells
		}
		value = counterpart.Value + uint64(r.Addend)
	default:
		return false
	}
	if value&0xffffffff != code.Lo>>32 {
		c.field(Reloc, Content, fn.Text, sass+4, 4, "value of "+relocName(r.Type)+" "+symbol.Name, value&0xffffffff, code.Lo>>32)
	}
	return true
}

func relocName(t uint32) string {
	if info, ok := cuda.LookupReloc(t); ok {
		return info.Name
	}
	return hex(t)
}

// firstAt says which relocation is the first at an offset, of those that are not apart.
func firstAt(list []cubin.Reloc, apart []bool) map[uint64]int {
	at := make(map[uint64]int, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		if i >= len(apart) || !apart[i] {
			at[list[i].Off] = i
		}
	}
	return at
}

// repeated checks that no record of SASS is there twice: of a place and a type there is one, but among resolved ones.
func (c *checker) repeated(section int, list []cubin.Reloc) {
	rising := true
	for i := 1; i < len(list) && rising; i++ {
		rising = list[i].Off > list[i-1].Off
	}
	if rising || c.m.Sections[section].Type != cuda.SHTRela {
		return
	}
	type key struct {
		off uint64
		typ uint32
	}
	have := make(map[key]bool, len(list))
	for i := range list {
		k := key{list[i].Off, list[i].Type}
		if have[k] {
			c.add(Reloc, Count, section, uint64(i)*cubin.RelaSize, "relocation", "one for each offset and type", relocText(&list[i]))
		}
		have[k] = true
	}
}

// matchRelocs compares the records that the Mercury side asks for with those
// that are there, but for those in apart, which only SASS has.
func (c *checker) matchRelocs(section, clone int, want []wanted, got []cubin.Reloc, apart []bool) {
	c.repeated(section, got)
	found := len(c.report.Findings) + c.report.More
	var at map[uint64]int // made where the order is not the same
	used := make([]bool, len(got))
	copy(used, apart)
	last, ordered := -1, true
	for i := range want {
		w := &want[i]
		k, ok := i, true
		if i >= len(got) || got[i].Off != w.Off || used[i] {
			if at == nil {
				at = firstAt(got, apart)
			}
			k, ok = at[w.Off]
		}
		if !ok || used[k] {
			c.add(Reloc, Count, section, 0, "relocation", relocText(&w.Reloc), "none")
			continue
		}
		used[k] = true
		ordered = ordered && k > last
		last = k
		w.counterpart = &got[k]
		c.compareReloc(section, clone, uint64(k)*cubin.RelaSize, w, &got[k])
	}
	for k := range got {
		if !used[k] {
			c.add(Reloc, Count, section, uint64(k)*cubin.RelaSize, "relocation", "none", relocText(&got[k]))
		}
	}
	if !ordered {
		c.add(Reloc, Content, section, 0, "order of relocations", "that of the Mercury side", "another")
	}
	if len(c.report.Findings)+c.report.More > found {
		c.repairRelocs(section, mergeRelocs(want, got, apart))
	}
}

// mergeRelocs returns the wanted records with those that stand apart where they were.
func mergeRelocs(want []wanted, got []cubin.Reloc, apart []bool) []cubin.Reloc {
	list := make([]cubin.Reloc, 0, len(got))
	next := func() {
		w := want[0]
		want = want[1:]
		if w.anyType && w.counterpart != nil {
			w.Type = w.counterpart.Type
		}
		if w.anyAddend && w.counterpart != nil {
			w.Addend = w.counterpart.Addend
		}
		list = append(list, w.Reloc)
	}
	for k := range got {
		switch {
		case k < len(apart) && apart[k]:
			list = append(list, got[k])
		case len(want) > 0:
			next()
		}
	}
	for len(want) > 0 {
		next()
	}
	return list
}

func relocText(r *cubin.Reloc) string {
	return fmt.Sprintf("%s at 0x%x, symbol %d, addend %d", relocName(r.Type), r.Off, r.Symbol, r.Addend)
}

// formOfSASS returns a line of the table for what a SASS record is of, nil for none.
func formOfSASS(typ uint32, op uint64) *codeForm {
	for i := range codeForms {
		if f := &codeForms[i]; f.op == op && (f.sass == typ || f.kernel == typ) {
			return f
		}
	}
	return nil
}

func (c *checker) compareReloc(section, clone int, at uint64, w *wanted, got *cubin.Reloc) {
	if w.anyType && w.op != 0 {
		if f := formOfSASS(got.Type, w.op); f != nil {
			c.add(Reloc, Metadata, clone, w.at, "Mercury record of "+relocName(got.Type),
				fmt.Sprintf("%s in byte %d", relocName(f.merc), f.field), fmt.Sprintf("%s in byte %d", relocName(w.Type), w.field))
		} else {
			c.leave(exRelocForm)
		}
	}
	if !w.anyType && w.Type != got.Type {
		c.add(Reloc, Metadata, section, at+8, "type of a relocation", relocName(w.Type), relocName(got.Type))
	}
	if w.Symbol != got.Symbol {
		c.add(Reloc, Metadata, section, at+12, "symbol of a relocation", fmt.Sprint(w.Symbol), fmt.Sprint(got.Symbol))
	}
	if !w.anyAddend && w.Addend != got.Addend {
		c.add(Reloc, Metadata, section, at+16, "addend of a relocation", fmt.Sprint(w.Addend), fmt.Sprint(got.Addend))
	}
}

// zeroField checks that the field of a kept relocation is empty.
func (c *checker) zeroField(fn *capsule.Func, r *cubin.Reloc) {
	mask, ok := zeroFields[r.Type]
	if !ok || r.Off%capsule.WordSize != 0 || r.Off >= uint64(len(fn.Code)) {
		return
	}
	w := wordAt(fn.Code, uint32(r.Off))
	if held := (Word{Lo: w.Lo & mask.Lo, Hi: w.Hi & mask.Hi}); held != (Word{}) {
		c.add(Reloc, Content, fn.Text, r.Off, "field of "+relocName(r.Type), "0", held.String())
		c.repairWord(fn.Text, r.Off, Word{Lo: w.Lo &^ mask.Lo, Hi: w.Hi &^ mask.Hi})
	}
}

// isSystem reports whether a symbol is one that the system gives a value.
func isSystem(name string) bool {
	_, ok := systemValues[name]
	return ok || strings.HasPrefix(name, reservedName)
}
