package finalizer

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Of a file for another target nothing is changed but the bits that name it, whatever the others are.
func TestRetarget(t *testing.T) {
	for _, c := range []struct {
		abi   byte
		flags uint32
		want  uint32
	}{
		{cuda.OSABICuda13, 0x06006402, 0x06006702}, // as toolkits from 13.0 on have it
		{cuda.OSABICuda13, 0xffffffff, 0xff0067ff},
		{cuda.OSABICuda13, 0, 0x00006700},
		{0x33, 0x00640564, 0x00640567}, // as older ones have it
		{0x33, 0xffffffff, 0xffffff67},
		{0x33, 0, 0x00000067},
	} {
		data := make([]byte, 64)
		data[7] = c.abi
		binary.LittleEndian.PutUint32(data[flagsOffset:], c.flags)
		f := &cubin.File{Data: data}
		f.Header.Ident[7], f.Header.Flags = c.abi, c.flags
		before := bytes.Clone(data)
		got := Retarget(f, cuda.SM(103))
		if flags := binary.LittleEndian.Uint32(got[flagsOffset:]); flags != c.want {
			t.Errorf("version %d, %08x: %08x, want %08x", c.abi, c.flags, flags, c.want)
		}
		binary.LittleEndian.PutUint32(got[flagsOffset:], c.flags)
		if !bytes.Equal(got, before) || !bytes.Equal(data, before) {
			t.Errorf("version %d, %08x: other bytes changed", c.abi, c.flags)
		}
	}
}
