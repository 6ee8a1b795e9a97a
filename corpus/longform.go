package corpus

import (
	"bytes"
	"encoding/binary"
)

// LongForm returns a file that says the same as one of the corpus in the form that ELF has for more than 65,279 sections:
// their number and that of the section of names are in the first section header, and the sections of symbols in the
// tables for them, where the file has those. nvlink 11.8 to 13.5 link the same image of it.
func LongForm(file []byte) []byte {
	le := binary.LittleEndian
	out := bytes.Clone(file)
	table := le.Uint64(out[40:])
	headers := out[table:]
	count := le.Uint16(out[60:])
	if count == 0 {
		return out
	}
	header := func(i uint16) []byte { return headers[64*int(i):][:64] }
	for i := range count {
		h := header(i)
		const symtabShndx = 18
		if le.Uint32(h[4:]) != symtabShndx {
			continue
		}
		long := out[le.Uint64(h[24:]):][:le.Uint64(h[32:])]
		symtab := header(uint16(le.Uint32(h[40:])))
		symbols := out[le.Uint64(symtab[24:]):][:le.Uint64(symtab[32:])]
		for k := 0; 24*k+24 <= len(symbols) && 4*k+4 <= len(long); k++ {
			if s := le.Uint16(symbols[24*k+6:]); s > 0 && s < count {
				le.PutUint16(symbols[24*k+6:], 0xffff)
				le.PutUint32(long[4*k:], uint32(s))
			}
		}
	}
	le.PutUint32(header(0)[40:], uint32(le.Uint16(out[62:])))
	le.PutUint16(out[62:], 0xffff)
	le.PutUint16(out[60:], 0)
	le.PutUint64(header(0)[32:], uint64(count))
	return out
}
