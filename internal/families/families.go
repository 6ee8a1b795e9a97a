// Package families finds the device objects for sm_100 and up that a folder of cubins
// or a wheel holds: the genuine files that tables are learned from and measured on.
package families

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/container"
)

const (
	leastSize = 1000 // of a file with device code
	leastSM   = 100
)

// Each calls found with every device object for sm_100 and up in a folder, or in the
// libraries of a wheel, each once. A place without a file to look at is an error.
func Each(place string, found func(name string, data []byte)) error {
	if strings.HasSuffix(place, ".whl") {
		return inWheel(place, found)
	}
	files, err := filepath.Glob(filepath.Join(place, "*.cubin"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no cubins", place)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found(filepath.Base(file), data)
	}
	return nil
}

func inWheel(name string, found func(name string, data []byte)) error {
	wheel, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer wheel.Close()
	seen := map[[sha256.Size]byte]bool{}
	for _, entry := range wheel.File {
		if entry.UncompressedSize64 < leastSize {
			continue
		}
		data, err := read(entry)
		if err != nil {
			return err
		}
		if container.Identify(data) == container.Unknown {
			continue
		}
		f, err := container.Open(entry.Name, data, container.Options{})
		if err != nil {
			continue // no device code
		}
		for i := range f.Members {
			m := &f.Members[i]
			if m.Kind != container.Cubin || m.Arch.SM < leastSM {
				continue
			}
			cubin, err := m.Data(container.NewBudget(int(m.Size)))
			if err != nil {
				return fmt.Errorf("%s: %w", m.Place(), err)
			}
			if sum := sha256.Sum256(cubin); !seen[sum] {
				seen[sum] = true
				found(fmt.Sprintf("%s.%x", filepath.Base(m.Name()), sum[:4]), cubin)
			}
		}
	}
	return nil
}

func read(entry *zip.File) ([]byte, error) {
	r, err := entry.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
