package fuzz

import (
	"bytes"
	"encoding/binary"

	"github.com/twinlink/twinlink/cuda"
)

// Repair makes a device file of any bytes, a copy: the header, and of every section what has to be right for the file to
// be read at all. What is in the sections, and what they are, stays the fuzzer's.
func Repair(data []byte) []byte {
	b := bytes.Clone(data)
	if len(b) < 64+2*64+8 {
		b = append(b, make([]byte, 64+2*64+8-len(b))...)
	}
	put := binary.LittleEndian
	copy(b, "\x7fELF\x02\x01\x01")
	if b[7]&1 == 0 {
		b[7], b[8] = 0x33, 7
	} else {
		b[7], b[8] = 0x41, 8
	}
	put.PutUint16(b[16:], 1)
	put.PutUint16(b[18:], 190)
	put.PutUint64(b[32:], 0)
	put.PutUint16(b[54:], 56)
	put.PutUint16(b[56:], 0)
	put.PutUint16(b[58:], 64)
	count := 2 + int(b[60])%min(14, (len(b)-64-8)/64-1)
	table := (len(b) - 64*count) &^ 7
	put.PutUint64(b[40:], uint64(table))
	put.PutUint16(b[60:], uint16(count))
	put.PutUint16(b[62:], 1)
	for i := range count {
		s := b[table+64*i:][:64]
		if i == 0 {
			clear(s)
			continue
		}
		room := uint64(table - 64)
		off := 64 + put.Uint64(s[24:])%room&^7
		size := put.Uint64(s[32:]) % (uint64(table) - off + 1)
		types := [...]cuda.SectionType{cuda.SHTStrtab, cuda.SHTSymtab, cuda.SHTProgbits, cuda.SHTRela, cuda.SHTRel, cuda.SHTCudaInfo, cuda.SHTCudaCallgraph, cuda.SHTCudaConstant0, cuda.SHTNobits, cuda.SHTNote}
		t := types[int(s[4])%len(types)]
		if i == 1 {
			t, size = cuda.SHTStrtab, max(size, 1)
			off = min(off, uint64(table)-size)
			b[off+size-1] = 0
		}
		entry := map[cuda.SectionType]uint64{cuda.SHTSymtab: 24, cuda.SHTRela: 24, cuda.SHTRel: 16, cuda.SHTCudaCallgraph: 8}[t]
		if entry > 0 {
			size -= size % entry
		}
		put.PutUint32(s[4:], uint32(t))
		put.PutUint64(s[24:], off)
		put.PutUint64(s[32:], size)
		put.PutUint32(s[40:], put.Uint32(s[40:])%uint32(count))
		put.PutUint64(s[48:], 1<<(s[48]%8))
		put.PutUint64(s[56:], entry)
	}
	names := b[table+64:]
	size := put.Uint64(names[32:])
	for i := range count {
		s := b[table+64*i:]
		put.PutUint32(s, uint32(uint64(put.Uint32(s))%size))
		if i == 0 {
			put.PutUint32(s, 0)
		}
	}
	return b
}
