package worker

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/twinlink/twinlink/internal/nvjitlink/wire"
)

// link asks the library for one link. The question's bytes are handed over in
// place and must stay until it returns.
func (lib *library) link(q *wire.RawQuestion) *wire.Answer {
	a := &wire.Answer{ID: q.ID}
	lib.options = lib.options[:0]
	for _, o := range q.Options {
		lib.options = append(lib.options, &o[0])
	}
	lib.options = append(lib.options, nil)
	lib.out.handle = 0
	a.Code = call(lib.create, addr(&lib.out.handle), uintptr(len(q.Options)), addr(&lib.options[0]))
	if lib.out.handle == 0 {
		if a.Code == 0 {
			a.Fault = "success without a handle"
		}
		return a
	}
	handle := lib.out.handle
	if a.Code == 0 {
		lib.run(handle, q, a)
	}
	a.Log = lib.text(handle, lib.logSize, lib.log, a)
	a.Info = lib.text(handle, lib.infoSize, lib.info, a)
	call(lib.destroy, addr(&lib.out.handle))
	return a
}

// run goes on from a handle to the image.
func (lib *library) run(handle uintptr, q *wire.RawQuestion, a *wire.Answer) {
	a.Step = wire.StepAdd
	for i := range q.Inputs {
		in := &q.Inputs[i]
		data := lib.pad
		if len(in.Data) > 0 {
			data = in.Data
		}
		a.Input = uint32(i)
		if a.Code = call(lib.addData, handle, uintptr(in.Kind), addr(&data[0]), uintptr(len(in.Data)), addr(&in.Name[0])); a.Code != 0 {
			return
		}
	}
	a.Step, a.Input = wire.StepComplete, 0
	if a.Code = call(lib.complete, handle); a.Code != 0 {
		return
	}
	a.Step = wire.StepGet
	size, get := lib.cubinSize, lib.cubin
	if q.PTX {
		size, get = lib.ptxSize, lib.ptx
	}
	if a.Output, a.Code = lib.fetch(handle, size, get, lib.limits.file, a); a.Code != 0 {
		a.Output = nil
		return
	}
	a.Step = wire.StepDone
}

// fetch asks for a size and then for so many bytes.
func (lib *library) fetch(handle, size, get uintptr, limit uint64, a *wire.Answer) ([]byte, uint32) {
	lib.out.size = 0
	if code := call(size, handle, addr(&lib.out.size)); code != 0 {
		return nil, code
	}
	n := lib.out.size
	if n == 0 {
		return nil, 0
	}
	if n > limit {
		a.Fault = fmt.Sprintf("a size of %d bytes", n)
		return nil, 0
	}
	buf := make([]byte, n)
	if code := call(get, handle, uintptr(unsafe.Pointer(&buf[0]))); code != 0 {
		return nil, code
	}
	return buf, 0
}

// text asks for one of the two logs, which end with a NUL.
func (lib *library) text(handle, size, get uintptr, a *wire.Answer) []byte {
	text, code := lib.fetch(handle, size, get, lib.limits.file, a)
	if code != 0 {
		return nil
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		text = text[:i]
	}
	return text[:min(uint64(len(text)), lib.limits.text)]
}
