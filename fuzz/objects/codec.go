package objects

import "github.com/twinlink/twinlink/cuda"

// source gives numbers, zero after its end.
type source interface {
	Byte() byte
	Uint16() uint16
}

// sink takes numbers.
type sink interface {
	Byte(byte)
	Uint16(uint16)
}

// codec walks over a link, reading it or writing it: one walk, so that both know the same form.
type codec struct {
	from source
	to   sink
}

func number[T ~uint8](c *codec, v *T, below int) {
	if c.from != nil {
		*v = T(int(c.from.Byte()) % below)
		return
	}
	c.to.Byte(byte(*v))
}

func (c *codec) flag(v *bool) {
	b := uint8(0)
	if *v {
		b = 1
	}
	number(c, &b, 2)
	*v = b == 1
}

func (c *codec) word(v *uint16) {
	if c.from != nil {
		*v = c.from.Uint16()
		return
	}
	c.to.Uint16(*v)
}

// list walks over from least to most elements.
func list[T any](c *codec, l *[]T, least, most int, each func(*T)) {
	n := uint8(len(*l) - least)
	number(c, &n, most-least+1)
	if c.from != nil {
		*l = nil
		if int(n)+least > 0 {
			*l = make([]T, int(n)+least)
		}
	}
	for i := range *l {
		each(&(*l)[i])
	}
}

// Read makes a link of any bytes.
func Read(from source) Link {
	var l Link
	(&codec{from: from}).link(&l)
	return l
}

// Write puts down what Read reads.
func (l *Link) Write(to sink) { (&codec{to: to}).link(l) }

func (c *codec) link(l *Link) {
	number(c, &l.Target, len(Targets))
	number(c, &l.Option, len(Options))
	features := uint16(l.Features)
	c.word(&features)
	if l.Features = Feature(features) & (1<<numFeatures - 1); c.from != nil && c.from.Byte()%4 > 0 {
		l.Features &^= Clash | Undefined | Mismatch | Outside // three of four are sound
	} else if c.to != nil {
		c.to.Byte(0)
	}
	list(c, &l.Functions, 1, maxNames, func(f *FunctionName) {
		c.flag(&f.Kernel)
		number(c, &f.Prototype, len(prototypes))
	})
	list(c, &l.Variables, 1, maxNames, func(v *VariableName) {
		number(c, &v.Space, int(numSpaces))
		number(c, &v.Size, 32)
		number(c, &v.Align, 5)
		c.flag(&v.Managed)
	})
	list(c, &l.Modules, 1, maxModules, func(m *Module) {
		number(c, &m.Older, 3)
		list(c, &m.Functions, 0, maxDefs, c.function)
		list(c, &m.Variables, 0, maxDefs, func(v *Variable) {
			number(c, &v.Name, maxNames)
			number(c, &v.Role, int(numRoles))
			number(c, &v.More, 4)
			list(c, &v.Records, 0, 2, c.record)
		})
	})
}

func (c *codec) function(f *Function) {
	number(c, &f.Name, maxNames)
	number(c, &f.Role, int(Common)) // Strong, Weak, Local
	number(c, &f.Registers, 255)
	number(c, &f.Barriers, 16)
	number(c, &f.Frame, 32)
	number(c, &f.Length, 4)
	number(c, &f.Params, 16)
	number(c, &f.MaxReg, 255)
	number(c, &f.Marks, 16)
	number(c, &f.Bank2, 4)
	list(c, &f.Calls, 0, maxCalls, func(call *Call) {
		number(c, &call.Function, maxNames)
		c.flag(&call.Pointer)
	})
	list(c, &f.Records, 0, maxRecords, c.record)
}

func (c *codec) record(r *Record) {
	c.word(&r.At)
	number(c, &r.Type, cuda.RelocCount)
	c.flag(&r.Function)
	number(c, &r.Name, maxNames)
	addend := uint16(r.Addend)
	c.word(&addend)
	r.Addend = int16(addend)
	c.flag(&r.Rel)
}
