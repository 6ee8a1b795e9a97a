package objects

import (
	"encoding/binary"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

// prototypes are what .nv.prototype calls signatures.
var prototypes = [...]string{"#v", "#ii", "#iii", "#lil"}

// marks are attributes of a function without a value.
var marks = [...]cuda.InfoAttr{cuda.AttrCtaidzUsed}

// Object is a file with its name.
type Object struct {
	Name string
	Data []byte
}

// Objects makes the modules' files, m0.cubin and on.
func (l *Link) Objects() []Object {
	s := l.repaired()
	var list []Object
	for i := range s.Modules {
		b := &builder{link: &s, module: &s.Modules[i], number: i, symbols: map[string]uint32{}, patched: map[[2]uint64]bool{}}
		list = append(list, Object{fmt.Sprintf("m%d.cubin", i), b.build()})
	}
	return list
}

// builder makes one object.
type builder struct {
	link    *Link
	module  *Module
	number  int
	file    file
	symbols map[string]uint32 // by name
	patched map[[2]uint64]bool
}

func (l *Link) functionName(i uint8) string {
	i %= uint8(len(l.Functions))
	if l.Functions[i].Kernel {
		return fmt.Sprintf("k%d", i)
	}
	return fmt.Sprintf("f%d", i)
}

func (l *Link) variableName(i uint8) string { return fmt.Sprintf("v%d", i%uint8(len(l.Variables))) }

func (b *builder) legacy() bool { return b.link.target().Release < "13" }

// paramBase is where parameters begin in constant bank 0.
func (b *builder) paramBase() uint64 {
	switch sm := b.link.target().SM; {
	case sm >= 90:
		return 0x210
	case sm >= 70:
		return 0x160
	}
	return 0x140
}

func (b *builder) build() []byte {
	f := &b.file
	f.header(b.link.target(), b.module.Older)
	info := f.section(section{name: ".nv.info", typ: cuda.SHTCudaInfo, align: 4, link: symtabIndex})
	if !b.legacy() {
		f.notes(b.link.target(), b.module.Older)
	}
	texts := map[uint8]int{}
	for i := range b.module.Functions {
		fn := &b.module.Functions[i]
		texts[fn.Name] = b.text(fn)
	}
	b.variables()
	var table []byte
	for i := range b.module.Functions {
		fn := &b.module.Functions[i]
		sym := b.symbol(b.link.functionName(fn.Name))
		table = sized(table, cuda.AttrRegcount, sym, uint32(b.registers(fn)))
		table = sized(table, cuda.AttrFrameSize, sym, 8*uint32(fn.Frame))
		table = sized(table, cuda.AttrMinStackSize, sym, 8*uint32(fn.Frame))
	}
	f.sections[info].data = table
	for i := range b.module.Functions {
		fn := &b.module.Functions[i]
		if b.link.Functions[fn.Name].Kernel {
			b.constants(fn, texts[fn.Name])
		}
		b.attributes(fn, texts[fn.Name])
		b.records(fn.Records, texts[fn.Name], fn)
	}
	b.callgraph()
	return f.encode()
}

func (b *builder) registers(f *Function) uint8 { return max(f.Registers, 8) }

func binding(r Role) cuda.Binding {
	switch r {
	case Local:
		return cuda.STBLocal
	case Weak:
		return cuda.STBWeak
	}
	return cuda.STBGlobal
}

// text adds a function's code and symbols.
func (b *builder) text(f *Function) int {
	name := b.link.functionName(f.Name)
	size := 128 * (uint64(f.Length) + 1)
	code := make([]byte, size)
	for i := range code {
		code[i] = byte(i*7) ^ byte(b.number+int(f.Name)*16)
	}
	flags := cuda.SHFAlloc | cuda.SHFExec
	index := b.file.section(section{name: ".text." + name, typ: cuda.SHTProgbits, flags: flags, align: 128, link: symtabIndex, data: code})
	other := uint8(0)
	if b.link.Functions[f.Name].Kernel {
		other = cuda.STOEntry
	}
	sym := b.file.symbol(symbol{name: name, info: uint8(binding(f.Role))<<4 | uint8(cuda.STTFunc), other: other, shndx: uint16(index), size: size})
	b.symbols[name] = sym
	b.file.symbol(symbol{name: ".text." + name, info: uint8(cuda.STTSection), shndx: uint16(index)})
	s := &b.file.sections[index]
	s.info = sym
	if b.legacy() {
		s.info |= uint32(b.registers(f)) << 24
		s.flags |= cuda.SectionFlags(f.Barriers) << cuda.SHFBarrierShift
	}
	return index
}

// constants adds a kernel's parameters, and its own constants.
func (b *builder) constants(f *Function, text int) {
	name := b.link.functionName(f.Name)
	bank := b.file.section(section{name: ".nv.constant0." + name, typ: cuda.SHTCudaConstant0, flags: cuda.SHFAlloc | cuda.SHFInfoLink, align: 4,
		info: uint32(text), data: make([]byte, b.paramBase()+4*uint64(f.Params))})
	b.file.symbol(symbol{name: ".nv.constant0." + name, info: uint8(cuda.STTSection), shndx: uint16(bank)})
	b.symbols[".nv.constant0."+name] = uint32(len(b.file.symbols) - 1)
	if f.Bank2 > 0 {
		data := make([]byte, 8*int(f.Bank2))
		for i := range data {
			data[i] = byte(i) + 16*f.Name
		}
		b.file.section(section{name: ".nv.constant2." + name, typ: cuda.SHTCudaConstant0 + 2, flags: cuda.SHFAlloc | cuda.SHFInfoLink, align: 8, info: uint32(text), data: data})
	}
}

// attributes adds .nv.info of a function.
func (b *builder) attributes(f *Function, text int) {
	name := b.link.functionName(f.Name)
	var d []byte
	d = sized(d, cuda.AttrCudaApiVersion, apiOf(b.link.target()))
	kernel := b.link.Functions[f.Name].Kernel
	if kernel {
		size := 4 * uint32(f.Params)
		if b.legacy() {
			d = sized(d, cuda.AttrParamCbank, b.symbols[".nv.constant0."+name], uint32(b.paramBase())|size<<16)
			d = half(d, cuda.AttrCbankParamSize, uint16(size))
		}
		for i := uint32(f.Params); i > 0; i-- {
			d = sized(d, cuda.AttrKparamInfo, 0, (i-1)|4*(i-1)<<16, 0x11f000)
		}
	}
	if t := b.link.target(); t.SM >= 90 && t.Release >= "12.4" {
		d = half(d, cuda.AttrSparseMmaMask, 0)
	}
	if f.Marks&1 != 0 {
		d = append(d, byte(cuda.FormatNone), byte(marks[0]), 0, 0)
	}
	if kernel {
		d = half(d, cuda.AttrMaxregCount, 0xff-uint16(f.MaxReg%2)*uint16(f.MaxReg))
	}
	if f.Marks&2 != 0 {
		d = sized(d, cuda.AttrMaxThreads, 256, 1, 1)
	}
	if f.Marks&4 != 0 && b.link.target().SM < 70 {
		d = sized(d, cuda.AttrCrsStackSize, 8*uint32(f.Frame))
	}
	var externs []byte
	for _, c := range f.Calls {
		callee := b.link.functionName(c.Function)
		if !c.Pointer && !b.defines(c.Function) {
			externs = binary.LittleEndian.AppendUint32(externs, b.symbol(callee))
		}
	}
	if len(externs) > 0 {
		d = append(append(d, byte(cuda.FormatSized), byte(cuda.AttrExterns), byte(len(externs)), 0), externs...)
	}
	if !b.legacy() && f.Barriers > 0 {
		d = append(d, byte(cuda.FormatByte), byte(cuda.AttrNumBarriers), f.Barriers, 0)
	}
	d = sized(d, cuda.AttrExitInstrOffsets, 0x40)
	if kernel && !b.legacy() {
		size := 4 * uint32(f.Params)
		d = half(d, cuda.AttrCbankParamSize, uint16(size))
		d = sized(d, cuda.AttrParamCbank, b.symbols[".nv.constant0."+name], uint32(b.paramBase())|size<<16)
	}
	b.file.section(section{name: ".nv.info." + name, typ: cuda.SHTCudaInfo, flags: cuda.SHFInfoLink, align: 4, link: symtabIndex, info: uint32(text), data: d})
}

func (b *builder) defines(function uint8) bool {
	for i := range b.module.Functions {
		if b.module.Functions[i].Name == function {
			return true
		}
	}
	return false
}

// symbol returns the number of a name, undefined in this module where it isn't defined.
func (b *builder) symbol(name string) uint32 {
	if n, ok := b.symbols[name]; ok {
		return n
	}
	s := symbol{name: name, info: uint8(cuda.STBGlobal) << 4}
	var i int
	if _, err := fmt.Sscanf(name[1:], "%d", &i); err == nil && name[0] == 'v' {
		v := b.link.Variables[i]
		s.info, s.other, s.size = s.info|uint8(v.kind()), v.other(), v.bytes(0)
		if v.Space >= DynamicShared {
			s.size = 0
		}
	} else {
		s.info |= uint8(cuda.STTFunc)
		if name[0] == 'k' {
			s.other = cuda.STOEntry
		}
	}
	n := b.file.symbol(s)
	b.symbols[name] = n
	return n
}

func (v *VariableName) kind() cuda.SymbolType {
	switch v.Space {
	case Texture:
		return cuda.STTCudaTexture
	case Sampler:
		return cuda.STTCudaSampler
	case Surface:
		return cuda.STTCudaSurface
	}
	return cuda.STTCudaObject
}

func (v *VariableName) bytes(more uint8) uint64 { return 4 * (uint64(v.Size) + uint64(more) + 1) }

func (v *VariableName) other() uint8 {
	o := uint8(0)
	switch v.Space {
	case Global, Initialized:
		if o = cuda.STOGlobal; v.Managed {
			o |= cuda.STOManaged
		}
	case Constant:
		o = cuda.STOConstant
	case Shared, DynamicShared:
		o = cuda.STOShared
	}
	return o
}

// callgraph adds who calls whom, the prototypes, and whose address is taken.
func (b *builder) callgraph() {
	var calls, protos, indirect, taken []uint32
	names := []byte{}
	for i := range b.module.Functions {
		f := &b.module.Functions[i]
		me := b.symbols[b.link.functionName(f.Name)]
		for _, c := range f.Calls {
			callee := b.symbol(b.link.functionName(c.Function))
			text := b.file.name(prototypes[b.link.Functions[c.Function].Prototype])
			if c.Pointer {
				indirect = append(indirect, me, text)
				taken = append(taken, me, callee)
				if b.defines(c.Function) {
					protos = append(protos, callee, text)
				} else {
					names = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(names, callee), text)
				}
				continue
			}
			calls = append(calls, me, callee)
		}
		for _, r := range f.Records {
			if r.Function {
				taken = append(taken, me, b.symbol(b.link.functionName(r.Name)))
			}
		}
	}
	var d []byte
	groups := [][]uint32{pairs(calls), pairs(protos), pairs(indirect), pairs(taken)}
	if b.file.version == 118 {
		groups = groups[:3]
	}
	for i, list := range groups {
		d = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(d, 0), ^uint32(i))
		for _, v := range list {
			d = binary.LittleEndian.AppendUint32(d, v)
		}
	}
	b.file.section(section{name: ".nv.callgraph", typ: cuda.SHTCudaCallgraph, align: 4, entsize: 8, link: symtabIndex, data: d})
	if len(names) > 0 {
		b.file.section(section{name: ".nv.prototype", typ: cuda.SHTCudaPrototype, align: 4, entsize: 8, link: symtabIndex, data: names})
	}
}

// pairs omits what is there already.
func pairs(list []uint32) []uint32 {
	seen := map[[2]uint32]bool{}
	var out []uint32
	for i := 0; i < len(list); i += 2 {
		if key := [2]uint32{list[i], list[i+1]}; !seen[key] {
			seen[key] = true
			out = append(out, list[i], list[i+1])
		}
	}
	return out
}

func apiOf(t Target) uint32 {
	var major, minor uint32
	fmt.Sscanf(t.Release, "%d.%d", &major, &minor)
	return 10*major + minor
}

func sized(d []byte, attr cuda.InfoAttr, words ...uint32) []byte {
	d = append(d, byte(cuda.FormatSized), byte(attr), byte(4*len(words)), 0)
	for _, w := range words {
		d = binary.LittleEndian.AppendUint32(d, w)
	}
	return d
}

func half(d []byte, attr cuda.InfoAttr, v uint16) []byte {
	return append(d, byte(cuda.FormatHalf), byte(attr), byte(v), byte(v>>8))
}
