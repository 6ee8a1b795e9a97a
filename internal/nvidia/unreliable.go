package nvidia

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"

	"github.com/twinlink/twinlink/cuda"
)

// What nvlink does with a file is decided by its extension, in small letters
// only. It reads .cubin, .ptx, .fatbin, .nvvm, .ltoir, .bc, an .a that is an
// archive and, from 12 on, an .o that is a cubin. It passes over anything else
// silently, exit 0, and over an empty or truncated .cubin as well. 11.8
// instead reads beyond a truncated one: what it answers there differs from run
// to run. Seen with 11.8.89, 12.4.131, 13.0.88 and 13.5.37.

// unreliableInputs names the inputs that make exit 0 of that nvlink mean nothing.
func unreliableInputs(v Version, inputs []File) (all []string) {
	for _, f := range inputs {
		if f.Aside {
			continue
		}
		if why := whyUnreliable(v, f); why != "" {
			all = append(all, f.Name+": "+why)
		}
	}
	return all
}

func whyUnreliable(v Version, f File) string {
	switch ext := path.Ext(f.Name); ext {
	case ".ptx", ".fatbin", ".nvvm", ".ltoir", ".bc":
		return ""
	case ".a":
		if !bytes.HasPrefix(f.Data, []byte("!<arch>\n")) {
			return "not an archive: nvlink skips it"
		}
		return ""
	case ".o":
		if v.Major < 12 && isELF(f.Data) && machine(f.Data) == cuda.EMCuda {
			return "nvlink before 12 skips a cubin named .o"
		}
	case ".cubin":
	default:
		return fmt.Sprintf("nvlink skips the extension %q", ext)
	}
	if len(f.Data) == 0 {
		return "empty: nvlink may skip it"
	}
	if isELF(f.Data) {
		if _, ok := sectionTypes(f.Data); !ok {
			return "truncated: nvlink skips it or reads past its end"
		}
	}
	return ""
}

// hollow reports whether an ELF file holds tables and notes and nothing else:
// what nvlink writes when it passed over every input.
func hollow(elf []byte) bool {
	types, ok := sectionTypes(elf)
	if !ok {
		return false
	}
	for _, t := range types {
		switch t {
		case cuda.SHTNull, cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTNote,
			cuda.SHTCudaCallgraph, cuda.SHTCudaRelocInfo, cuda.SHTCudaCompat:
		default:
			return false
		}
	}
	return true
}

func isELF(b []byte) bool { return bytes.HasPrefix(b, []byte("\x7fELF")) }

// machine returns e_machine of a little-endian ELF file, 0 where it has none.
func machine(elf []byte) uint16 {
	if len(elf) < 20 {
		return 0
	}
	return binary.LittleEndian.Uint16(elf[18:])
}

// sectionTypes returns sh_type of each section of a little-endian ELF64 file.
// ok is false where the table of section headers is not all inside the file.
// This package reads these two fields itself: a reader shared with the engine
// would be believed about the files that are to judge it.
func sectionTypes(elf []byte) (types []cuda.SectionType, ok bool) {
	const headerSize, entrySize = 64, 64
	if !isELF(elf) || len(elf) < headerSize {
		return nil, false
	}
	off := binary.LittleEndian.Uint64(elf[40:])
	count := uint64(binary.LittleEndian.Uint16(elf[60:]))
	size := uint64(len(elf))
	if off == 0 {
		return nil, true
	}
	if off > size {
		return nil, false
	}
	if count == 0 && size-off >= entrySize {
		count = binary.LittleEndian.Uint64(elf[off+32:]) // sh_size of section 0
	}
	if count > (size-off)/entrySize {
		return nil, false
	}
	for i := range count {
		types = append(types, cuda.SectionType(binary.LittleEndian.Uint32(elf[off+i*entrySize+4:])))
	}
	return types, true
}
