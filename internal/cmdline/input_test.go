package cmdline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
)

// archive makes an ar file.
func archive(members ...[]byte) []byte {
	out := []byte(archiveMagic)
	for _, m := range members {
		out = append(out, fmt.Sprintf("%-16s%-12s%-6s%-6s%-8s%-10d`\n", "m.o/", "0", "0", "0", "644", len(m))...)
		if out = append(out, m...); len(m)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out
}

// hostObject makes a relocatable x86-64 ELF file with one section beside the
// names.
func hostObject(section string) []byte {
	le := binary.LittleEndian
	names := "\x00" + section + "\x00.shstrtab\x00"
	data := make([]byte, 64)
	copy(data, "\x7fELF\x02\x01\x01")
	le.PutUint16(data[16:], 1)
	le.PutUint16(data[18:], 62)
	data = append(data, names...)
	le.PutUint64(data[40:], uint64(len(data)))
	le.PutUint16(data[58:], 64)
	le.PutUint16(data[60:], 3)
	le.PutUint16(data[62:], 2)
	table := make([]byte, 3*64)
	le.PutUint32(table[64:], 1)
	le.PutUint32(table[64+4:], 1)
	le.PutUint32(table[128:], uint32(1+len(section)+1))
	le.PutUint32(table[128+4:], 3)
	le.PutUint64(table[128+24:], 64)
	le.PutUint64(table[128+32:], uint64(len(names)))
	return append(data, table...)
}

// TestJudge: what nvlink 11.8.89, 12.4.131 and 13.0.88 did with such a file
// after good ones. "lacks" is what twinlink alone refuses.
func TestJudge(t *testing.T) {
	device, err := os.ReadFile("../dump/testdata/12.4-sm_80-a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	text, zeros := []byte(strings.Repeat("hello ", 20)), make([]byte, 100)
	host, plain := hostObject(".nv_fatbin"), hostObject(".text")
	fatbin := append([]byte{0x50, 0xed, 0x55, 0xba}, zeros...)
	const open = "Could not open input file"
	for _, c := range []struct {
		name string
		data []byte
		want [3]string // by 11.8, 12.x, 13.x: linked, ignored, a kind of container or the message
	}{
		{"b.cubin", device, [3]string{"linked", "linked", "linked"}},
		{"d.x/b.x.cubin", device, [3]string{"linked", "linked", "linked"}},
		{".cubin", device, [3]string{"linked", "linked", "linked"}},
		{"b.o", device, [3]string{"ignored", "linked", "linked"}},
		{".o", device, [3]string{"ignored", "linked", "linked"}},
		{"b", device, [3]string{"ignored", "ignored", "ignored"}},
		{"d.cubin/b", device, [3]string{"ignored", "ignored", "ignored"}},
		{"b.CUBIN", device, [3]string{"ignored", "ignored", "ignored"}},
		{"b.cubin.bak", device, [3]string{"ignored", "ignored", "ignored"}},
		{"b.so", device, [3]string{"ignored", "ignored", "ignored"}},
		{"b.", device, [3]string{"ignored", "ignored", "ignored"}},
		{"b.fatbin", device, [3]string{"fatbin wrong format?", "fatbin wrong format?", "fatbin wrong format?"}},
		{"b.fatbin", fatbin, [3]string{"fatbin", "fatbin", "fatbin"}},
		{"b.ptx", text, [3]string{"ptx", "ptx", "ptx"}},
		{"b.bc", device, [3]string{"should never see bc files", "should never see bc files", "should never see bc files"}},
		{"b.nvvm", device, [3]string{"should only see nvvm files", "should only see nvvm files", "should only see nvvm files"}},
		{"b.ltoir", device, [3]string{"ignored", "should only see nvvm files", "should only see nvvm files"}},
		{"b.cubin", nil, [3]string{open, "ignored", "ignored"}},
		{"b.txt", nil, [3]string{open, "ignored", "ignored"}},
		{"b.cubin", zeros[:51], [3]string{open, open, open}},
		{"b.cubin", zeros[:52], [3]string{"cubin not an elf?", "cubin not an elf?", open}},
		{"b.o", zeros[:55], [3]string{"ignored", "ignored", open}},
		{"b.o", zeros[:56], [3]string{"ignored", "ignored", "ignored"}},
		{"b.cubin", text, [3]string{"cubin not an elf?", "cubin not an elf?", "cubin not an elf?"}},
		{"b.txt", text, [3]string{"ignored", "ignored", "ignored"}},
		{"b.cubin", host, [3]string{"cubin not a device elf?", "cubin not a device elf?", "cubin not a device elf?"}},
		{"h.o", plain, [3]string{"host", "host", "host"}},
		{"h.o", host, [3]string{"host", "host", "host"}},
		{"h.txt", host, [3]string{"host", "host", "host"}},
		{"h.so.1", host, [3]string{"host", "host", "host"}},
		{"h", host, [3]string{"ignored", "ignored", "ignored"}},
		{"h.so", host, [3]string{"ignored", "ignored", "ignored"}},
		{"l.a", archive(), [3]string{"archive", "archive", "archive"}},
		{"l.a", archive(device, text), [3]string{"archive", "archive", "archive"}},
		{"l.a", archive(device, text[:7], plain), [3]string{"archive", "archive", "archive"}},
		{"l.a", archive(text[:7], host), [3]string{"archive", "archive", "archive"}},
		{"l.so", archive(host), [3]string{"archive", "archive", "archive"}},
		{"l", archive(host), [3]string{"ignored", "ignored", "ignored"}},
		{"l.cubin", archive(host), [3]string{"cubin not an elf?", "cubin not an elf?", "cubin not an elf?"}},
		{"l.a", append(archive(), "junk"...), [3]string{"archive", "archive", "archive"}},
	} {
		for _, r := range Releases {
			want := c.want[min(r.Major(), 13)-11] // 11.8, 12.x, 13.x
			if got := verdict(Judge(r, c.name, c.data)); got != want && !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s of %d bytes: %s, want %s", r, c.name, len(c.data), got, want)
			}
		}
	}
}

func verdict(j InputKind) string {
	switch j.Use {
	case Linked:
		return "linked"
	case Ignored:
		return "ignored"
	case HostFile:
		return "host"
	case ArchiveFile:
		return "archive"
	case FatbinFile:
		return "fatbin"
	case PTXFile:
		return "ptx"
	}
	return j.Messages[0].Text
}

// TestJudgeDamaged cuts and changes files: nothing may panic.
func TestJudgeDamaged(t *testing.T) {
	for _, whole := range [][]byte{hostObject(".nv_fatbin"), archive(hostObject(".text"), []byte("x"))} {
		for n := range len(whole) {
			Judge(R130, "x.o", whole[:n])
			bad := bytes.Clone(whole)
			bad[n] = 0xff
			Judge(R130, "x.o", bad)
		}
	}
}
