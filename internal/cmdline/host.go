package cmdline

import (
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// Host objects and archives of them. Linking their device code is not
// implemented; what stands here finds out whether there is any, since nvlink
// takes every object and archive of a host link and ignores those without.

// judgeHost decides about a relocatable object of the host.
func judgeHost(name string, data []byte) Judgement {
	device, ok := hasDeviceCode(data)
	switch {
	case !ok:
		j := reject(engine.Malformed, name, "Could not find fatbin in '"+name+"'")
		j.Messages = append(j.Messages, engine.Diagnostic{Severity: engine.Fatal, Kind: engine.Malformed, File: name, Text: "elfLink internal error"})
		return j
	case device:
		return lacking(name, "a host object with device code")
	}
	return Judgement{}
}

// hasDeviceCode looks for the sections in which a host object carries device
// code. Only 64-bit little-endian objects are read; ok is false where the
// section table isn't inside the file.
func hasDeviceCode(data []byte) (device, ok bool) {
	head, ok := cubin.Window(data, 0, cubin.HeaderSize)
	if !ok || head[4] != 2 || head[5] != 1 {
		return false, ok
	}
	shoff, count, strndx := le64(head[40:]), uint64(le16(head[60:])), uint64(le16(head[62:]))
	if count == 0 || strndx >= count {
		return false, count == 0
	}
	table, ok := cubin.Window(data, shoff, count*cubin.SectionSize)
	if !ok {
		return false, false
	}
	str := table[strndx*cubin.SectionSize:]
	names, ok := cubin.Window(data, le64(str[24:]), le64(str[32:]))
	if !ok {
		return false, false
	}
	for ; len(table) > 0; table = table[cubin.SectionSize:] {
		switch cName(names, le32(table)) {
		case ".nv_fatbin", "__nv_relfatbin", ".nvFatBinSegment":
			return true, true
		}
	}
	return false, true
}

// cName returns a name of a string table, cut at twenty bytes: longer than
// any name looked for.
func cName(table []byte, off uint32) string {
	if uint64(off) >= uint64(len(table)) {
		return ""
	}
	tail := string(table[off:min(len(table), int(off)+20)])
	name, _, _ := strings.Cut(tail, "\x00")
	return name
}

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
	memberHead   = 60
)

func isArchive(data []byte) bool {
	return len(data) >= 8 && (string(data[:8]) == archiveMagic || string(data[:8]) == thinMagic)
}

// judgeArchive decides about an archive: nvlink looks at every member, but
// only host objects among them count.
func judgeArchive(r Release, name string, data []byte) Judgement {
	if string(data[:8]) == thinMagic {
		return lacking(name, "a thin archive")
	}
	device := false
	ok := eachMember(data, func(member []byte) bool {
		device = isHostObject(member)
		if device {
			device, _ = hasDeviceCode(member)
		}
		return !device
	})
	switch {
	case !ok:
		return rejectArchive(r, name)
	case device:
		return lacking(name, "an archive with device code")
	}
	return Judgement{}
}

// holdsHostObject reports whether any member is an object of the host.
func holdsHostObject(data []byte) bool {
	found := string(data[:8]) == thinMagic
	eachMember(data, func(member []byte) bool {
		found = found || isHostObject(member)
		return !found
	})
	return found
}

func isHostObject(data []byte) bool {
	return isELF(data) && le16(data[18:]) != cuda.EMCuda
}

// eachMember calls f with the content of each member until it returns false.
// It returns false where the archive is malformed.
func eachMember(data []byte, f func(member []byte) bool) bool {
	for pos := uint64(8); pos < uint64(len(data)); {
		head, ok := cubin.Window(data, pos, memberHead)
		if !ok || string(head[58:60]) != "`\n" {
			return false
		}
		size, isNumber, inRange := number(strings.TrimLeft(strings.TrimRight(string(head[48:58]), " "), "0"))
		if !isNumber || !inRange || size < 0 {
			return false
		}
		member, ok := cubin.Window(data, pos+memberHead, uint64(size))
		if !ok {
			return false
		}
		if !f(member) {
			return true
		}
		pos += memberHead + uint64(size) + uint64(size)&1
	}
	return true
}

// rejectArchive is about an archive that isn't one. Older releases take a
// nonsense size as it stands, and run out of memory.
func rejectArchive(r Release, name string) Judgement {
	text := "unexpected archive format"
	if r != R130 {
		text = "Memory allocation failure"
	}
	j := reject(engine.Malformed, name, text)
	j.Messages = append(j.Messages, engine.Diagnostic{Severity: engine.Fatal, Kind: engine.Malformed, File: name, Text: "elfLink internal error"})
	return j
}
