package engine

import (
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// syscalls are functions the driver provides.
var syscalls = map[string]bool{
	"vprintf": true, "vfprintf": true, "malloc": true, "free": true, "__assertfail": true,

	// Dynamic parallelism of old.
	"cnpCtxSynchronize": true, "cnpDeviceGetAttribute": true, "cnpEventCreate": true, "cnpEventDestroy": true, "cnpEventRecord": true, "cnpFuncGetAttribute": true,
	"cnpGetCacheConfig": true, "cnpGetDevice": true, "cnpGetDeviceCount": true, "cnpGetLastError": true, "cnpGetLimit": true,
	"cnpGetParameterBuffer": true, "cnpGetParameterBufferV2": true, "cnpGetSharedMemConfig": true, "cnpLaunchDevice": true,
	"cnpLaunchDeviceV2": true, "cnpSetLastError": true, "cnpStreamCreate": true, "cnpStreamDestroy": true, "cnpStreamWaitEvent": true,
}

// isSynthetic reports whether a name is one of those that the linker itself
// gives a meaning to.
func isSynthetic(name string) bool {
	return strings.HasPrefix(name, ".nv.reservedSmem") || slices.Contains(unifiedSymbols, name)
}

// mayStayUndefined reports whether nobody needs to define a symbol: the driver
// does, or it is weak, or layout has given it a place.
func (l *linker) mayStayUndefined(id symID) bool {
	s := &l.syms[id]
	name := l.names.str(s.name)
	return s.binding() == cuda.STBWeak || s.isImage() || s.isExternShared() || l.isUnified(id) ||
		syscalls[name] || strings.HasPrefix(name, "__cuda_syscall") || strings.HasPrefix(name, ".nv.reservedSmem")
}
