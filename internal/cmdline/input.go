package cmdline

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
)

// Use says what nvlink does with an input file.
type Use uint8

const (
	Ignored  Use = iota // nothing
	Linked              // it is a device object
	Rejected            // it ends the link; Input.Messages say why

	// Files that hold objects.
	HostFile    // a relocatable object of the host
	ArchiveFile // an archive
	FatbinFile  // a fatbinary
	PTXFile     // PTX, to be compiled
)

// InputKind is what nvlink makes of one input file.
type InputKind struct {
	Use      Use
	Messages []engine.Diagnostic
}

// Judge decides what to do with an input by name and content, as nvlink does:
// the extension chooses, the content must fit. A file that doesn't look like
// anything is ignored, silently.
func Judge(r Release, name string, data []byte) InputKind {
	ext, hasExt := extension(name)
	if len(data) == 0 && r != R118 {
		return InputKind{}
	}
	if len(data) < shortest(r) && !isArchive(data) {
		return CannotOpen(name)
	}
	switch ext {
	case "cubin":
		switch {
		case !isELF(data):
			return reject(engine.Malformed, name, "cubin not an elf?")
		case le16(data[18:]) != cuda.EMCuda:
			return reject(engine.Malformed, name, "cubin not a device elf?")
		}
		return InputKind{Use: Linked}
	case "ptx":
		return InputKind{Use: PTXFile}
	case "fatbin":
		if le32(data) != fatbinMagic {
			return reject(engine.Malformed, name, "fatbin wrong format?")
		}
		return InputKind{Use: FatbinFile}
	case "bc":
		return reject(engine.BadOption, name, "should never see bc files")
	case "nvvm", "ltoir":
		if ext == "nvvm" || r != R118 {
			return reject(engine.BadOption, name, "should only see nvvm files when -lto")
		}
	}
	switch {
	case !hasExt:
		return InputKind{}
	case isArchive(data):
		return InputKind{Use: ArchiveFile}
	case ext == "so" || !isELF(data) || le16(data[16:]) != cuda.ETRel:
		return InputKind{}
	case le16(data[18:]) == cuda.EMCuda:
		if ext == "o" && r != R118 {
			return InputKind{Use: Linked}
		}
		return InputKind{}
	}
	return InputKind{Use: HostFile}
}

// CannotOpen is the judgement about a file that can't be read.
func CannotOpen(name string) InputKind {
	return reject(engine.Malformed, name, fmt.Sprintf("Could not open input file '%s'", name))
}

// extension returns what follows the last dot beyond the last slash.
func extension(name string) (string, bool) {
	base := baseName(name)
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return "", false
	}
	return base[dot+1:], true
}

// shortest is how many bytes a file that isn't an archive must have.
func shortest(r Release) int {
	if r.Cuda13() {
		return 56
	}
	return 52
}

const fatbinMagic = 0xba55ed50

func isELF(data []byte) bool {
	magic, ok := cubin.Window(data, 0, 52)
	return ok && string(magic[:4]) == "\x7fELF"
}

func reject(kind engine.DiagKind, file, text string) InputKind {
	return InputKind{Use: Rejected, Messages: []engine.Diagnostic{
		{Severity: engine.Fatal, Kind: kind, File: file, Text: text}}}
}
