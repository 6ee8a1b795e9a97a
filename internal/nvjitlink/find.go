package nvjitlink

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WorkerName is the worker's program.
const WorkerName = "twinlink-nvjitlink"

// Options says where to look and what a library may take. The zero value looks
// as the package comment says.
type Options struct {
	Dir    string              // where the walk up to go.mod begins; "": the working directory
	Getenv func(string) string // nil: os.Getenv

	Worker string // path of the worker's program; "" searches
	Self   bool   // this program calls worker.Main: it is the worker

	Limits Limits
}

// Limits bounds a question. A zero field means its default.
type Limits struct {
	Time   time.Duration // of one link; 30 s
	Text   int           // bytes kept of a log, and of what is printed; 1 MiB
	File   int64         // bytes of an image, and of all that is printed; 256 MiB
	Memory int64         // bytes of address space of the worker; 8 GiB
	// Links is how many questions a worker answers before it is replaced; 2,000:
	// 13.0 dies some thousand links after it has corrupted its heap.
	Links int

	until func(time.Duration) time.Time // when a wait of so long ends; nil: by the clock
}

func (l Limits) withDefaults() Limits {
	if l.Time <= 0 {
		l.Time = 30 * time.Second
	}
	if l.Text <= 0 {
		l.Text = 1 << 20
	}
	if l.File <= 0 {
		l.File = 256 << 20
	}
	if l.Memory <= 0 {
		l.Memory = 8 << 30
	}
	if l.Links <= 0 {
		l.Links = 2000
	}
	if l.until == nil {
		l.until = func(d time.Duration) time.Time { return time.Now().Add(d) }
	}
	return l
}

func (o Options) getenv(name string) string {
	if o.Getenv != nil {
		return o.Getenv(name)
	}
	return os.Getenv(name)
}

// SharedObject is a file that may be an nvJitLink.
type SharedObject struct {
	Path string
	// Release is "13.0" as the folder says, and the library must say the same;
	// "": whatever the library says.
	Release string
}

// Find returns the libraries there are, oldest release first. None is no error.
// What a library is shows only when it is asked: a wrong one gives
// [Unfit].
func Find(o Options) []SharedObject {
	if p := o.getenv("TWINLINK_NVJITLINK"); p != "" {
		return []SharedObject{{Path: p}}
	}
	folder := witnessFolder(o)
	if folder == "" {
		return nil
	}
	folders, _ := filepath.Glob(filepath.Join(folder, "nvjitlink-*"))
	var found []SharedObject
	for _, f := range folders {
		_, release, _ := strings.Cut(filepath.Base(f), "-")
		if major, _ := releaseNumbers(release); major == 0 {
			continue
		}
		names, _ := filepath.Glob(filepath.Join(f, "libnvJitLink.so*"))
		if len(names) > 0 {
			found = append(found, SharedObject{Path: names[0], Release: release})
		}
	}
	slices.SortStableFunc(found, func(a, b SharedObject) int {
		i, j := releaseNumbers(a.Release)
		k, l := releaseNumbers(b.Release)
		return cmp.Or(cmp.Compare(i, k), cmp.Compare(j, l))
	})
	return found
}

// Release returns the library of a release. Error: what is missing.
func Release(o Options, release string) (SharedObject, error) {
	for _, l := range Find(o) {
		if l.Release == release {
			return l, nil
		}
	}
	return SharedObject{}, &NotInstalledError{Release: release}
}

// NotInstalledError says that there is no library of a release.
type NotInstalledError struct{ Release string }

func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("nvJitLink %s is not installed (make witness-all)", e.Release)
}

// releaseNumbers reads "13.0"; 0, 0 where it is none.
func releaseNumbers(release string) (major, minor int) {
	a, b, ok := strings.Cut(release, ".")
	major, err1 := strconv.Atoi(a)
	minor, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || major <= 0 || minor < 0 {
		return 0, 0
	}
	return major, minor
}

func witnessFolder(o Options) string {
	if f := o.getenv("TWINLINK_WITNESS"); f != "" {
		return f
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".witness")
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// worker returns the program to start.
func (o Options) worker() (string, error) {
	self, selfErr := os.Executable()
	if o.Self {
		return self, selfErr
	}
	if o.Worker != "" {
		return o.Worker, nil
	}
	if p := o.getenv("TWINLINK_NVJITLINK_WORKER"); p != "" {
		return p, nil
	}
	var looked []string
	try := func(folder string) (string, bool) {
		p := filepath.Join(folder, WorkerName)
		looked = append(looked, folder)
		info, err := os.Stat(p)
		return p, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	}
	if selfErr == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if p, ok := try(filepath.Dir(self)); ok {
			return p, nil
		}
	}
	if folder := witnessFolder(o); folder != "" {
		if p, ok := try(folder); ok {
			return p, nil
		}
	}
	if p, err := exec.LookPath(WorkerName); err == nil && filepath.IsAbs(p) {
		return p, nil
	}
	return "", &NoWorkerError{append(looked, "PATH")}
}
