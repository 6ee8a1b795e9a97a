package release

import "strings"

// syscalls are functions that the driver of every release provides.
var syscalls = map[string]bool{
	"vprintf": true, "vfprintf": true, "malloc": true, "free": true, "__assertfail": true,

	// Dynamic parallelism of old.
	"cnpCtxSynchronize": true, "cnpDeviceGetAttribute": true, "cnpEventCreate": true, "cnpEventDestroy": true, "cnpEventRecord": true, "cnpFuncGetAttribute": true,
	"cnpGetCacheConfig": true, "cnpGetDevice": true, "cnpGetDeviceCount": true, "cnpGetLastError": true, "cnpGetLimit": true,
	"cnpGetParameterBuffer": true, "cnpGetParameterBufferV2": true, "cnpGetSharedMemConfig": true, "cnpLaunchDevice": true,
	"cnpLaunchDeviceV2": true, "cnpSetLastError": true, "cnpStreamCreate": true, "cnpStreamDestroy": true, "cnpStreamWaitEvent": true,
}

// graphCalls are functions of the driver for graphs that the device launches,
// with the GraphCalls from which a release has them.
var graphCalls = map[string]uint8{
	"cudaGraphLaunch": GraphLaunch, "cudaGraphSetConditional": GraphConditions, "cudaGraphKernelNodeSetParam": AllGraphCalls,
	"cudaGraphKernelNodeSetEnabled": AllGraphCalls, "cudaGraphKernelNodeSetGridDim": AllGraphCalls, "cudaGraphKernelNodeUpdatesApply": AllGraphCalls,
}

// DriverDefines reports whether a function is one of those that the release's
// driver has. A program's own function of such a name is a kernel to nvlink.
func (r *Release) DriverDefines(name string) bool {
	from := graphCalls[name]
	return syscalls[name] || strings.HasPrefix(name, "__cuda_syscall") || from != 0 && from <= r.GraphCalls
}
