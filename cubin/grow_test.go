package cubin_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

const marker = "written by a test, linked by nvlink"

// addVariables adds two initialised variables to an object: a text, and a
// pointer to it with its relocation.
func addVariables(t *testing.T, d *cubin.Editor) {
	t.Helper()
	init := d.Lookup(".nv.global.init")
	if init == 0 {
		t.Fatalf("%s has no .nv.global.init", d.Name())
	}
	data := pad8(bytes.Clone(d.Data(init)))
	text := uint64(len(data))
	data = pad8(append(data, marker...))
	pointer := uint64(len(data))
	if err := d.SetData(init, append(data, make([]byte, 8)...)); err != nil {
		t.Fatal(err)
	}
	d.Part(init).Align = max(d.Part(init).Align, 8)

	tab := d.Symtab()
	symbols, err := d.Symbols(tab)
	if err != nil {
		t.Fatal(err)
	}
	first := len(symbols)
	object := cubin.Symbol{Info: uint8(cuda.STBGlobal)<<4 | uint8(cuda.STTCudaObject), Other: 0x20, Shndx: uint16(init)}
	object.Value, object.Size = text, uint64(len(marker))
	symbols = append(symbols, cubin.Sym{Symbol: object, Name: "twinlink_text"})
	object.Value, object.Size = pointer, 8
	symbols = append(symbols, cubin.Sym{Symbol: object, Name: "twinlink_pointer"})
	if err := d.SetSymbols(tab, symbols); err != nil {
		t.Fatal(err)
	}

	rel := tab + 1
	h := cubin.Section{Type: cuda.SHTRel, Flags: cuda.SHFInfoLink, Link: uint32(tab), Info: uint32(init + 1), Align: 8, EntSize: cubin.RelSize}
	if err := d.Insert(rel, ".rel.nv.global.init", h, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.SetRelocs(rel, []cubin.Reloc{{Off: pointer, Type: cuda.R_CUDA_G64, Symbol: uint32(first)}}); err != nil {
		t.Fatal(err)
	}
}

func pad8(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// TestAddedVariables links objects that got two variables more.
func TestAddedVariables(t *testing.T) {
	for _, c := range []struct{ release, arch string }{{"11.8", "sm_52"}, {"12.4", "sm_75"}, {"13.0", "sm_75"}} {
		t.Run(c.release, func(t *testing.T) {
			set := nvidiatest.Need(t, c.release, nvidia.Ptxas, nvidia.Nvlink)
			source := ".version 7.0\n.target " + c.arch + "\n.address_size 64\n" +
				".visible .global .align 4 .u32 x = 5;\n.visible .entry k (.param .u64 p) { .reg .u32 %r; ld.global.u32 %r, [x]; st.global.u32 [x], %r; ret; }\n"
			res, err := set.Assemble(context.Background(), c.release, []string{"-arch=" + c.arch}, nvidia.File{Name: "x.ptx", Data: []byte(source)})
			if err != nil || res.Outcome != nvidia.Success {
				t.Fatal(err, res)
			}
			d := decode(t, "x.cubin", res.Output)
			addVariables(t, d)
			res, err = set.Link(context.Background(), c.release, []string{"-arch=" + c.arch}, []nvidia.File{{Name: "x.cubin", Data: layout(t, d)}})
			if err != nil || res.Outcome != nvidia.Success {
				t.Fatal(err, res.Outcome, string(res.Stderr))
			}
			out, err := cubin.Open("out.cubin", res.Output)
			if err != nil {
				t.Fatal(err)
			}
			init := out.Section(out.Lookup(".nv.global.init"))
			if !bytes.Contains(out.Content(&init), []byte(marker)) {
				t.Errorf("nvlink's .nv.global.init is %q", out.Content(&init))
			}
			o := out.Editor()
			records, err := o.Relocs(o.Lookup(".rel.nv.global.init"))
			if err != nil || len(records) != 1 {
				t.Fatal(records, err)
			}
			symbols, err := o.Symbols(o.Symtab())
			if err != nil {
				t.Fatal(err)
			}
			if got := symbols[records[0].Symbol].Name; got != "twinlink_text" {
				t.Errorf("the relocation names %q", got)
			}
			for _, s := range symbols {
				if s.Name == "twinlink_pointer" && s.Value != records[0].Off {
					t.Errorf("the pointer stands at 0x%x, its relocation at 0x%x", s.Value, records[0].Off)
				}
			}
		})
	}
}
