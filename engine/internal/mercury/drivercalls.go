package mercury

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/names"
)

// On sm_107 the finalizer makes calls of the driver (__cuda_syscall_bw_do_2d_tex_level and others) of
// textures and surfaces. The Mercury side knows nothing of them. On the SASS side they are in the
// symbols, the records, the call graph, EXTERNS, frames and stacks, in the order in which the finalizer
// came to the functions. That may be another in each run where there are several: see callsVary.
//
// Source: kernels and functions of ptxas 13.4.92 and 13.5.37 for sm_107a through their nvlink, each
// link up to twenty times.

// driverCalls are those of an image.
type driverCalls struct {
	of    map[model.FunID][]int // by function with calls: whom it calls, the first call first
	names []names.ID            // of all of them, in the order of their symbols
	first uint32                // index of the first one's symbol
	off   []uint32              // of the names in .strtab

	externs map[model.FunID][]int // by function: those that EXTERNS names
}

// symbol returns the index of a call's symbol.
func (c *driverCalls) symbol(k int) uint32 { return c.first + uint32(k) }

// add returns the number of a name, which it gets where it is new.
func (c *driverCalls) add(name names.ID) int {
	k := slices.Index(c.names, name)
	if k < 0 {
		k = len(c.names)
		c.names = append(c.names, name)
	}
	return k
}

// findCalls sets the calls of the driver aside that only the SASS side of a function has.
func (fn *code) findCalls() {
	for i := range fn.relocs {
		if r := &fn.relocs[i]; fn.input.DriverCall(r.Symbol) != "" {
			fn.calls = append(fn.calls, *r)
		}
	}
}

// planCalls gives the image the calls of all its functions, in the order of the code: so the finalizer
// comes to them if it does one after the other.
func (l *Backend) planCalls(img *plan) {
	c := &img.calls
	c.first = uint32(len(img.Symbols) + 1)
	for _, fn := range l.order {
		if len(fn.calls) == 0 {
			continue
		}
		var own []int
		for i := range fn.calls {
			if k := c.add(l.Names.ID(fn.input.DriverCall(fn.calls[i].Symbol))); !slices.Contains(own, k) {
				own = append(own, k)
			}
		}
		if c.of == nil {
			c.of = make(map[model.FunID][]int)
		}
		c.of[l.Secs[fn.text].Fun] = own
	}
	if c.of == nil {
		return
	}
	c.externs = make(map[model.FunID][]int)
	for _, fn := range l.order {
		f := l.Secs[fn.text].Fun
		c.externs[f] = l.externCalls(img, f)
	}
	if f := l.callsVary(img); f != model.Absent {
		name := l.SymName(l.Funs[f].Sym)
		l.Say(diag.Diagnostic{Severity: diag.Warning, Kind: diag.Rescheduled, Symbol: name,
			Text: fmt.Sprintf("Function '%s' makes other driver calls for textures or surfaces than the functions before it: the image may differ from nvlink's, which varies from run to run", name)})
	}
}

// callsVary returns a function by which the image depends on the order in which the finalizer comes to
// functions, absent for none: where it isn't whom the others call that it calls first, and a kernel that calls
// the same as a function that it reaches.
func (l *Backend) callsVary(img *plan) model.FunID {
	told := make(map[model.FunID][]int)
	if !l.IsRelocatable() {
		told = l.callsBelow(img)
	}
	for _, fn := range l.order {
		f := l.Secs[fn.text].Fun
		for i, k := range img.calls.of[f] {
			if k != i || slices.Contains(told[f], k) {
				return f
			}
		}
	}
	return model.Absent
}

// addCallNames adds the names of the calls to .strtab.
func (l *Backend) addCallNames(img *plan) {
	for _, name := range img.calls.names {
		img.calls.off = append(img.calls.off, img.Str.Add(name))
	}
}

// appendCalls appends the records of a function's calls.
func (l *Backend) appendCalls(img *plan, list []cubin.Reloc, fn *code) []cubin.Reloc {
	for i := range fn.calls {
		r := fn.calls[i]
		r.Off = uint64(fn.moved(uint32(r.Off)))
		r.Symbol = img.calls.symbol(img.calls.add(l.Names.ID(fn.input.DriverCall(r.Symbol))))
		list = append(list, r)
	}
	return list
}

// planCallRecords makes sections of records for code that has such calls and nothing else: after the
// Mercury side.
func (l *Backend) planCallRecords(img *plan) {
	if len(img.calls.of) == 0 {
		return
	}
	for _, fn := range l.order {
		if len(fn.calls) == 0 || l.hasRecords(img, fn.text) {
			continue
		}
		list := l.appendCalls(img, nil, fn)
		h := cubin.Section{NameOff: l.addName(img, bare, l.Names.ID(".rela"+l.Names.Str(l.Secs[fn.text].Name))), Type: cuda.SHTRela, Flags: cuda.SHFInfoLink,
			Size: uint64(len(list) * cubin.RelaSize), Align: 8, EntSize: cubin.RelaSize, Link: l.Secs[l.Symtab].Index, Info: l.Secs[fn.text].Index}
		data := make([]byte, h.Size)
		putRelas(data, list)
		img.parts = append(img.parts, part{hdr: h, data: data, twin: -1})
	}
}

// hasRecords reports whether the image has a section of records of some code.
func (l *Backend) hasRecords(img *plan, text model.SecID) bool {
	for in := l.Parts[text].FirstRel; in != model.Absent; in = l.Parts[in].NextRel {
		if l.Secs[in].Type == cuda.SHTRela && img.sassOf[in] >= 0 {
			return true
		}
	}
	return false
}

// entry is the symbol of a call.
func (c *driverCalls) entry(k int) cubin.Symbol {
	return cubin.Symbol{NameOff: c.off[k], Info: uint8(cuda.STBGlobal)<<4 | uint8(cuda.STTFunc)}
}
