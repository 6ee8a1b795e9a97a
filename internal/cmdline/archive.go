package cmdline

import (
	"bytes"
	"strconv"

	"github.com/twinlink/twinlink/engine"
)

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
)

func isArchive(data []byte) bool {
	return len(data) >= 8 && (string(data[:8]) == archiveMagic || string(data[:8]) == thinMagic)
}

// outOfMemory is what releases before 13.0 say of an archive that isn't one.
const outOfMemory = "Memory allocation failure"

// BadArchive is the judgement about an archive that isn't one. Older releases take a
// nonsense size as it stands, and run out of memory.
func BadArchive(r Release, name string) InputKind {
	text := "unexpected archive format"
	if !r.Cuda13() {
		text = outOfMemory
	}
	return badArchive(name, text)
}

func badArchive(name, text string) InputKind {
	j := reject(engine.Malformed, name, text)
	j.Messages = append(j.Messages, engine.Diagnostic{Severity: engine.Fatal, Kind: engine.Malformed, File: name, Text: "elfLink internal error"})
	return j
}

// The header of an archive's first member. Its name ends with a slash.
const (
	firstMember  = len(archiveMagic)
	memberName   = 16
	memberSize   = 48 // where the size stands, up to 58
	memberHeader = 60
)

// NoLibrary is the judgement about a file that -l found and that is no archive, as a script of the host's
// linker. nvlink takes it for one all the same: where a first member can be read it goes on looking, which is no
// message here, and else it ends (11.8.89, 12.4.131, 13.0.88, 13.3.73, 13.4.92, 13.5.37).
func NoLibrary(r Release, name string, data []byte) InputKind {
	if isArchive(data) || len(data) <= firstMember {
		return InputKind{}
	}
	first := data[firstMember:]
	if r.Toolkit() < 134 {
		if text, _, _ := bytes.Cut(first, []byte{0}); !bytes.ContainsRune(text, '/') {
			return BadArchive(r, name)
		}
		return InputKind{}
	}
	if len(first) < memberHeader || !bytes.ContainsRune(first[:memberName], '/') {
		return BadArchive(r, name)
	}
	if size := leadingNumber(first[memberSize : memberSize+10]); size < 0 || size > int64(len(first)-memberHeader) {
		return badArchive(name, "archive member size exceeds library bounds")
	}
	return InputKind{}
}

// leadingNumber reads what a text begins with, as the C library does.
func leadingNumber(text []byte) int64 {
	text = bytes.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	for end < len(text) && (text[end]-'0' < 10 || end == 0 && (text[end] == '-' || text[end] == '+')) {
		end++
	}
	n, err := strconv.ParseInt(string(text[:end]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
