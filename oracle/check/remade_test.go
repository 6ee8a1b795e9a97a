package check

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// remade compiles the C++ program of testdata/remade by ptxas 13.0 and links it.
func remade(t *testing.T, release string, args ...string) (inputs []Input, output []byte) {
	tools := nvidiatest.Need(t, release, nvidia.Nvlink)
	nvidiatest.Need(t, "13.0", nvidia.Ptxas)
	var files []nvidia.File
	for _, name := range []string{"l0", "l1"} {
		text, err := os.ReadFile("testdata/remade/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		r, err := tools.Assemble(context.Background(), "13.0", []string{"-c", "-g", "--dont-merge-basicblocks", "--return-at-end", "-arch=sm_100"}, nvidia.File{Name: name + ".ptx", Data: text})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		inputs = append(inputs, Input{Name: name + ".cubin", Data: r.Output})
		files = append(files, nvidia.File{Name: name + ".cubin", Data: r.Output})
	}
	r, err := tools.Link(context.Background(), release, append([]string{"-arch=sm_100"}, args...), files)
	if err != nil || !r.Linked() {
		t.Fatal(r, err)
	}
	return inputs, r.Output
}

// Code that nvlink 13.5 makes again is longer than the input's, and so are its line
// tables: what debug information says of both is right all the same.
func TestDebugInformationOfRemadeCode(t *testing.T) {
	for _, x := range []struct {
		args    []string
		options Options
	}{
		{nil, Options{Arch: "sm_100"}},
		{[]string{"-kernels-used=k"}, Options{Arch: "sm_100", KernelsUsed: []string{"k"}}},
	} {
		inputs, output := remade(t, "13.5", x.args...)
		if v := Check(inputs, output, x.options); v.Refusal != nil || v.Total != 0 {
			t.Errorf("%v:\n%s", x.args, v)
		}
		f, err := elf.NewFile(bytes.NewReader(output))
		if err != nil {
			t.Fatal(err)
		}
		// Another unit of lines, in the field of the second file's unit, and another end
		// of a function that grew.
		info := f.Section(".debug_info")
		data, err := info.Data()
		if err != nil {
			t.Fatal(err)
		}
		for _, side := range []string{"", ".nv.merc"} {
			wrong := bytes.Clone(output)
			second := uint64(binary.LittleEndian.Uint32(data)) + 4 // the unit after the first
			at := second + 24
			for !bytes.Equal(data[at+4:at+9], []byte("/src\x00")) {
				at++
			}
			wrong[f.Section(side+".debug_info").Offset+at]++
			if v := Check(inputs, wrong, x.options); v.Total == 0 {
				t.Errorf("%v: another line table in %s.debug_info at %#x is accepted", x.args, side, at)
			}
		}
		records := f.Section(".rela.debug_info")
		for at := records.Offset; at < records.Offset+records.Size; at += 24 {
			if addend := binary.LittleEndian.Uint64(output[at+16:]); addend == 768 {
				wrong := bytes.Clone(output)
				wrong[at+16] = 0x80
				if v := Check(inputs, wrong, x.options); v.Total == 0 {
					t.Errorf("%v: another end of a function is accepted", x.args)
				}
			}
		}
	}
}

// With -r the records that name line tables stay for the final link.
func TestLineTablesOfRelocatable(t *testing.T) {
	inputs, output := remade(t, "13.0", "-r")
	v := Check(inputs, output, Options{Arch: "sm_100", Relocatable: true})
	for _, f := range v.Findings {
		if strings.Contains(f.Symbol, ".debug_line") {
			t.Error(f)
		}
	}
}

// From sm_100 on --preserve-relocs writes down what is in code, and not in debug information.
func TestResolvedOfDebugInformation(t *testing.T) {
	for _, release := range []string{"13.0", "13.5"} {
		inputs, output := remade(t, release, "--preserve-relocs")
		if v := Check(inputs, output, Options{Arch: "sm_100", PreserveRelocs: true}); v.Refusal != nil || v.Total != 0 {
			t.Errorf("%s:\n%s", release, v)
		}
	}
}

// Bytes of the lines and frames of remade code say where something is, but for addresses
// that records fill, the last of a unit's files, and the advance to a frame's end.
func TestRowsOfRemadeCode(t *testing.T) {
	const step = 7
	inputs, output := remade(t, "13.5")
	f, err := elf.NewFile(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".debug_line", ".nv_debug_line_sass", ".debug_frame"} {
		records, err := f.Section(".rela" + name).Data()
		if err != nil {
			t.Fatal(err)
		}
		filled := map[uint64]bool{}
		for at := 0; at < len(records); at += 24 {
			for k := range uint64(8) {
				filled[binary.LittleEndian.Uint64(records[at:])+k] = true
			}
		}
		s := f.Section(name)
		idle := 0
		for at := uint64(0); at < s.Size; at += step {
			wrong := bytes.Clone(output)
			wrong[s.Offset+at]++
			if !filled[at] && Check(inputs, wrong, Options{Arch: "sm_100"}).Total == 0 {
				idle++
			}
		}
		if idle > 3 {
			t.Errorf("%s: %d changes are accepted", name, idle)
		}
	}
}
