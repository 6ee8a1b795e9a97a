package cmdline

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Release is a release of nvlink, or an earlier build of one, one bit each, so that the table
// can name several. A release is its last build.
type Release uint32

const (
	R118 Release = 1 << iota
	R124
	R130
	R131
	R132
	R133
	R134
	R135
	R120
	R121
	R122
	R123
	R125
	R126
	R128
	R129
	R130at48
	R131at80
	R132at51
	R132at78
	R133at33
	R134at59

	byNvJitLink = R120 | R121 | R122 | R123 | R125 | R126 | R128 | R129
	since134    = R134at59 | R134 | R135
	since133    = R133at33 | R133 | since134
	since132    = R132at51 | R132at78 | R132 | since133
	since131    = R131at80 | R131 | since132
	since130    = R130at48 | R130 | since131
	from        = R124 | byNvJitLink | since130 // since 12.x
	all         = R118 | from
)

// Cuda13 reports whether the release is 13.0 or newer.
func (r Release) Cuda13() bool { return r&since130 != 0 }

// facts are what a release says of itself.
type facts struct {
	name           string
	toolkit        uint32
	version, build string
}

var releaseFacts = map[Release]facts{
	R118:     {"11.8", 118, "Cuda compilation tools, release 11.8, V11.8.89", "Build cuda_11.8.r11.8/compiler.31833905_0"},
	R124:     {"12.4", 124, "Cuda compilation tools, release 12.4, V12.4.131", "Build cuda_12.4.r12.4/compiler.34097967_0"},
	R120:     {"12.0", 120, "Cuda compilation tools, release 12.0, V12.0.140", "Build cuda_12.0.r12.0/compiler.32267302_0"},
	R121:     {"12.1", 121, "Cuda compilation tools, release 12.1, V12.1.105", "Build cuda_12.1.r12.1/compiler.32688072_0"},
	R122:     {"12.2", 122, "Cuda compilation tools, release 12.2, V12.2.140", "Build cuda_12.2.r12.2/compiler.33191640_0"},
	R123:     {"12.3", 123, "Cuda compilation tools, release 12.3, V12.3.107", "Build cuda_12.3.r12.3/compiler.33567101_0"},
	R125:     {"12.5", 125, "Cuda compilation tools, release 12.5, V12.5.82", "Build cuda_12.5.r12.5/compiler.34385749_0"},
	R126:     {"12.6", 126, "Cuda compilation tools, release 12.6, V12.6.85", "Build cuda_12.6.r12.6/compiler.35059454_0"},
	R128:     {"12.8", 128, "Cuda compilation tools, release 12.8, V12.8.93", "Build cuda_12.8.r12.8/compiler.35583870_0"},
	R129:     {"12.9", 129, "Cuda compilation tools, release 12.9, V12.9.86", "Build cuda_12.9.r12.9/compiler.36037853_0"},
	R130:     {"13.0", 130, "Cuda compilation tools, release 13.0, V13.0.88", "Build cuda_13.0.r13.0/compiler.36424714_0"},
	R131:     {"13.1", 131, "Cuda compilation tools, release 13.1, V13.1.115", "Build cuda_13.1.r13.1/compiler.37061995_0"},
	R132:     {"13.2", 132, "Cuda compilation tools, release 13.2, V13.2.86", "Build cuda_13.2.r13.2/compiler.37953736_0"},
	R133:     {"13.3", 133, "Cuda compilation tools, release 13.3, V13.3.73", "Build cuda_13.3.r13.3/compiler.38244171_0"},
	R134:     {"13.4", 134, "Cuda compilation tools, release 13.4, V13.4.92", "Build cuda_13.4.r13.4/compiler.38855100_0"},
	R130at48: {"13.0.48", 130, "Cuda compilation tools, release 13.0, V13.0.48", "Build cuda_13.0.r13.0/compiler.36260728_0"},
	R131at80: {"13.1.80", 131, "Cuda compilation tools, release 13.1, V13.1.80", "Build cuda_13.1.r13.1/compiler.36836380_0"},
	R132at51: {"13.2.51", 132, "Cuda compilation tools, release 13.2, V13.2.51", "Build cuda_13.2.r13.2/compiler.37434383_0"},
	R132at78: {"13.2.78", 132, "Cuda compilation tools, release 13.2, V13.2.78", "Build cuda_13.2.r13.2/compiler.37668154_0"},
	R133at33: {"13.3.33", 133, "Cuda compilation tools, release 13.3, V13.3.33", "Build cuda_13.3.r13.3/compiler.37862127_0"},
	R134at59: {"13.4.59", 134, "Cuda compilation tools, release 13.4, V13.4.59", "Build cuda_13.4.r13.4/compiler.38657139_0"},
	R135:     {"13.5", 135, "Cuda compilation tools, release 13.5, V13.5.37", "Build cuda_13.5.r13.5/compiler.39125733_0"},
}

// Releases lists them, oldest first.
var Releases = [...]Release{R118, R120, R121, R122, R123, R124, R125, R126, R128, R129, R130, R131, R132, R133, R134, R135}

// EarlierBuilds lists the builds of releases that nvlink was asked about beside the last ones, oldest first.
var EarlierBuilds = [...]Release{R130at48, R131at80, R132at51, R132at78, R133at33, R134at59}

// String returns "11.8", "12.4", "13.0" …, and "13.2.78" for an earlier build.
func (r Release) String() string { return releaseFacts[r].name }

// Of returns the name of the release that a build is of: "13.2" of 13.2.78.
func (r Release) Of() string { return fmt.Sprintf("%d.%d", r.Toolkit()/10, r.Toolkit()%10) }

// Toolkit returns the number that is in files: 118, 124, 130 ….
func (r Release) Toolkit() uint32 { return releaseFacts[r].toolkit }

// Major returns the number before the point.
func (r Release) Major() int { return int(r.Toolkit() / 10) }

// Of what releases do each their own way with input files.

// SkipsDevrtFirst: an archive of the device runtime before all objects is
// ignored, instead of ending the list of objects.
func (r Release) SkipsDevrtFirst() bool { return r.Toolkit() >= 130 }

// Stale is what the memory held in which -v looks for a kernel's barriers.
type Stale uint8

// What it holds before the first kernel that has barriers.
const (
	StaleNone     Stale = iota // 0: it is set for each kernel
	StaleRead                  // what was read last
	StaleLeft                  // one more than the sections that were made and aren't in the image
	StaleUnfilled              // how many sections of the image have no contents
)

// StaleBarriers: -v prints for a kernel without barriers the number of the one
// printed before it, and for the first what the memory held.
func (r Release) StaleBarriers() Stale {
	switch t := r.Toolkit(); {
	case t >= 134:
		return StaleUnfilled
	case t >= 132:
		return StaleLeft
	case t == 131:
		return StaleRead
	}
	return StaleNone
}

// IgnoresPTX: files called .ptx are ignored, instead of compiled, below sm_90.
func (r Release) IgnoresPTX() bool { return r.Toolkit() >= 130 }

// RegistersFirst: of an object with several identifiers the host registers the
// first alone.
func (r Release) RegistersFirst() bool { return r.Toolkit() < 130 }

// RegistersNull: a fatbinary without code for the target is registered, under
// the name (null).
func (r Release) RegistersNull() bool { return r.Toolkit() < 130 }

// RemarksHost: an input without host code is remarked on.
func (r Release) RemarksHost() bool { return r.Toolkit() >= 133 }

// Version returns the two lines by which a tool of the release names itself.
func (r Release) Version() (release, build string) {
	f := releaseFacts[r]
	return f.version, f.build
}

// ParseRelease reads the name of a release or of a build: "12.4", "12.4.131", "13.2.78". Of a build that is not
// known it returns the release, and known is false. The release is 0 where there is none.
func ParseRelease(name string) (r Release, known bool) {
	for _, r := range EarlierBuilds {
		if name == r.String() {
			return r, true
		}
	}
	for _, r := range Releases {
		rest, ok := strings.CutPrefix(name, r.String())
		switch {
		case ok && (rest == "" || name == r.build()):
			return r, true
		case ok && rest[0] == '.':
			return r, false
		}
	}
	return 0, false
}

// build returns all three numbers of the tool's version: "12.4.131".
func (r Release) build() string {
	version, _ := r.Version()
	return version[strings.LastIndexByte(version, 'V')+1:]
}

// ByNvJitLink reports whether the release is known from nvJitLink alone: no
// nvlink of it was asked.
func (r Release) ByNvJitLink() bool { return r&byNvJitLink != 0 }

// Choose returns the release to behave as for inputs of which the newest was
// made by toolkit: the oldest release that knows it and that nvlink was asked about. Inputs that tell nothing
// (toolkit 0) get 13.0, those too new for all the newest release.
func Choose(toolkit uint32) Release {
	if toolkit == 0 {
		return R130
	}
	for _, r := range Releases {
		if toolkit <= r.Toolkit() && !r.ByNvJitLink() {
			return r
		}
	}
	return Releases[len(Releases)-1]
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

// cuinfoAPI returns the API word of .note.nv.cuinfo, whose section index is in the
// highest byte of e_flags. The note of 12.8 and 12.9 has no such word: there
// it is the version of .note.nv.tkinfo, to which the section is linked.
func cuinfoAPI(data, head []byte) uint32 {
	cuinfo, link, ok := note(data, head, le32(head[48:])>>cuda.EFCuinfoShift)
	switch {
	case !ok:
		return 0
	case le16(cuinfo) >= cuda.NoteCuinfoVersion:
		return le32(cuinfo[4:])
	}
	tkinfo, _, ok := note(data, head, link)
	if !ok {
		return 0
	}
	return le32(tkinfo)
}

// note returns the first eight bytes of what the first note of a section says, and sh_link.
func note(data, head []byte, index uint32) (desc []byte, link uint32, ok bool) {
	shoff := le64(head[40:])
	if shoff > uint64(len(data)) {
		return nil, 0, false
	}
	sh, ok := cubin.Window(data, shoff+uint64(index)*cubin.SectionSize, cubin.SectionSize)
	if !ok || le32(sh[4:]) != uint32(cuda.SHTNote) || le64(sh[24:]) > uint64(len(data)) {
		return nil, 0, false
	}
	desc, ok = cubin.Window(data, le64(sh[24:])+24, 8) // after a header of 12 bytes and an owner of 12
	return desc, le32(sh[40:]), ok
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
