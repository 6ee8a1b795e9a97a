package linkcommand

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/hostelf"
)

// folderOf are the files of which drawn command lines name some: device code in each form that it travels in, whole, broken
// and under names that don't fit it. Most is of one toolkit.
func folderOf(t *testing.T, toolkit string) map[string][]byte {
	t.Helper()
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("../container/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	of := func(key string) []byte {
		if objects[key] == nil {
			t.Fatal(key)
		}
		return objects[key]
	}
	want, def, kernel, global := of(toolkit+"/sm_75/func_extern.a"), of(toolkit+"/sm_75/func.b"), of(toolkit+"/sm_75/global_static_init.a"), of(toolkit+"/sm_75/entry.b")
	fat11, fat13, part := file("11.8-plain.fatbin"), file("13.0-plain.fatbin"), file("13.0-part.o")
	segment := func(n int) string { return strings.Repeat("\x00", 24*n) }
	host := func(fat []byte, more ...string) []byte {
		return hostOf(hostelf.Object, append([]string{"__nv_relfatbin", string(fat), ".nvFatBinSegment", segment(1)}, more...)...)
	}
	executable := slices.Clone(kernel)
	binary.LittleEndian.PutUint16(executable[16:], cuda.ETExec)
	i386, err := os.ReadFile("testdata/i386.o") // of GNU as
	if err != nil {
		t.Fatal(err)
	}
	bsd := archiveOf("p.o", append([]byte("a_rather_long_name.o"), part...))
	copy(bsd[8:], "#1/20           ")
	kernelFat, wantFat, defFat := fatOf(75, kernel), fatOf(75, want), fatOf(75, def)
	return map[string][]byte{
		"want.cubin": want, "def.cubin": def, "k.cubin": kernel, "g.cubin": global, "old.cubin": of("11.8/sm_75/func.b"), "mid.cubin": of("12.4/sm_75/entry.b"),
		"new.cubin": of("13.5/sm_100/alias.a"), "tex.cubin": of(toolkit + "/sm_75/texture.b"), "exec.cubin": executable, "empty.cubin": {}, "text.cubin": []byte("text\n"),
		"k.elf": kernel, "k.o": kernel, "k.a": kernel, "k.fatbin": kernel, "k.ptx": kernel, "k.CUBIN": kernel, "k": kernel,
		"f11.fatbin": fat11, "f13.fatbin": fat13, "lz4.fatbin": file("11.8-lz4.fatbin"), "zstd.fatbin": file("13.0-zstd.fatbin"), "lto.fatbin": file("13.0-lto.fatbin"), "merc.fatbin": file("13.0-mercury.fatbin"),
		"two.fatbin": slices.Concat(kernelFat, wantFat), "k.fat.fatbin": kernelFat, "empty.fatbin": {}, "text.fatbin": []byte("text of sixteen b"),
		"p.o": part, "h.o": host(kernelFat, "__nv_module_id", "_k_id\x00"), "w.o": host(wantFat), "d.o": host(defFat, "__nv_module_id", "_d_id\x00"),
		"pair.o": hostOf(hostelf.Object, "__nv_relfatbin", string(kernelFat)+string(wantFat), ".nvFatBinSegment", segment(2), "__nv_module_id", "_a\x00_b\x00"),
		"none.o": hostOf(hostelf.Object, ".text", "\xc3"), "plain.o": hostOf(hostelf.Object, ".nv_fatbin", string(kernelFat), ".nvFatBinSegment", segment(1)),
		"lost.o": hostOf(hostelf.Object, ".nvFatBinSegment", segment(1)), "i386.o": i386, "empty.o": {}, "text.o": []byte("text\n"), "f13.o": fat13,
		"libw.a": archiveOf("w.o", host(wantFat), "k.o", host(kernelFat)), "libd.a": archiveOf("d.o", host(defFat, "__nv_module_id", "_d_id\x00")), "libp.a": archiveOf("p.o", part, "p.o", part),
		"behind.a": archiveOf("x", []byte("text"), "h.o", host(kernelFat)), "nested.a": archiveOf("in.a", archiveOf("h.o", host(kernelFat))), "cubins.a": archiveOf("k.cubin", kernel, "d.cubin", def),
		"fats.a": archiveOf("k.fatbin", kernelFat), "hollow.a": archiveOf(), "libt.a": []byte("/* GNU ld script */\nGROUP ( libd.a )\n"), "bsd.a": bsd, "bad.a": []byte("!<arch>\n" + strings.Repeat("x", 80)),
		"libcudadevrt.a": archiveOf("d.o", host(defFat)), "mycudadevrt.a": archiveOf("d.o", host(defFat)), "cudadevrt/k.cubin": kernel, "cudadevrt/d.cubin": def, "cudadevrt_h.o": host(kernelFat), "cudadevrt.fatbin": kernelFat,
		"lib.so": hostOf(hostelf.Shared, "__nv_relfatbin", string(kernelFat), ".nvFatBinSegment", segment(1)), "prog.o": hostOf(hostelf.Program, "__nv_relfatbin", string(kernelFat), ".nvFatBinSegment", segment(1)),
		"prog.ptx": file("prog.ptx"), "text.ptx": []byte("text\n"), "empty.ptx": {}, "none.ltoir": []byte("text\n"),
		"opts": []byte("-g --kernels-used k\n"), "more": []byte("# no comment\n-w \"def.cubin\""), "self": []byte("-optf self"),
	}
}

// hostOf makes a host object of sections, a name and its content by turns.
func hostOf(typ uint16, list ...string) []byte {
	var of []hostelf.Section
	for pair := range slices.Chunk(list, 2) {
		of = append(of, hostelf.Section{Name: pair[0], Data: []byte(pair[1])})
	}
	return hostelf.Encode(typ, of...)
}

// archiveOf makes an archive of members, a name and its content by turns.
func archiveOf(members ...any) []byte {
	out := []byte("!<arch>\n")
	for pair := range slices.Chunk(members, 2) {
		data := pair[1].([]byte)
		out = fmt.Appendf(out, "%-16s%-12s%-6s%-6s%-8s%-10d`\n", pair[0].(string)+"/", "0", "0", "0", "644", len(data))
		if out = append(out, data...); len(data)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out
}

// fatOf makes a fatbinary of one cubin, not compressed.
func fatOf(sm uint32, data []byte) []byte {
	le := binary.LittleEndian
	size := uint64(len(data)+7) &^ 7
	head := make([]byte, 16+64)
	le.PutUint32(head, 0xba55ed50)
	le.PutUint16(head[4:], 1)
	le.PutUint16(head[6:], 16)
	le.PutUint64(head[8:], 64+size)
	m := head[16:]
	le.PutUint16(m, 2)
	le.PutUint16(m[2:], 0x101)
	le.PutUint32(m[4:], 64)
	le.PutUint64(m[8:], size)
	le.PutUint16(m[24:], 7)
	le.PutUint16(m[26:], 1)
	le.PutUint32(m[28:], sm)
	le.PutUint32(m[32:], 64)
	le.PutUint64(m[40:], 0x11)
	return slices.Concat(head, data, make([]byte, size-uint64(len(data))))
}
