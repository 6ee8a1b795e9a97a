package objects

import (
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// place is one of the sections that hold variables.
type place struct {
	index     int
	size, max uint64
	data      []byte
}

// pointers are the records of a variable in Initialized, and where it lies.
type pointers struct {
	at, size uint64
	records  []Record
}

// variables adds the module's variables and the sections that they are in.
func (b *builder) variables() {
	places := map[Space]*place{}
	var initial []pointers
	for i := range b.module.Variables {
		v := &b.module.Variables[i]
		known := &b.link.Variables[v.Name]
		size, align := known.bytes(v.More), uint64(4)<<known.Align
		s := symbol{name: b.link.variableName(v.Name), info: uint8(binding(v.Role))<<4 | uint8(known.kind()), other: known.other(), size: size}
		switch {
		case known.Space >= Texture:
			continue // the linker makes them: ptxas leaves them undefined
		case v.Role == Common:
			s.info = uint8(cuda.STBGlobal)<<4 | uint8(known.kind())
			s.shndx, s.value = shnCommon, align
		default:
			p := places[known.Space]
			if p == nil {
				p = b.place(known.Space)
				places[known.Space] = p
			}
			s.shndx, s.value = uint16(p.index), p.add(size, align, 16*v.Name)
			if known.Space == Initialized {
				initial = append(initial, pointers{s.value, size, v.Records})
			}
			if known.Space == Shared {
				s.value = align // its place is the linker's
			}
		}
		b.symbols[s.name] = b.file.symbol(s)
	}
	for space, p := range places {
		s := &b.file.sections[p.index]
		s.align = p.max
		if s.data = p.data; space == Global || space == Shared {
			s.data, s.size = nil, p.size
		}
	}
	for _, p := range initial {
		// A pointer is in its own variable, and in a multiple of eight.
		at := (p.at + 7) &^ 7
		if len(p.records) > 0 && at+8 <= p.at+p.size {
			b.record(p.records[0], places[Initialized].index, at, 8, true)
		}
	}
}

// place adds the section of a space, and its symbol.
func (b *builder) place(space Space) *place {
	p := &place{index: b.file.section(spaceSection(space))}
	b.file.symbol(symbol{name: b.file.sections[p.index].name, info: uint8(cuda.STTSection), shndx: uint16(p.index)})
	return p
}

// add returns the offset of a variable of that size, and fills it with bytes that differ by its salt.
func (p *place) add(size, align uint64, salt byte) uint64 {
	at := (p.size + align - 1) &^ (align - 1)
	p.max = max(p.max, align)
	p.size = at + size
	for uint64(len(p.data)) < p.size {
		p.data = append(p.data, byte(len(p.data))^salt)
	}
	return at
}

const shnCommon = 0xfff2

func spaceSection(s Space) section {
	alloc := cuda.SHFAlloc | cuda.SHFWrite
	switch s {
	case Initialized:
		return section{name: ".nv.global.init", typ: cuda.SHTCudaGlobalInit, flags: alloc}
	case Constant:
		return section{name: ".nv.constant3", typ: cuda.SHTCudaConstant0 + 3, flags: cuda.SHFAlloc}
	case Shared:
		return section{name: ".nv_debug.shared", typ: cuda.SHTCudaShared, flags: alloc}
	}
	return section{name: ".nv.global", typ: cuda.SHTCudaGlobal, flags: alloc}
}

// types are those that ptxas writes, by what they name.
type types struct{ function, global, shared, constant, texture []uint32 }

var (
	maxwell = types{
		function: []uint32{cuda.R_CUDA_ABS32_LO_20, cuda.R_CUDA_ABS32_HI_20, cuda.R_CUDA_FUNC_DESC32_LO_20, cuda.R_CUDA_FUNC_DESC32_HI_20},
		global:   []uint32{cuda.R_CUDA_ABS32_LO_20, cuda.R_CUDA_ABS32_HI_20, cuda.R_CUDA_ABS32_20},
		shared:   []uint32{cuda.R_CUDA_ABS24_20, cuda.R_CUDA_ABS32_20},
		constant: []uint32{cuda.R_CUDA_CONST_FIELD19_20, cuda.R_CUDA_CONST_FIELD21_20},
		texture:  []uint32{cuda.R_CUDA_BINDLESSOFF13_36},
	}
	volta = types{
		function: []uint32{cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_ABS32_HI_32, cuda.R_CUDA_ABS47_34, cuda.R_CUDA_FUNC_DESC32_LO_32, cuda.R_CUDA_FUNC_DESC32_HI_32},
		global:   []uint32{cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_ABS32_HI_32},
		shared:   []uint32{cuda.R_CUDA_ABS24_40, cuda.R_CUDA_ABS32_32},
		constant: []uint32{cuda.R_CUDA_CONST_FIELD19_40, cuda.R_CUDA_CONST_FIELD22_37},
		texture:  []uint32{cuda.R_CUDA_TEX_BINDLESSOFF13_32, cuda.R_CUDA_TEX_BINDLESSOFF13_41, cuda.R_CUDA_BINDLESSOFF14_40},
	}
	dataTypes = [...]uint32{cuda.R_CUDA_G64, cuda.R_CUDA_64, cuda.R_CUDA_FUNC_DESC_64}
)

func pick(list []uint32, n int) uint32 { return list[n%len(list)] }

// typeOf draws the type of a record from those that fit what it names.
func (b *builder) typeOf(r Record, data bool) uint32 {
	if b.link.has(AnyType) && r.Type&3 == r.Name&3 {
		return uint32(r.Type)
	}
	n := int(r.Type / 2)
	t := &volta
	if b.link.target().SM < 70 {
		t = &maxwell
	}
	switch space := b.link.Variables[b.link.named(Record{Name: r.Name})].Space; {
	case r.Function && data:
		return dataTypes[1+n%2]
	case data:
		return dataTypes[n%2]
	case r.Function:
		return pick(t.function, n)
	case space == Constant:
		return pick(t.constant, n)
	case space == Shared, space == DynamicShared:
		return pick(t.shared, n)
	case space >= Texture:
		return pick(t.texture, n)
	}
	return pick(t.global, n)
}

// records adds the records of a function: those given, and one for each call.
func (b *builder) records(list []Record, text int, f *Function) {
	size := uint64(len(b.file.sections[text].data))
	for _, r := range list {
		at := uint64(r.At) % size &^ 15
		if b.link.has(Outside) && r.At&15 == 1 {
			at = uint64(r.At)
		}
		b.record(r, text, at, 16, false)
	}
	for i, c := range f.Calls {
		if !c.Pointer {
			at := (16*uint64(i) + 64) % size
			b.relocs(text, false, cuda.R_CUDA_ABS32_LO_32, at, b.symbol(b.link.functionName(c.Function)), 0)
			continue
		}
		b.relocs(text, false, cuda.R_CUDA_ABS32_LO_32, (16*uint64(i)+32)%size, b.symbol(b.link.functionName(c.Function)), 0)
	}
}

// record adds one record.
func (b *builder) record(r Record, target int, at, _ uint64, data bool) {
	name := b.link.variableName(r.Name)
	if r.Function {
		name = b.link.functionName(r.Name)
	}
	typ := b.typeOf(r, data)
	if !b.link.has(AnyType) {
		switch v := b.link.Variables[b.link.named(Record{Name: r.Name})]; {
		case data && r.Function, data && v.Space < Constant:
		case data, r.Function && b.link.Functions[b.link.named(r)].Kernel:
			return // no address of a shared variable in data, none of a kernel
		case !r.Function && v.Space == Shared && !b.has(r.Name):
			return // another module's
		}
	}
	b.relocs(target, r.Rel && b.legacy(), typ, at, b.symbol(name), int64(r.Addend)&^3)
}

func (b *builder) has(variable uint8) bool {
	for i := range b.module.Variables {
		if b.module.Variables[i].Name == variable%uint8(len(b.link.Variables)) {
			return true
		}
	}
	return false
}

// relocs adds a record to .rel or .rela of a section.
func (b *builder) relocs(target int, rel bool, typ uint32, at uint64, sym uint32, addend int64) {
	if key := [2]uint64{uint64(target), at &^ 7}; !b.patched[key] {
		b.patched[key] = true
	} else if !b.link.has(Outside) {
		return // one place, one record
	}
	s := &b.file.sections[target]
	prefix, kind, entry := ".rela", cuda.SHTRela, uint64(24)
	if rel {
		prefix, kind, entry = ".rel", cuda.SHTRel, 16
	}
	index := -1
	for i := range b.file.sections {
		if b.file.sections[i].name == prefix+s.name {
			index = i
		}
	}
	if index < 0 {
		index = b.file.section(section{name: prefix + s.name, typ: kind, flags: cuda.SHFInfoLink, align: 8, entsize: entry, link: symtabIndex, info: uint32(target)})
	}
	d := b.file.sections[index].data
	d = binary.LittleEndian.AppendUint64(d, at)
	d = binary.LittleEndian.AppendUint64(d, uint64(sym)<<32|uint64(typ))
	if !rel {
		d = binary.LittleEndian.AppendUint64(d, uint64(addend))
	}
	b.file.sections[index].data = d
}
