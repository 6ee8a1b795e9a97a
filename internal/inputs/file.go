package inputs

import (
	"os"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
)

// Reader reads files once, and what is in them.
type Reader struct {
	read   container.ReadFile
	files  map[string]*file
	budget *container.Budget
}

// file is what is known of one file so far.
type file struct {
	data    []byte
	err     error
	objects []part
	parsed  bool
	fault   error // of the container; objects before it stand
}

// part is an object in a file: the file itself or a member of an archive.
type part struct {
	name   string // "lib.a:foo.o"
	file   string // "foo.o", of a thin archive's member
	data   []byte
	host   *container.Object // nil for what is no host object
	fault  error
	nested bool // inside an archive inside the archive
	named  bool // after its own name, as BSD's ar writes long ones
}

// NewReader returns a Reader over files.
func NewReader(read container.ReadFile) *Reader {
	return &Reader{read: read, files: make(map[string]*file)}
}

// Read returns a file's content.
func (r *Reader) Read(name string) ([]byte, error) {
	f := r.file(name)
	return f.data, f.err
}

// Keep stores the content of a file that has been read elsewhere.
func (r *Reader) Keep(name string, data []byte) { r.files[name] = &file{data: data} }

// Has reports whether a file has been read.
func (r *Reader) Has(name string) bool { return r.files[name] != nil }

func (r *Reader) file(name string) *file {
	f := r.files[name]
	if f == nil {
		f = new(file)
		f.data, f.err = r.read(name)
		r.files[name] = f
	}
	return f
}

// maxUnpacked is what a link's files may hold unpacked, besides 1,024 times
// their size.
func (r *Reader) spend(data []byte) *container.Budget {
	more := container.NewBudget(len(data))
	if r.budget == nil {
		r.budget = more
	} else {
		r.budget.Bytes += more.Bytes
		r.budget.Members += more.Members
	}
	return r.budget
}

// parts returns the objects in a host object or archive.
func (r *Reader) parts(name string) *file {
	f := r.file(name)
	if f.parsed || f.err != nil {
		return f
	}
	f.parsed = true
	budget := r.spend(f.data)
	if container.IsArchive(f.data) {
		f.fault = r.members(f, name, f.data, budget, 0)
		return f
	}
	f.objects = []part{readPart(name, f.data, budget)}
	return f
}

// members lists an archive's members; those of archives in it too.
func (r *Reader) members(f *file, name string, data []byte, budget *container.Budget, depth int) error {
	list, err := container.ReadArchive(name, data, r.read, budget)
	if err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		p := part{name: name + ":" + e.Name, file: e.Name, data: e.Data, fault: e.Err}
		switch {
		case e.Err != nil:
		case container.IsArchive(e.Data) && depth < container.MaxDepth:
			if err := r.members(f, p.name, e.Data, budget, depth+1); err != nil {
				return err
			}
			continue
		default:
			p = readPart(p.name, e.Data, budget)
		}
		p.nested, p.named = depth > 0, e.Before
		f.objects = append(f.objects, p)
	}
	return nil
}

func readPart(name string, data []byte, budget *container.Budget) part {
	p := part{name: name, data: data}
	if container.IsHostObject(data) {
		p.host, p.fault = container.ReadObject(name, data, budget)
	}
	return p
}

// Newest returns the newest toolkit among those that made the device code of
// files for a target: 118, 124, 130; 0 where none tells.
func (r *Reader) Newest(target container.Arch, names []string) uint32 {
	newest := uint32(0)
	look := func(members []container.Member) {
		m := container.Choose(members, target, container.AnyToolkit) // the release isn't known yet
		if m == nil || m.Kind != container.Cubin {
			return
		}
		if data, err := m.Data(r.budget); err == nil {
			newest = max(newest, cmdline.ToolkitOf(data))
		}
	}
	for _, name := range names {
		f := r.file(name)
		switch {
		case f.err != nil:
		case container.IsDevice(f.data):
			newest = max(newest, cmdline.ToolkitOf(f.data))
		case container.Identify(f.data) == container.Fatbinary:
			if list, err := container.ReadFatbins(name, f.data, r.spend(f.data)); err == nil && len(list) > 0 {
				look(list[0].Members)
			}
		case container.IsArchive(f.data) || container.IsHostObject(f.data):
			for _, p := range r.parts(name).objects {
				if p.host != nil {
					for _, b := range p.host.Relocatable {
						look(b.Members)
					}
				}
			}
		}
	}
	return newest
}

// same reports whether two names are one file.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
