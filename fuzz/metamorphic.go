package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/objects"
)

// Links that have to mean the same though they are not the same: no second opinion is needed to judge them.

// relation is a change to a link after which every kernel is what it was.
type relation struct {
	name   string
	change func(*Reader, objects.Link) objects.Link
}

var relations = [...]relation{
	{"permuted", func(r *Reader, l objects.Link) objects.Link {
		l.Modules = slices.Clone(l.Modules)
		for i := range l.Modules {
			j := i + r.Below(len(l.Modules)-i)
			l.Modules[i], l.Modules[j] = l.Modules[j], l.Modules[i]
		}
		return l
	}},
	{"dead code added", func(r *Reader, l objects.Link) objects.Link {
		l.Functions = append(slices.Clone(l.Functions), objects.FunctionName{})
		l.Modules = append(slices.Clone(l.Modules), objects.Module{Functions: []objects.Function{
			{Name: uint8(len(l.Functions) - 1), Registers: r.Byte(), Frame: r.Byte() % 32, Barriers: 0, Length: r.Byte() % 4}}})
		return l
	}},
	{"split", func(r *Reader, l objects.Link) objects.Link {
		l.Modules = slices.Clone(l.Modules)
		i := r.Below(len(l.Modules))
		m := l.Modules[i]
		n := r.Below(len(m.Functions) + 1)
		l.Modules[i] = objects.Module{Older: m.Older, Functions: m.Functions[:n], Variables: m.Variables}
		l.Modules = append(l.Modules, objects.Module{Older: m.Older, Functions: m.Functions[n:]})
		return l
	}},
}

// ReadMetamorphic makes a sound link without names that only a module knows or of which there are several definitions:
// for those the order counts.
func ReadMetamorphic(r *Reader) objects.Link {
	l := objects.Read(r)
	l.Features &^= objects.Clash | objects.Undefined | objects.Mismatch | objects.AnyType | objects.Outside | objects.OlderTarget
	l.Option = 0
	l = l.Reduced()
	functions, variables := map[uint8]bool{}, map[uint8]bool{}
	for i := range l.Variables {
		if l.Variables[i].Space >= objects.Shared {
			l.Variables[i].Space = objects.Global // others belong to a module, or to nobody
		}
	}
	for i := range l.Modules {
		m := &l.Modules[i]
		m.Functions = slices.DeleteFunc(m.Functions, func(f objects.Function) bool {
			name := f.Name % uint8(len(l.Functions))
			again := functions[name]
			functions[name] = true
			return again
		})
		for j := range m.Functions {
			m.Functions[j].Role = objects.Strong
		}
		m.Variables = slices.DeleteFunc(m.Variables, func(v objects.Variable) bool {
			name := v.Name % uint8(len(l.Variables))
			again := variables[name]
			variables[name] = true
			return again
		})
		for j := range m.Variables {
			m.Variables[j].Role = objects.Strong
		}
	}
	// All that is named is defined in the first module if nowhere else: where it would be defined otherwise depends on the order.
	for name := range uint8(len(l.Functions)) {
		if !functions[name] {
			l.Modules[0].Functions = append(l.Modules[0].Functions, objects.Function{Name: name, Registers: 16})
		}
	}
	for name := range uint8(len(l.Variables)) {
		if !variables[name] {
			l.Modules[0].Variables = append(l.Modules[0].Variables, objects.Variable{Name: name})
		}
	}
	return l
}

// Linker answers a question with an image, or refuses.
type Linker func(*Question) (image []byte, err error)

// Engine is the engine as a Linker.
func Engine(q *Question) ([]byte, error) {
	out, err := q.Link()
	if err != nil {
		return nil, err
	}
	return out.Image, nil
}

// JudgeMetamorphic links and wants the same facts of every kernel after each change, and after a link in two steps.
func JudgeMetamorphic(r *Reader, l objects.Link, link Linker) (Ruling, *Divergence) {
	q := questionOf(&l)
	image, err := link(&q)
	if err != nil {
		return BothRefuse, nil
	}
	want, err := facts(image)
	if err != nil {
		return Diverge, &Divergence{Key: "metamorphic-open", What: err.Error()}
	}
	compare := func(name string, q *Question) *Divergence {
		image, err := link(q)
		if err != nil {
			return &Divergence{Key: "metamorphic-" + name, What: fmt.Sprintf("%s, the link is refused: %v", name, err), Traces: []Trace{{"link", q.story()}}}
		}
		got, err := facts(image)
		if err != nil {
			return &Divergence{Key: "metamorphic-" + name, What: err.Error()}
		}
		for _, k := range sortedKeys(want) {
			if got[k] != want[k] {
				return &Divergence{Key: "metamorphic-" + name, What: fmt.Sprintf("%s, %s is %q and was %q", name, k, got[k], want[k]), Traces: []Trace{{"link", q.story()}}}
			}
		}
		return nil
	}
	for _, rel := range relations {
		changed := rel.change(r, l)
		q := questionOf(&changed)
		if d := compare(rel.name, &q); d != nil {
			return Diverge, d
		}
	}
	if l.Release() < "13" {
		return Agree, nil // what its -r makes can't be linked again
	}
	two := questionOf(&l)
	two.Final = two.Args
	two.Args = append(slices.Clone(two.Args), "-r")
	first := two
	first.Final = nil
	if _, err := link(&first); err != nil {
		return Agree, nil // what it doesn't do
	}
	if d := compare("in two steps", &two); d != nil {
		return Diverge, d
	}
	return Agree, nil
}

func questionOf(l *objects.Link) Question {
	q := Question{Release: l.Release(), Args: append([]string{"-arch=" + l.Arch()}, l.Args()...)}
	for _, o := range l.Objects() {
		q.Inputs = append(q.Inputs, engine.Input{Name: o.Name, Data: o.Data})
	}
	return q
}

// facts is what a program shows of an image: of each kernel its size, registers, stack and barriers, of each kernel's
// parameters the size, and of each variable its size.
func facts(image []byte) (map[string]string, error) {
	d, err := cubin.Decode("image", image)
	if err != nil {
		return nil, err
	}
	syms, err := d.Symbols(d.Symtab())
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for i := range syms {
		switch s := &syms[i]; {
		case s.Other&cuda.STOEntry != 0:
			all[s.Name] = fmt.Sprintf("size %d", s.Size)
			all[s.Name+" code"] = fmt.Sprintf("flags %#x", uint64(d.Part(int(s.Shndx)).Flags))
		case s.Type() == cuda.STTCudaObject && s.Other&cuda.STOSpace == cuda.STOGlobal:
			all[s.Name] = fmt.Sprintf("size %d", s.Size)
		}
	}
	for i := 1; i < d.NumSections(); i++ {
		name := d.SectionName(i)
		if strings.HasPrefix(name, ".nv.constant0.") {
			all[name] = fmt.Sprintf("size %d", d.Part(i).Size)
		}
		if name != ".nv.info" {
			continue
		}
		list, err := d.Info(i)
		if err != nil {
			return nil, err
		}
		for k := range list {
			sym, ok := list[k].Word(0)
			value, two := list[k].Word(1)
			if !ok || !two || int(sym) >= len(syms) || syms[sym].Other&cuda.STOEntry == 0 {
				continue
			}
			all[syms[sym].Name+" "+list[k].Attr.String()] = fmt.Sprint(value)
		}
	}
	return all, nil
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
