package worker

import (
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/twinlink/twinlink/internal/nvjitlink/wire"
)

// library is a loaded nvJitLink: the addresses of its functions. They bear the
// release in their names, __nvJitLinkCreate_13_5; the plain names of the header
// are not there in the oldest ones.
type library struct {
	create, addData, complete, destroy uintptr
	cubinSize, cubin, ptxSize, ptx     uintptr
	logSize, log, infoSize, info       uintptr

	limits  limits
	out     *outs
	options []*byte // of the question; on the heap, where it doesn't move
	pad     []byte  // what an empty input points to
}

// outs is what the library writes to by pointer. It is on the heap, where it
// doesn't move.
type outs struct {
	handle       uintptr
	size         uint64
	major, minor uint32
}

// newest is the highest minor release that is looked for; the ones there were
// end with 12.9.
const newest = 40

// load opens a library and says in the greeting what it is, or in its Fault why
// it doesn't serve.
func load(path string) (*library, wire.Answer) {
	var greeting wire.Answer
	fail := func(format string, args ...any) (*library, wire.Answer) {
		greeting.Fault = fmt.Sprintf(format, args...)
		return nil, greeting
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fail("can't be loaded: %v", err)
	}
	symbol := func(name string) uintptr {
		at, err := purego.Dlsym(handle, name)
		if err != nil {
			return 0
		}
		return at
	}
	for major := uint32(12); major < 20; major++ {
		for minor := range uint32(newest) {
			if symbol(fmt.Sprintf("__nvJitLinkCreate_%d_%d", major, minor)) != 0 {
				greeting.Major, greeting.Minor = major, minor
			}
		}
	}
	if greeting.Major == 0 {
		return fail("has no function __nvJitLinkCreate of any release")
	}
	lib := &library{out: new(outs), pad: make([]byte, 16)}
	for _, f := range [...]struct {
		at   *uintptr
		name string
	}{
		{&lib.create, "Create"}, {&lib.addData, "AddData"}, {&lib.complete, "Complete"}, {&lib.destroy, "Destroy"},
		{&lib.cubinSize, "GetLinkedCubinSize"}, {&lib.cubin, "GetLinkedCubin"},
		{&lib.ptxSize, "GetLinkedPtxSize"}, {&lib.ptx, "GetLinkedPtx"},
		{&lib.logSize, "GetErrorLogSize"}, {&lib.log, "GetErrorLog"},
		{&lib.infoSize, "GetInfoLogSize"}, {&lib.info, "GetInfoLog"},
	} {
		name := fmt.Sprintf("__nvJitLink%s_%d_%d", f.name, greeting.Major, greeting.Minor)
		if *f.at = symbol(name); *f.at == 0 {
			return fail("has no function %s", name)
		}
	}
	// From 12.3 on the library says its release too.
	if version := symbol("nvJitLinkVersion"); version != 0 {
		call(version, addr(&lib.out.major), addr(&lib.out.minor))
		if lib.out.major != greeting.Major || lib.out.minor != greeting.Minor {
			return fail("says that it is %d.%d, but its functions are of %d.%d", lib.out.major, lib.out.minor, greeting.Major, greeting.Minor)
		}
	}
	return lib, greeting
}

// call calls a function that returns an nvJitLinkResult.
func call(f uintptr, args ...uintptr) uint32 {
	r, _, _ := purego.SyscallN(f, args...)
	return uint32(r)
}

// addr is the address of something on the heap that outlives the call.
func addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
