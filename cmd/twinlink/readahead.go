package main

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxAhead bounds what is read in advance: what Stat says of a file may be
// anything.
const maxAhead = 1 << 32

// ahead is a file that is read in advance: its place in memory is as large as
// Stat said.
type ahead struct {
	name string
	data []byte
	read bool
}

// readAhead reads many inputs into one piece of memory, several at a time. What
// it leaves out, read reads when its turn comes, and tells what is wrong.
func (l *linker) readAhead(names []string) {
	files := make([]ahead, 0, len(names))
	sizes := make(map[string]int64, len(names))
	total := int64(0)
	for _, name := range names {
		if _, ok := sizes[name]; ok || l.files[name] != nil {
			continue
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxAhead-total {
			continue
		}
		sizes[name] = info.Size()
		total += info.Size()
		files = append(files, ahead{name: name})
	}
	if total < largeSlab {
		return
	}
	collectLate(int(total))
	room := slab(int(total))
	for i := range files {
		n := sizes[files[i].name]
		files[i].data, room = room[:n:n], room[n:]
	}
	var next atomic.Int32
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		readers.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
				files[i].read = readWhole(files[i].name, files[i].data)
			}
		})
	}
	readers.Wait()
	for i := range files {
		if files[i].read {
			l.files[files[i].name] = files[i].data
		}
	}
}

// readWhole fills data with a file and reports whether that is the whole of it.
func readWhole(name string, data []byte) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if _, err := io.ReadFull(f, data); err != nil {
		return false
	}
	var more [1]byte
	n, err := f.Read(more[:])
	return n == 0 && err == io.EOF
}
