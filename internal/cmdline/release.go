package cmdline

import (
	"encoding/binary"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Release is a release of nvlink, one bit each, so that the table can name
// several.
type Release uint8

const (
	R118 Release = 1 << iota
	R124
	R130

	all  = R118 | R124 | R130
	from = R124 | R130 // since 12.x
)

// Releases lists them, oldest first.
var Releases = [...]Release{R118, R124, R130}

// String returns "11.8", "12.4" or "13.0".
func (r Release) String() string {
	switch r {
	case R118:
		return "11.8"
	case R124:
		return "12.4"
	}
	return "13.0"
}

// Toolkit returns the number that stands in files: 118, 124, 130.
func (r Release) Toolkit() uint32 {
	switch r {
	case R118:
		return 118
	case R124:
		return 124
	}
	return 130
}

// Major returns the number before the point.
func (r Release) Major() int { return int(r.Toolkit() / 10) }

// Of what releases do each their own way with input files.

// SkipsDevrtFirst: an archive of the device runtime before all objects is
// ignored, instead of ending the list of objects.
func (r Release) SkipsDevrtFirst() bool { return r.Toolkit() >= 130 }

// IgnoresPTX: files called .ptx are ignored, instead of compiled.
func (r Release) IgnoresPTX() bool { return r.Toolkit() >= 130 }

// RegistersFirst: of an object with several identifiers the host registers the
// first alone.
func (r Release) RegistersFirst() bool { return r.Toolkit() < 130 }

// RegistersNull: a fatbinary without code for the target is registered, under
// the name (null).
func (r Release) RegistersNull() bool { return r.Toolkit() < 130 }

// RemarksHost: an input without host code is remarked on.
func (r Release) RemarksHost() bool { return r.Toolkit() >= 135 }

// Version returns the two lines by which a tool of the release names itself.
func (r Release) Version() (release, build string) {
	switch r {
	case R118:
		return "Cuda compilation tools, release 11.8, V11.8.89", "Build cuda_11.8.r11.8/compiler.31833905_0"
	case R124:
		return "Cuda compilation tools, release 12.4, V12.4.131", "Build cuda_12.4.r12.4/compiler.34097967_0"
	}
	return "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0"
}

// ParseRelease reads "12.4" or a longer "12.4.131".
func ParseRelease(name string) (Release, bool) {
	for _, r := range Releases {
		if s := r.String(); name == s || strings.HasPrefix(name, s+".") {
			return r, true
		}
	}
	return 0, false
}

// Choose returns the release to behave as for inputs of which the newest was
// made by toolkit: the oldest release that knows it. Inputs that tell nothing
// (toolkit 0), and those too new for all, get the newest release.
func Choose(toolkit uint32) Release {
	for _, r := range Releases {
		if toolkit != 0 && toolkit <= r.Toolkit() {
			return r
		}
	}
	return R130
}

// ToolkitOf returns the toolkit that made a device object: 118, 124, 130; 0
// for anything else. It reads the header only, and from 13.0 on the note the
// header points to.
func ToolkitOf(data []byte) uint32 {
	head, ok := cubin.Window(data, 0, cubin.HeaderSize)
	if !ok || string(head[:4]) != "\x7fELF" || head[4] != 2 || le16(head[18:]) != cuda.EMCuda {
		return 0
	}
	switch head[7] {
	case cuda.OSABILegacy:
		return le32(head[20:])
	case cuda.OSABICuda13:
		if api := cuinfoAPI(data, head); api != 0 {
			return api
		}
		return R130.Toolkit()
	}
	return 0
}

// cuinfoAPI returns the API word of .note.nv.cuinfo, whose section index
// stands in the highest byte of e_flags.
func cuinfoAPI(data, head []byte) uint32 {
	index := uint64(le32(head[48:]) >> cuda.EFCuinfoShift)
	shoff := le64(head[40:])
	if shoff > uint64(len(data)) {
		return 0
	}
	sh, ok := cubin.Window(data, shoff+index*cubin.SectionSize, cubin.SectionSize)
	if !ok || le32(sh[4:]) != uint32(cuda.SHTNote) {
		return 0
	}
	// Header of 12 bytes, owner of 12, u16 version, u16 SM, u32 API.
	if le64(sh[24:]) > uint64(len(data)) {
		return 0
	}
	api, ok := cubin.Window(data, le64(sh[24:])+28, 4)
	if !ok {
		return 0
	}
	return le32(api)
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
