package nvidia

import (
	"os"
	"path/filepath"
	"slices"
)

// Toolset is what Find found: tools of any number of releases. It does not
// change and may be used by several goroutines.
type Toolset struct {
	tools  []Tool // in the order of the search
	unfit  []*UnfitError
	looked []string
	folder string // "" where there is none
	limits Limits
}

// Tools returns every tool found, in the order of the search.
func (s *Toolset) Tools() []Tool { return slices.Clone(s.tools) }

// Unfit returns what bears a tool's name in the folder or on PATH but does not
// serve, and why.
func (s *Toolset) Unfit() []*UnfitError { return slices.Clone(s.unfit) }

// Releases returns the releases for which there is an nvlink, oldest first.
func (s *Toolset) Releases() []string {
	var rs []string
	for _, t := range s.tools {
		if t.Name == Nvlink {
			rs = append(rs, t.Version.Release())
		}
	}
	slices.SortFunc(rs, compareReleases)
	return slices.Compact(rs)
}

// Tool returns the tool of that name which serves a release, "12.4" or
// "12.4.131". An empty release means the first that an option or a variable
// names, or else the newest in the folder, or else PATH's.
//
// cuobjdump and nvdisasm only read: one that an option or a variable names
// serves every release, and where a release has none of its own the newest
// that is no older does.
//
// Error: *NotFoundError.
func (s *Toolset) Tool(release, name string) (Tool, error) {
	var best *Tool
	for i := range s.tools {
		t := &s.tools[i]
		if t.Name != name {
			continue
		}
		chosen := t.Origin == FromOption || t.Origin == FromEnvironment
		switch {
		case chosen && (release == "" || t.isReader()):
			return *t, nil
		case release != "" && t.serves(release):
			return *t, nil
		case release != "" && (!t.isReader() || t.Version.Compare(parseRelease(release)) < 0):
			continue
		case t.Origin == FromPath && best != nil:
			continue
		}
		if best == nil || best.Version.Compare(t.Version) < 0 {
			best = t
		}
	}
	if best == nil {
		return Tool{}, &NotFoundError{name, release, s.looked, s.Unfit()}
	}
	return *best, nil
}

// File returns the path of another file that "make witness" puts into a
// release's folder, such as libcudadevrt.a. Error: *NotFoundError.
func (s *Toolset) File(release, name string) (string, error) {
	if s.folder != "" && folderName().MatchString(release) && filepath.IsLocal(name) {
		p := filepath.Join(s.folder, release, name)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return filepath.Abs(p)
		}
	}
	return "", &NotFoundError{name, release, s.looked, nil}
}
