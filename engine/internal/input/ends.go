package input

import (
	"encoding/binary"
	"sync"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Addresses returns the 64-bit relocations of a debug section by their place.
func (in *Sides) Addresses(sec uint32) (map[uint64]cubin.Reloc, error) {
	places := make(map[uint64]cubin.Reloc)
	if in.Rela[sec] == 0 {
		return places, nil
	}
	rela := in.File.Section(int(in.Rela[sec]))
	table, err := in.File.Relocs(&rela)
	if err != nil {
		return nil, err
	}
	for i := 0; i < table.Len(); i++ {
		if r := table.At(i); r.Type == cuda.R_CUDA_64 || r.Type == cuda.R_MERCURY_ABS64 {
			places[r.Off] = r
		}
	}
	return places, nil
}

// ends are where the last functions of capsules end, read when first asked for: by
// several cores, perhaps.
type ends struct {
	once sync.Once
	of   map[uint32]uint64 // by capsule
}

// MercEnd returns where the last function of a capsule ends, by the symbols of
// the Mercury side; 0 where none names the capsule.
func (in *Sides) MercEnd(shndx uint32) uint64 {
	in.ends.once.Do(func() {
		in.ends.of = make(map[uint32]uint64)
		for i := range in.File.OfType(cuda.SHTMercSymtab) {
			s := in.File.Section(i)
			in.ends.read(in.File.Content(&s))
		}
	})
	return in.ends.of[shndx]
}

func (e *ends) read(table []byte) {
	for ; len(table) >= cubin.SymbolSize; table = table[cubin.SymbolSize:] {
		info, shndx := table[4], uint32(binary.LittleEndian.Uint16(table[6:]))
		if cuda.SymbolType(info&0xf) != cuda.STTFunc {
			continue
		}
		end := binary.LittleEndian.Uint64(table[8:]) + binary.LittleEndian.Uint64(table[16:])
		e.of[shndx] = max(e.of[shndx], end)
	}
}
