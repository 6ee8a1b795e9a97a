package container

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Member is one piece of device code and where it lies.
type Member struct {
	Path    string // the file, and archive members after colons: "lib.a:foo.o"
	Section string // of the object that holds it; "" where none does
	Fatbin  int    // number of the fatbinary there, from 0
	Index   int    // number of the piece in its fatbinary, from 0

	Kind         Kind
	Arch         Arch
	Flags        uint64
	Major, Minor uint16 // version of the PTX ISA or of the file format
	Identifier   string // the source file's name, where the compiler was asked for it
	Options      []byte // of PTX: ptxas's options; of Mercury: attributes of .nv.compat

	Offset uint64 // of Stored, in the last file of Path
	Stored []byte // as they are in the file
	Size   uint64 // unpacked, as the header says

	piece []byte // header and content, as they are in the fatbinary
	bare  bool   // the file is the piece
}

// Bare reports whether the piece is a file of its own, in no fatbinary.
func (m *Member) Bare() bool { return m.bare }

// Alone returns a fatbinary that holds the piece and nothing else.
func (m *Member) Alone() []byte {
	out := make([]byte, fatbinHead, fatbinHead+len(m.piece))
	binary.LittleEndian.PutUint32(out, FatbinMagic)
	binary.LittleEndian.PutUint16(out[4:], 1)
	binary.LittleEndian.PutUint16(out[6:], fatbinHead)
	binary.LittleEndian.PutUint64(out[8:], uint64(len(m.piece)))
	return append(out, m.piece...)
}

// Debug reports whether the piece was compiled with debug information.
func (m *Member) Debug() bool { return m.Flags&flagDebug != 0 }

// Mercury reports whether a cubin carries Mercury code.
func (m *Member) Mercury() bool { return m.Kind == Cubin && m.Flags&flagMercury != 0 }

// Compression returns "lz4", "zstd" or "".
func (m *Member) Compression() string {
	switch {
	case m.Flags&flagLZ4 != 0:
		return "lz4"
	case m.Flags&flagZstd != 0:
		return "zstd"
	}
	return ""
}

// Target returns "sm_90" for a cubin, "compute_90" for PTX, "lto_90" for LTO IR.
func (m *Member) Target() string {
	switch m.Kind {
	case PTX:
		return "compute_" + m.Arch.String()
	case NVVM:
		return "lto_" + m.Arch.String()
	}
	return "sm_" + m.Arch.String()
}

// Name returns the file, the archive members on the way and the target:
// "lib.a:foo.o:sm_90". A bare cubin or PTX file is named by its path alone.
func (m *Member) Name() string {
	if m.bare {
		return m.Path
	}
	return m.Path + ":" + m.Target()
}

// Place tells the piece from others of one name: section, fatbinary and number.
func (m *Member) Place() string {
	var b strings.Builder
	if m.Section != "" {
		fmt.Fprintf(&b, "%s ", m.Section)
	}
	fmt.Fprintf(&b, "fatbin %d member %d", m.Fatbin, m.Index)
	return b.String()
}

// Extension returns the usual extension of a file with the piece's content.
func (m *Member) Extension() string {
	switch m.Kind {
	case PTX:
		return ".ptx"
	case Cubin:
		return ".cubin"
	case NVVM:
		return ".ltoir"
	}
	return ".bin"
}

func (m *Member) fault(k ErrorKind, value uint64, format string, args ...any) error {
	return &Error{Kind: k, Path: m.Name(), Offset: m.Offset, Value: value, Detail: fmt.Sprintf(format, args...)}
}
