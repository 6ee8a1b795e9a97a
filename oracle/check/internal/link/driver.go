package link

import "strings"

// Functions that a program defines itself under a name of the driver's.
//
// nvlink takes such a function for a kernel: it tells of it what it tells of kernels, and makes it a section of
// shared memory for what it calls. No link needs that, as nobody launches it, and nothing in it may be wrong.
//
// Source: of 77 names, of which 34 are such, links of one function beside two kernels by nvlink 11.8.89, 12.4.131 and
// 13.5.37; 11.8 doesn't know the six of graphs. What is told of them: 440 links of drawn programs by nvlink 11.8 to 13.5.

const driverNames = " vprintf vfprintf malloc free __assertfail" +
	" cnpCtxSynchronize cnpDeviceGetAttribute cnpEventCreate cnpEventDestroy cnpEventRecord cnpFuncGetAttribute cnpGetCacheConfig" +
	" cnpGetDevice cnpGetDeviceCount cnpGetLastError cnpGetLimit cnpGetParameterBuffer cnpGetParameterBufferV2 cnpGetSharedMemConfig" +
	" cnpLaunchDevice cnpLaunchDeviceV2 cnpSetLastError cnpStreamCreate cnpStreamDestroy cnpStreamWaitEvent" +
	" cudaGraphLaunch cudaGraphSetConditional cudaGraphKernelNodeSetParam cudaGraphKernelNodeSetEnabled cudaGraphKernelNodeSetGridDim" +
	" cudaGraphKernelNodeUpdatesApply "

// driverCalls begins the names of all other functions of the driver.
const driverCalls = "__cuda_syscall"

// LikeDriver reports whether the program's own function, no kernel, is called as one of the driver's.
func (d *Identity) LikeDriver() bool {
	if d == nil || d.Code == nil || !d.Function() || d.Kernel() {
		return false
	}
	return strings.HasPrefix(d.Name, driverCalls) || strings.Contains(driverNames, " "+d.Name+" ")
}
