package main

import (
	"os"
	"runtime/debug"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// Large inputs are mapped and not read: their bytes are then in memory once, in
// the system's cache. What a mapping shows may change under the reader, so a
// link with mapped inputs writes no output unless all of them are, at its end,
// what they were when it began.

// mapping is an input that is mapped.
type mapping struct {
	name string
	info os.FileInfo // when it was mapped
}

// mapInputs maps inputs that are large together. What it leaves out, read reads
// when its turn comes, and reports what is wrong.
func (l *linker) mapInputs(names []string) {
	seen := make(map[string]bool, len(names))
	var found []mapping
	total := int64(0)
	for _, name := range names {
		if seen[name] || l.reader.Has(name) {
			continue
		}
		seen[name] = true
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxMapped-total {
			continue
		}
		total += info.Size()
		found = append(found, mapping{name, info})
	}
	if total < largeSlab {
		return
	}
	collectLate(int(total))
	for _, m := range found {
		if data := mapFile(m.name, int(m.info.Size())); data != nil {
			l.reader.Keep(m.name, data)
			l.mapped = append(l.mapped, m)
		}
	}
}

// maxMapped bounds what is mapped: what Stat says of a file may be anything.
const maxMapped = 1 << 40

// changed returns the name of a mapped input that isn't what it was, "" for
// none.
func (l *linker) changed() string {
	for _, m := range l.mapped {
		info, err := os.Stat(m.name)
		if err != nil || !os.SameFile(info, m.info) || info.Size() != m.info.Size() || !info.ModTime().Equal(m.info.ModTime()) {
			return m.name
		}
	}
	return ""
}

// faultsAsErrors runs a step of a link. A fault in memory, which is what a
// mapped file that shrinks gives, is then an error like any other.
func (l *linker) faultsAsErrors(step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, fault := r.(interface{ Addr() uintptr }); !fault || l.changed() == "" {
			panic(r)
		}
		if l.cmd == nil {
			l.cmd = &cmdline.Command{} // while the release was looked for
		}
		err = l.fatal(engine.Malformed, "Input file '%s' changed while it was linked", l.changed())
	}()
	return step()
}
