package check

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// The symbols of two constants that no code reads change places on one side alone: the host
// would write to the other's place, or not, by the table that it looks at.
func TestSymbolsOfBothSides(t *testing.T) {
	const source = ".version 9.0\n.target sm_100\n.address_size 64\n.visible .const .align 4 .u32 c0;\n.visible .const .align 4 .u32 c1;\n.visible .entry k() {\nret;\n}\n"
	tools := nvidiatest.Need(t, "13.0", nvidia.Nvlink, nvidia.Ptxas)
	r, err := tools.Assemble(context.Background(), "13.0", []string{"-c", "-arch=sm_100"}, nvidia.File{Name: "a.ptx", Data: []byte(source)})
	if err != nil || r.Output == nil {
		t.Fatal(r, err)
	}
	in := nvidia.File{Name: "a.cubin", Data: r.Output}
	linked, err := tools.Link(context.Background(), "13.0", []string{"-arch=sm_100"}, []nvidia.File{in})
	if err != nil || !linked.Linked() {
		t.Fatal(linked, err)
	}
	inputs := []Input{{Name: in.Name, Data: in.Data}}
	if v := Check(inputs, linked.Output, Options{Arch: "sm_100"}); !v.Agrees() {
		t.Fatal(v)
	}
	f, err := elf.NewFile(bytes.NewReader(linked.Output))
	if err != nil {
		t.Fatal(err)
	}
	wrong := bytes.Clone(linked.Output)
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	swapped := 0
	for i, s := range symbols {
		if s.Name == "c0" || s.Name == "c1" {
			at := f.SectionByType(elf.SHT_SYMTAB).Offset + 24*uint64(i+1) + 8
			binary.LittleEndian.PutUint64(wrong[at:], 4-s.Value)
			swapped++
		}
	}
	if v := Check(inputs, wrong, Options{Arch: "sm_100"}); swapped != 2 || v.Agrees() {
		t.Errorf("%d symbols changed places: %v", swapped, v)
	}
}

// A relocatable file in which the section of a kernel's shared variables has no room for them.
func TestRoomForSharedVariables(t *testing.T) {
	inputs, output := remade(t, "13.5", "-r")
	f, err := elf.NewFile(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Arch: "sm_100", Relocatable: true}
	outside := func(output []byte) bool {
		for _, f := range Check(inputs, output, o).Findings {
			if f.Kind == SymbolOutside {
				return true
			}
		}
		return false
	}
	if outside(output) {
		t.Error("nvlink's own has room")
	}
	table := binary.LittleEndian.Uint64(output[40:])
	for i, s := range f.Sections {
		if s.Name == ".nv.shared._Z1kPi" {
			wrong := bytes.Clone(output)
			binary.LittleEndian.PutUint64(wrong[table+64*uint64(i)+32:], 0)
			if !outside(wrong) {
				t.Errorf("%s of %d bytes is empty, and it is accepted", s.Name, s.Size)
			}
			return
		}
	}
	t.Error("no shared variables")
}
