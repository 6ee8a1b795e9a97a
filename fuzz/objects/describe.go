package objects

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Describe makes a link like that of real objects: as many modules, functions and variables as there is room for, with
// the registers, frames, calls and records they have. What a [Link] can't say is omitted.
func Describe(release string, sm int, files [][]byte) (Link, error) {
	d := describer{functions: map[string]uint8{}, variables: map[string]uint8{}}
	found := false
	for i, t := range Targets {
		if t.Release == release && t.SM == sm {
			d.link.Target, found = uint8(i), true
		}
	}
	if !found {
		return Link{}, fmt.Errorf("objects: none for sm_%d of %s", sm, release)
	}
	d.link.Features = Cycles | Indirect | Textures | Barriers
	for _, data := range files[:min(len(files), maxModules)] {
		draft, err := cubin.Decode("object", data)
		if err != nil {
			return Link{}, err
		}
		if err := d.module(draft); err != nil {
			return Link{}, err
		}
	}
	if len(d.link.Functions) == 0 {
		d.link.Functions = []FunctionName{{}}
	}
	if len(d.link.Variables) == 0 {
		d.link.Variables = []VariableName{{}}
	}
	return d.link, nil
}

type describer struct {
	link                 Link
	functions, variables map[string]uint8
}

// function returns the number of a name, false where there is no room.
func (d *describer) function(s *cubin.Sym) (uint8, bool) {
	n, ok := d.functions[s.Name]
	if !ok && len(d.link.Functions) < maxNames {
		n, ok = uint8(len(d.link.Functions)), true
		d.functions[s.Name] = n
		d.link.Functions = append(d.link.Functions, FunctionName{Kernel: s.Other&cuda.STOEntry != 0})
	}
	return n, ok
}

func (d *describer) variable(s *cubin.Sym, section string) (uint8, bool) {
	n, ok := d.variables[s.Name]
	if !ok && len(d.link.Variables) < maxNames {
		v := VariableName{Size: uint8(min(max(s.Size/4, 1)-1, 31)), Managed: s.Other&cuda.STOManaged != 0}
		switch {
		case s.Type() == cuda.STTCudaTexture:
			v.Space = Texture
		case s.Type() == cuda.STTCudaSampler:
			v.Space = Sampler
		case s.Type() == cuda.STTCudaSurface:
			v.Space = Surface
		case s.Other&cuda.STOSpace == cuda.STOConstant:
			v.Space = Constant
		case s.Other&cuda.STOSpace == cuda.STOShared && s.Shndx == 0:
			v.Space = DynamicShared
		case s.Other&cuda.STOSpace == cuda.STOShared:
			v.Space = Shared
		case strings.HasPrefix(section, ".nv.global.init"):
			v.Space = Initialized
		}
		n, ok = uint8(len(d.link.Variables)), true
		d.variables[s.Name] = n
		d.link.Variables = append(d.link.Variables, v)
	}
	return n, ok
}

func roleOf(s *cubin.Sym) Role {
	switch s.Binding() {
	case cuda.STBWeak:
		return Weak
	case cuda.STBLocal:
		return Local
	}
	return Strong
}

func (d *describer) module(f *cubin.Editor) error {
	syms, err := f.Symbols(f.Symtab())
	if err != nil {
		return err
	}
	var m Module
	defined := d.defineFunctions(syms, &m)
	d.defineVariables(f, syms, &m)
	for i := 1; i < f.NumSections(); i++ {
		switch t := f.Part(i).Type; {
		case cubin.IsInfo(t):
			err = d.info(f, i, &m, defined)
		case cubin.IsCallgraph(t):
			var groups []cubin.CallGroup
			groups, err = f.Callgraph(i)
			for _, g := range groups {
				d.calls(g, &m, defined, syms)
			}
		case cubin.IsRelocs(t):
			err = d.records(f, i, &m, defined, syms)
		}
		if err != nil {
			return err
		}
	}
	d.link.Modules = append(d.link.Modules, m)
	return nil
}

// defineFunctions adds the functions that the file defines, and returns which of the module's each symbol is.
func (d *describer) defineFunctions(syms []cubin.Sym, m *Module) map[uint32]int {
	defined := map[uint32]int{}
	for i := range syms {
		s := &syms[i]
		if s.Type() != cuda.STTFunc || s.Shndx == 0 || len(m.Functions) == maxDefs {
			continue
		}
		n, ok := d.function(s)
		if !ok {
			continue
		}
		f := Function{Name: n, Role: roleOf(s), Length: uint8(min(max(s.Size/128, 1)-1, 3)), Registers: 16}
		if d.link.Functions[n].Kernel {
			f.Role = Strong
		}
		defined[uint32(i)] = len(m.Functions)
		m.Functions = append(m.Functions, f)
	}
	return defined
}

func (d *describer) defineVariables(f *cubin.Editor, syms []cubin.Sym, m *Module) {
	for i := range syms {
		s := &syms[i]
		if t := s.Type(); t != cuda.STTCudaObject && t != cuda.STTCudaTexture || s.Name == "" || strings.HasPrefix(s.Name, "_param") || len(m.Variables) == maxDefs {
			continue
		}
		section := ""
		if int(s.Shndx) < f.NumSections() {
			section = f.SectionName(int(s.Shndx))
		}
		n, ok := d.variable(s, section)
		if !ok || s.Shndx == 0 {
			continue
		}
		role := roleOf(s)
		if s.Shndx == shnCommon {
			role = Common
		}
		m.Variables = append(m.Variables, Variable{Name: n, Role: role})
	}
}

// info takes registers and frames of functions.
func (d *describer) info(f *cubin.Editor, i int, m *Module, defined map[uint32]int) error {
	list, err := f.Info(i)
	if err != nil {
		return err
	}
	for k := range list {
		sym, _ := list[k].Word(0)
		value, ok := list[k].Word(1)
		at, known := defined[sym]
		if !ok || !known {
			continue
		}
		switch list[k].Attr {
		case cuda.AttrRegcount:
			m.Functions[at].Registers = uint8(min(value, 254))
		case cuda.AttrFrameSize:
			m.Functions[at].Frame = uint8(min(value/8, 31))
		}
	}
	return nil
}

func (d *describer) calls(g cubin.CallGroup, m *Module, defined map[uint32]int, syms []cubin.Sym) {
	if g.NamesString() {
		return
	}
	for _, p := range g.Pairs {
		at, ok := defined[p.X]
		if !ok || int(p.Y) >= len(syms) || len(m.Functions[at].Calls) == maxCalls || syms[p.Y].Type() != cuda.STTFunc {
			continue
		}
		if n, ok := d.function(&syms[p.Y]); ok {
			m.Functions[at].Calls = append(m.Functions[at].Calls, Call{Function: n, Pointer: g.Kind != cuda.CallgraphCalls})
		}
	}
}

func (d *describer) records(f *cubin.Editor, i int, m *Module, defined map[uint32]int, syms []cubin.Sym) error {
	list, err := f.Relocs(i)
	if err != nil {
		return err
	}
	for sym, at := range defined {
		fn := &m.Functions[at]
		if int(syms[sym].Shndx) != int(f.Part(i).Info) {
			continue
		}
		for _, r := range list {
			if int(r.Symbol) >= len(syms) || len(fn.Records) == maxRecords {
				continue
			}
			s := &syms[r.Symbol]
			n, ok := d.variables[s.Name]
			if fnNumber, isFunction := d.functions[s.Name]; isFunction {
				fn.Records = append(fn.Records, Record{At: uint16(r.Off), Type: uint8(r.Type % cuda.RelocCount), Function: true, Name: fnNumber, Addend: int16(r.Addend)})
			} else if ok {
				fn.Records = append(fn.Records, Record{At: uint16(r.Off), Type: uint8(r.Type % cuda.RelocCount), Name: n, Addend: int16(r.Addend)})
			}
		}
	}
	return nil
}
