// Package usage says what a linked image uses of a device's resources, in the
// lines nvlink prints under -v.
//
// Everything is read from the image: nvlink's figures are those of the
// sections and .nv.info records it writes. Kernels come in reverse order of
// their .text sections. The only figures that aren't a size or a record are
// textures, surfaces and samplers: they are the relocations of the kernel's
// parameter bank that ask the driver for a header.
//
// Source: some three hundred links under -v by nvlink 11.8.89, 12.4.131 and
// 13.0.88.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Bank is the bytes of one constant bank.
type Bank struct {
	Number int
	Size   uint64
}

// Kernel is what one kernel uses.
type Kernel struct {
	Name      string
	Registers uint32
	Barriers  uint32
	Stack     uint32
	Shared    uint64
	Local     uint64
	Banks     []Bank
	Textures  int
	Surfaces  int
	Samplers  int

	frame    uint32
	hasStack bool
}

// Image is what an image uses.
type Image struct {
	Global      uint64
	Banks       []Bank // of the module
	Kernels     []Kernel
	HasBarriers bool   // the release tells barriers
	Unfilled    uint32 // sections without contents in the file
}

// KeepBarriers gives a kernel without barriers the number of the kernel before
// it, as nvlink prints them from 13.1 on: it doesn't set the number again for each.
// Before a kernel that has barriers that is first: what the memory held. It reports
// whether first was asked for.
//
// Source: links under -v by nvlink 13.1.115, 13.2.86, 13.3.73, 13.4.92 and 13.5.37.
func (m *Image) KeepBarriers(first uint32) (asked bool) {
	if !m.HasBarriers || len(m.Kernels) == 0 {
		return false
	}
	asked = m.Kernels[0].Barriers == 0
	last := first
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Barriers == 0 {
			k.Barriers = last
		}
		last = k.Barriers
	}
	return asked
}

// Lines returns the texts of the messages, without severity.
func (m *Image) Lines() []string {
	line := fmt.Sprintf("%d bytes gmem", m.Global)
	for _, b := range m.Banks {
		line += fmt.Sprintf(", %d bytes cmem[%d]", b.Size, b.Number)
	}
	lines := []string{line}
	for i := range m.Kernels {
		k := &m.Kernels[i]
		lines = append(lines, fmt.Sprintf("Function properties for '%s':", k.Name), k.line(m.HasBarriers))
	}
	return lines
}

func (k *Kernel) line(barriers bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "used %d registers, ", k.Registers)
	if barriers {
		fmt.Fprintf(&b, "used %d barriers, ", k.Barriers)
	}
	fmt.Fprintf(&b, "%d stack, %d bytes smem", k.Stack, k.Shared)
	for _, bank := range k.Banks {
		fmt.Fprintf(&b, ", %d bytes cmem[%d]", bank.Size, bank.Number)
	}
	fmt.Fprintf(&b, ", %d bytes lmem", k.Local)
	for _, n := range [...]struct {
		count int
		what  string
	}{{k.Textures, "textures"}, {k.Surfaces, "surfaces"}, {k.Samplers, "samplers"}} {
		if n.count > 0 {
			fmt.Fprintf(&b, ", %d %s", n.count, n.what)
		}
	}
	return b.String()
}

// Of reads an image.
// unreserved says that the driver was to keep no shared memory.
func Of(f *cubin.File, unreserved bool) (*Image, error) {
	r := reader{file: f, unreserved: unreserved, image: &Image{HasBarriers: f.Header.New()}, byName: make(map[string][]*Kernel), bySymbol: make(map[uint32]*Kernel), byText: make(map[uint32]*Kernel)}
	if f.Symtab() == nil {
		return r.image, nil
	}
	r.kernels()
	if err := r.sections(); err != nil {
		return nil, err
	}
	if err := r.moduleInfo(); err != nil {
		return nil, err
	}
	for _, k := range r.order {
		if f.Header.Type == cuda.ETRel {
			k.Stack = 0 // no stack is computed yet
		}
	}
	if f.Header.New() && f.Header.SM() >= cuda.MercuryMin {
		r.mercury()
	}
	for i := len(r.order) - 1; i >= 0; i-- {
		r.image.Kernels = append(r.image.Kernels, *r.order[i])
	}
	return r.image, nil
}

// mercury omits what nvlink, which counts the Mercury side, doesn't know of
// above sm_90: banks of constants, headers of textures, surfaces and samplers, and
// what the driver keeps of shared memory (nvlink 13.0.88).
func (r *reader) mercury() {
	r.image.Banks = nil
	for _, k := range r.order {
		k.Banks = nil
		k.Textures, k.Surfaces, k.Samplers = 0, 0, 0
		if r.file.Header.Type == cuda.ETExec && k.Shared >= reserve && !r.unreserved {
			k.Shared -= reserve
		}
	}
}

// reserve is how much of a kernel's shared memory the driver keeps.
const reserve = 0x400

// unknownStack is the size of a stack whose depth recursion hides. nvlink then
// prints the kernel's own frame.
const unknownStack = 0xffffffff

type reader struct {
	file  *cubin.File
	image *Image
	order []*Kernel // by .text section

	// Static kernels of different files may have one name. Sections of memory are looked up by it:
	// they count for each of them.
	byName   map[string][]*Kernel
	bySymbol map[uint32]*Kernel
	byText   map[uint32]*Kernel

	unreserved bool
}

// kernels finds the kernels, in order of their sections.
func (r *reader) kernels() {
	table := r.file.Symtab()
	for i := 1; i < r.file.NumSections(); i++ {
		s := r.file.Section(i)
		name, ok := strings.CutPrefix(r.file.SectionName(&s), ".text.")
		if !ok {
			continue
		}
		index := s.Info & 0xffffff
		sym, ok := table.At(int(index))
		if !ok || sym.Other&cuda.STOEntry == 0 {
			continue
		}
		k := &Kernel{Name: name, Registers: s.Info >> 24,
			Barriers: uint32(s.Flags & cuda.SHFBarrierMask >> cuda.SHFBarrierShift)}
		r.order = append(r.order, k)
		r.byName[name] = append(r.byName[name], k)
		r.bySymbol[index], r.byText[uint32(i)] = k, k
	}
}

// sections adds the sizes of sections to those they belong to.
func (r *reader) sections() error {
	for i := 1; i < r.file.NumSections(); i++ {
		s := r.file.Section(i)
		name := r.file.SectionName(&s)
		switch s.Type {
		case cuda.SHTNobits, cuda.SHTCudaGlobal, cuda.SHTCudaShared:
			r.image.Unfilled++
		}
		switch {
		case name == ".nv.global" || name == ".nv.global.init":
			r.image.Global += s.Size
		case strings.HasPrefix(name, ".nv.constant"):
			r.constant(name[len(".nv.constant"):], s.Size)
		case strings.HasPrefix(name, ".nv.shared."):
			for _, k := range r.byName[name[len(".nv.shared."):]] {
				k.Shared += s.Size
			}
		case strings.HasPrefix(name, ".nv.local."):
			for _, k := range r.byName[name[len(".nv.local."):]] {
				k.Local += s.Size
			}
		case strings.HasPrefix(name, ".nv.info."):
			if err := r.kernelInfo(r.byText[s.Info&0xffffff], &s); err != nil {
				return err
			}
		case strings.HasPrefix(name, ".rel.nv.constant0."), strings.HasPrefix(name, ".rela.nv.constant0."):
			_, kernel, _ := strings.Cut(name, ".nv.constant0.")
			if err := r.headers(r.byName[kernel], &s); err != nil {
				return err
			}
		}
	}
	return nil
}

// constant adds a bank, in order of number; rest is "3" or "0.kernel".
func (r *reader) constant(rest string, size uint64) {
	digits, owner, owned := strings.Cut(rest, ".")
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' || n > 100 {
			return
		}
		n = n*10 + int(c-'0')
	}
	if !owned {
		addBank(&r.image.Banks, Bank{n, size})
		return
	}
	for _, k := range r.byName[owner] {
		addBank(&k.Banks, Bank{n, size})
	}
}

// addBank adds a bank after those of no higher number.
func addBank(banks *[]Bank, b Bank) {
	at := len(*banks)
	for at > 0 && (*banks)[at-1].Number > b.Number {
		at--
	}
	*banks = slices.Insert(*banks, at, b)
}

// kernelInfo reads the barriers of a kernel's own records.
func (r *reader) kernelInfo(k *Kernel, s *cubin.Section) error {
	if k == nil {
		return nil
	}
	info := r.file.Info(s)
	for rec, ok := info.Next(); ok; rec, ok = info.Next() {
		if rec.Attr == cuda.AttrNumBarriers {
			k.Barriers = uint32(rec.Value & 0xff)
		}
	}
	return info.Err()
}

// moduleInfo reads the stack sizes, and registers where the section header
// has none.
func (r *reader) moduleInfo() error {
	i := r.file.Lookup(".nv.info")
	if i == 0 {
		return nil
	}
	s := r.file.Section(i)
	info := r.file.Info(&s)
	for rec, ok := info.Next(); ok; rec, ok = info.Next() {
		if rec.Attr != cuda.AttrMinStackSize && rec.Attr != cuda.AttrRegcount && rec.Attr != cuda.AttrFrameSize {
			continue
		}
		index, _ := rec.Word(0)
		value, ok := rec.Word(1)
		k := r.bySymbol[index]
		switch {
		case !ok || k == nil:
		case rec.Attr == cuda.AttrRegcount:
			k.Registers = max(k.Registers, value)
		case rec.Attr == cuda.AttrFrameSize:
			k.frame = value
		case value != unknownStack:
			k.Stack, k.hasStack = value, true
		}
	}
	for _, k := range r.order {
		if !k.hasStack {
			k.Stack = k.frame
		}
	}
	return info.Err()
}

// headers counts the texture, surface and sampler headers of the parameters.
func (r *reader) headers(kernels []*Kernel, s *cubin.Section) error {
	if len(kernels) == 0 {
		return nil
	}
	table, err := r.file.Relocs(s)
	if err != nil {
		return err
	}
	for i := 0; i < table.Len(); i++ {
		kind := table.At(i).Type
		for _, k := range kernels {
			k.addHeader(kind)
		}
	}
	return nil
}

// addHeader counts a header that the driver is asked for.
func (k *Kernel) addHeader(kind uint32) {
	switch kind {
	case cuda.R_CUDA_TEX_HEADER_INDEX:
		k.Textures++
	case cuda.R_CUDA_SURF_HEADER_INDEX, cuda.R_CUDA_SURF_HW_DESC, cuda.R_CUDA_SURF_HW_SW_DESC:
		k.Surfaces++
	case cuda.R_CUDA_SAMP_HEADER_INDEX, cuda.R_CUDA_SAMP_HEADER_INDEX_0:
		k.Samplers++
	}
}
