package main

import (
	"fmt"
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
	if total < largeInputs {
		if total >= fewInputs {
			debug.SetGCPercent(garbagePercent)
		}
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
func (l *linker) changed() string { return changed(l.mapped) }

// changed returns the name of a mapped file that isn't what it was, "" for none.
func changed(list []mapping) string {
	for _, m := range list {
		info, err := os.Stat(m.name)
		if err != nil || !os.SameFile(info, m.info) || info.Size() != m.info.Size() || !info.ModTime().Equal(m.info.ModTime()) {
			return m.name
		}
	}
	return ""
}

// readOrMap reads a file, or maps it where it is large.
func readOrMap(name string) ([]byte, *mapping, error) {
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() && info.Size() >= largeInputs && info.Size() <= maxMapped {
		if data := mapFile(name, int(info.Size())); data != nil {
			collectLater(tableShare * len(data))
			return data, &mapping{name, info}, nil
		}
	}
	data, err := os.ReadFile(name)
	return data, nil, err
}

// unlessChanged runs a step that reads mapped files. Where one of them changed
// meanwhile the error says so, and what the step made or panicked of means nothing.
func unlessChanged(list func() []mapping, step func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if name := changed(list()); name != "" {
			err = fmt.Errorf("%s changed while it was read", name)
		} else if r != nil {
			panic(r)
		}
	}()
	return step()
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
