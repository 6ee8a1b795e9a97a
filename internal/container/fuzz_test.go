package container

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// FuzzOpen reads a file whatever it is and unpacks what it lists. A member's
// stored bytes are where it says, and what is unpacked has the size it says.
func FuzzOpen(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add([]byte(archiveMagic + member("in.a/", strconv.Itoa(8+60+len(data)), archiveMagic+member("y.o/", strconv.Itoa(len(data)), string(data)))))
		f.Add([]byte(thinMagic + member("f/", strconv.Itoa(len(data)), "")))                                                 // a thin archive
		f.Add([]byte(archiveMagic + member("#1/4", strconv.Itoa(4+len(data)), "long"+string(data))))                         // BSD's names
		f.Add([]byte(archiveMagic + member("a/", "99", string(data)) + member("a/", strconv.Itoa(len(data)), string(data)))) // a lying size, a name twice
		f.Add(append(append([]byte(nil), data...), data...))                                                                 // of ld -r
		f.Add([]byte(archiveMagic + member("x.o/", "24", "") + string(data[:24]) + member("//", "4", "abcd")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		budget := &Budget{Bytes: 1 << 22, Members: 1 << 10}
		file, err := Open("f", data, Options{Budget: budget})
		if err != nil {
			return
		}
		for i := range file.Members {
			m := &file.Members[i]
			if len(m.Stored) > len(data) || m.Name() == "" || m.Place() == "" {
				t.Fatalf("a member of %d bytes in a file of %d", len(m.Stored), len(data))
			}
			content, err := m.Data(budget)
			if err == nil && (m.Kind != PTX && uint64(len(content)) != m.Size || uint64(len(content)) > m.Size) {
				t.Fatalf("%d bytes where the header says %d", len(content), m.Size)
			}
		}
		for _, target := range []Arch{{SM: 75}, {SM: 100, Variant: 'a'}, {SM: 121, Variant: 'f'}} {
			_ = Choose(file.Members, target, 135)
		}
	})
}
