package nvidia

import "fmt"

// The tools this package runs, by the names of their binaries.
const (
	Nvlink    = "nvlink"
	Ptxas     = "ptxas"
	Cuobjdump = "cuobjdump"
	Nvdisasm  = "nvdisasm"
)

// Names lists the tools in the order in which messages name them.
var Names = [...]string{Nvlink, Ptxas, Cuobjdump, Nvdisasm}

// Tool is one binary that answered --version.
type Tool struct {
	Name    string  // "nvlink"
	Path    string  // absolute
	Version Version // its own: cuobjdump 13.2.51 is in the folder of 13.0
	Origin  Origin
	folder  string // the release whose folder holds it; "" elsewhere
	scratch string // see Options.Scratch
}

// serves reports whether the tool is the one to run for a release.
//
// A reader (cuobjdump, nvdisasm) of another version serves the folder it was
// put into, because 13.0's own are not to be had; a linker or an assembler is
// of the release it says, or of none.
func (t Tool) serves(release string) bool {
	if t.isReader() && t.folder != "" {
		return t.folder == parseRelease(release).Release()
	}
	return t.Version.is(release)
}

func (t Tool) isReader() bool { return t.Name == Cuobjdump || t.Name == Nvdisasm }

// Origin is the place where a tool was found.
type Origin uint8

// The places, in the order of the search.
const (
	FromOption Origin = iota
	FromEnvironment
	FromFolder
	FromPath
)

func (o Origin) String() string {
	switch o {
	case FromOption:
		return "option"
	case FromEnvironment:
		return "environment"
	case FromFolder:
		return "folder"
	case FromPath:
		return "PATH"
	}
	return fmt.Sprintf("Origin(%d)", uint8(o))
}
