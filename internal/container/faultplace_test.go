package container

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

func put(data []byte, at, width int, v uint64) []byte {
	bad := bytes.Clone(data)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(bad[at:at+width], b[:])
	return bad
}

// hostSection is a section of an object by its name, as readelf shows it.
type hostSection struct {
	at        int // of its header
	off, size uint64
}

func hostSections(t *testing.T, data []byte) map[string]hostSection {
	t.Helper()
	f, err := openELF("", data)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]hostSection{}
	for i, s := range f.sections {
		all[s.name] = hostSection{int(le64(data[40:])) + i*elfSection, s.off, s.size}
	}
	return all
}

// Each fault of a host object's frame is reported as what it is, at its place, with the value that is there: the first
// value that is wrong; a kind of 0 is for the last that is right.
func TestObjectFaultPlaces(t *testing.T) {
	data := load(t, "13.0-part.o")
	sections := hostSections(t, data)
	size, shoff, n := uint64(len(data)), le64(data[40:]), uint64(le16(data[60:]))
	strndx := uint64(le16(data[62:]))
	strtab := int(shoff + strndx*elfSection)
	names, room := le64(data[strtab+24:]), le64(data[strtab+32:])
	type damage struct {
		name          string
		at, width     int
		v             uint64
		kind          ErrorKind
		offset, value uint64
	}
	all := []damage{
		{"magic 0", 0, 1, 0, Unrecognized, 0, size}, {"magic 3", 3, 1, 0, Unrecognized, 0, size},
		{"class", 4, 1, 1, Unsupported, 4, 1}, {"class", 4, 1, 3, Unsupported, 4, 3},
		{"byte order", 5, 1, 2, Unsupported, 5, 2}, {"byte order", 5, 1, 0, Unsupported, 5, 0},
		{"e_type", 16, 2, 0, Unsupported, 16, 0}, {"e_type", 16, 2, 1, 0, 0, 0}, {"e_type", 16, 2, 2, 0, 0, 0},
		{"e_type", 16, 2, 3, 0, 0, 0}, {"e_type", 16, 2, 4, Unsupported, 16, 4}, {"e_type", 16, 2, 257, Unsupported, 16, 257},
		{"e_machine", 18, 2, cuda.EMCuda, Unsupported, 18, cuda.EMCuda}, {"e_machine", 18, 2, 183, 0, 0, 0},
		{"e_shentsize", 58, 2, 63, BadHeader, 58, 63}, {"e_shentsize", 58, 2, 65, BadHeader, 58, 65},
		{"e_shoff", 40, 8, size - elfSection + 1, OutOfBounds, 40, size - elfSection + 1},
		{"e_shoff", 40, 8, math.MaxUint64, OutOfBounds, 40, math.MaxUint64},
		{"e_shoff, one section in the file", 40, 8, size - n*elfSection + 1, OutOfBounds, 60, n},
		{"e_shnum", 60, 2, (size-shoff)/elfSection + 1, OutOfBounds, 60, (size-shoff)/elfSection + 1},
		{"e_shstrndx", 62, 2, n, BadHeader, 62, n},
		{"extent of the names", strtab + 32, 8, size - names + 1, OutOfBounds, uint64(strtab), names},
		{"place of the names", strtab + 24, 8, size - room + 1, OutOfBounds, uint64(strtab), size - room + 1},
	}
	for i := range int(n) {
		at := int(shoff) + i*elfSection
		if i != int(strndx) {
			all = append(all, damage{"sh_name", at, 4, room, OutOfBounds, uint64(at), room}, damage{"sh_name", at, 4, room - 1, 0, 0, 0})
		}
	}
	for name, s := range sections {
		kind, offset := ErrorKind(0), uint64(0)
		switch name {
		case RelocatableSection, moduleIDSection, ".nvHRKE", ".nvHRKI", ".nvHRDE", ".nvHRDI", ".nvHRCE", ".nvHRCI":
			kind, offset = OutOfBounds, s.off
		case ".shstrtab", "":
			continue
		}
		all = append(all, damage{"sh_size of " + name, s.at + 32, 8, size - s.off + 1, kind, offset, size - s.off + 1},
			damage{"sh_size of " + name, s.at + 32, 8, math.MaxUint64, kind, offset, math.MaxUint64})
		if kind != 0 {
			offset = size - s.size + 1
		}
		all = append(all, damage{"sh_offset of " + name, s.at + 24, 8, size - s.size + 1, kind, offset, s.size})
	}
	for _, d := range all {
		_, err := ReadObject("part.o", put(data, d.at, d.width, d.v), NewBudget(len(data)))
		var fault *Error
		switch errors.As(err, &fault); {
		case d.kind == 0 && err != nil:
			t.Errorf("%s of %#x: %v, want no fault", d.name, d.v, err)
		case d.kind == 0:
		case fault == nil || fault.Kind != d.kind || fault.Offset != d.offset || fault.Value != d.value || fault.Path != "part.o" || fault.Detail == "":
			t.Errorf("%s of %#x: %v, want %s at %#x, value %#x", d.name, d.v, err, d.kind, d.offset, d.value)
		}
	}
}

// What an object is goes by its type, and a shared object with an interpreter is a program.
func TestObjectForms(t *testing.T) {
	data := load(t, "13.0-part.o")
	sections := hostSections(t, data)
	for _, c := range []struct {
		typ    uint64
		interp bool
		want   Format
	}{{etRel, false, HostObject}, {etRel, true, HostObject}, {etExec, false, Program}, {etExec, true, Program}, {etDyn, false, SharedObject}, {etDyn, true, Program}} {
		d := put(data, 16, 2, c.typ)
		if c.interp { // a section that says nothing of device code gets the name
			at := int(le32(data[sections[".comment"].at:])) + int(sections[".shstrtab"].off)
			copy(d[at:], ".interp\x00")
		}
		o, err := ReadObject("part.o", d, NewBudget(len(d)))
		if err != nil || o.Format != c.want {
			t.Errorf("type %d, interpreter %v: %v, %v, want %v", c.typ, c.interp, o, err, c.want)
		}
		if got := IsHostObject(d); got != (c.typ == etRel) {
			t.Errorf("type %d: a host object %v", c.typ, got)
		}
	}
	if IsHostObject(put(data, 18, 2, cuda.EMCuda)) || IsHostObject(data[:51]) || !IsHostObject(data[:52]) || IsHostObject(put(data, 0, 1, 0)) {
		t.Error("a host object is something else, or something else one")
	}
	for _, name := range []string{segmentSection, moduleIDSection, ".nvHRKE"} {
		o, err := ReadObject("part.o", put(data, sections[name].at, 4, 0), NewBudget(len(data)))
		if err != nil || o.Segment != (name != segmentSection) || o.HasModuleIDs != (name != moduleIDSection) || o.References.ListsKernels != (name != ".nvHRKE") {
			t.Errorf("without %s: %+v, %v", name, o, err)
		}
	}
}
