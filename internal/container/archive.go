package container

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
	archiveHead  = 60
)

// IsArchive reports whether data begins as an archive of ar does, a thin one
// included.
func IsArchive(data []byte) bool {
	return bytes.HasPrefix(data, []byte(archiveMagic)) || bytes.HasPrefix(data, []byte(thinMagic))
}

// Entry is a member of an archive: a file inside a file. Err is set where a thin
// archive's member can't be read.
type Entry struct {
	Name   string // as the archive has it
	Data   []byte
	Offset uint64 // of its header
	Before bool   // the name is before the content, as BSD's ar writes long ones
	Err    error
}

// ReadFile reads a file that a thin archive names.
type ReadFile func(name string) ([]byte, error)

// ReadArchive returns an archive's members in order, without its tables of
// symbols and names. name is the archive's file, beside which a thin archive's
// members are looked for with read; a nil read finds none.
func ReadArchive(name string, data []byte, read ReadFile, budget *Budget) ([]Entry, error) {
	a := &archive{name: name, data: data, thin: bytes.HasPrefix(data, []byte(thinMagic)), read: read}
	if !IsArchive(data) {
		return nil, a.fault(Unrecognized, 0, 0, "no archive's magic")
	}
	var list []Entry
	for pos := uint64(len(archiveMagic)); pos < uint64(len(data)); {
		if !budget.visit() {
			return nil, a.fault(OverBudget, pos, uint64(len(list)), "too many members")
		}
		e, next, err := a.entry(pos)
		if err != nil {
			return nil, err
		}
		if e != nil {
			list = append(list, *e)
		}
		pos = next
	}
	return list, nil
}

type archive struct {
	name  string
	data  []byte
	thin  bool
	read  ReadFile
	names []byte // GNU's table of long names
}

func (a *archive) fault(k ErrorKind, off, value uint64, detail string) error {
	return &Error{Kind: k, Path: a.name, Offset: off, Value: value, Detail: detail}
}

// entry reads the member at pos; nil for a table.
func (a *archive) entry(pos uint64) (e *Entry, next uint64, err error) {
	head, ok := window(a.data, pos, archiveHead)
	if !ok {
		return nil, 0, a.fault(OutOfBounds, pos, uint64(len(a.data)), "a member's header is cut short")
	}
	if string(head[58:60]) != "`\n" {
		return nil, 0, a.fault(BadHeader, pos+58, uint64(le16(head[58:])), "a member's header has no end mark")
	}
	size, err := strconv.ParseUint(strings.TrimRight(string(head[48:58]), " "), 10, 40)
	if err != nil {
		return nil, 0, a.fault(BadHeader, pos+48, 0, "a member's size is no number")
	}
	name := strings.TrimRight(string(head[:16]), " ")
	table := name == "/" || name == "//" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF")
	body := pos + archiveHead
	if a.thin && !table {
		return a.outside(name, pos, size), body, nil
	}
	content, ok := window(a.data, body, size)
	if !ok {
		return nil, 0, a.fault(OutOfBounds, pos+48, size, "a member is longer than the archive")
	}
	next = body + size + size&1
	if name == "//" {
		a.names = content
	}
	if table {
		return nil, next, nil
	}
	length, before := strings.CutPrefix(name, "#1/") // BSD
	if before {
		n, err := strconv.ParseUint(length, 10, 32)
		long, ok := window(content, 0, n)
		if err != nil || !ok {
			return nil, 0, a.fault(BadHeader, pos, n, "a member's long name lies outside it")
		}
		name, content = strings.TrimRight(string(long), "\x00"), content[n:]
		if strings.HasPrefix(name, "__.SYMDEF") {
			return nil, next, nil
		}
	} else if name, ok = a.longName(name); !ok {
		return nil, 0, a.fault(BadHeader, pos, 0, "a member's name lies outside the table of names")
	}
	return &Entry{Name: name, Data: content, Offset: pos, Before: before}, next, nil
}

// longName resolves GNU's "/12" and cuts the slash that ends a short name.
func (a *archive) longName(name string) (string, bool) {
	if len(name) < 2 || name[0] != '/' {
		return strings.TrimSuffix(name, "/"), true
	}
	off, err := strconv.ParseUint(name[1:], 10, 32)
	if err != nil || off > uint64(len(a.names)) {
		return "", false
	}
	long, _, ok := bytes.Cut(a.names[off:], []byte("\n"))
	return strings.TrimSuffix(string(long), "/"), ok
}

// outside reads a thin archive's member from its own file.
func (a *archive) outside(field string, pos, size uint64) *Entry {
	e := &Entry{Offset: pos}
	name, ok := a.longName(field)
	if !ok || name == "" {
		e.Err = a.fault(BadHeader, pos, 0, "a member's name lies outside the table of names")
		return e
	}
	e.Name = name
	if a.read == nil {
		e.Err = a.fault(Missing, pos, size, "members of a thin archive are not read here: "+strconv.Quote(name))
		return e
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(a.name), path)
	}
	content, err := a.read(path)
	switch {
	case err != nil:
		e.Err = a.fault(Missing, pos, size, err.Error())
	case uint64(len(content)) != size:
		e.Err = a.fault(Missing, pos, uint64(len(content)), strconv.Quote(path)+" has changed its size since the archive was made")
	}
	e.Data = content
	return e
}
