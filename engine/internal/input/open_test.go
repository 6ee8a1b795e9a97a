package input

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
)

// object is the first input of a recorded link.
func object(t *testing.T, id string) []byte {
	t.Helper()
	mercury, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	all, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(slices.Clone(all), corpus.CasesOf(mercury)...) {
		if c.ID() == id {
			return bytes.Clone(c.Inputs[0].Data)
		}
	}
	t.Fatalf("no case %s", id)
	return nil
}

// What is said of an object that a release or a target doesn't take, or takes with a warning. Edits are of the ELF
// header: the type is at 16, the version at 20, the flags at 48.
//
// Source: nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37, asked for the same objects; a target or a release that no tool
// has only a program can name.
func TestFits(t *testing.T) {
	const old, ninety, new90, merc = "calls/12.4-sm_72", "jumps/11.8-sm_90", "calls/13.0-sm_90a", "calls/13.0-sm_100"
	for _, c := range []struct {
		object, edit, arch, toolkit string
		kind                        diag.Kind
		said                        string // with its severity
	}{
		{old, "", "sm_72", "12.4", 0, ""},
		{old, "", "sm_72", "", 0, ""},
		{old, "", "seventy", "12.4", diag.BadOption, "fatal: Unknown arch name 'seventy'"},
		{old, "", "sm_30", "12.4", diag.BadOption, "fatal: Value 'sm_30' is not defined for option 'arch'"},
		{old, "", "sm_75", "12.4", diag.WrongArch, "fatal: Input file 'a.cubin' arch does not match target 'sm_75'"},
		{old, "file 20 + 1", "sm_72", "12.4", diag.WrongToolkit, "fatal: Input file 'a.cubin' newer than toolkit (125 vs 124)"},
		{old, "", "sm_72", "9.9", diag.BadOption, "fatal: Value '9.9' is not defined for option 'toolkit'"},
		{old, "file 20 + 876", "sm_72", "", diag.WrongToolkit, "fatal: Input file 'a.cubin' newer than toolkit (1000 vs 135)"},
		{old, "file 8 + 1", "sm_72", "12.4", diag.WrongToolkit, "fatal: Input file 'a.cubin' abi does not match"},
		{old, "file 48 ^ 1024", "sm_72", "12.4", diag.WrongToolkit, "warning: expected 64bit object 'a.cubin' to have EF_CUDA_64BIT_ADDRESS set"},
		{old, "file 16 + 65279", "sm_72", "12.4", 0, ""},
		{old, "file 16 + 65279; file 20 + 18446744073709551615", "sm_72", "12.4", diag.WrongToolkit, "fatal: linking with -ewp objects requires using current toolkit"},
		{ninety, "", "sm_90", "11.8", 0, ""},
		{ninety, "", "sm_90", "12.4", diag.WrongToolkit, "fatal: Input file 'a.cubin' must be recompiled with toolkit >= Cuda 12.0"},
		{new90, "", "sm_90a", "13.0", 0, ""},
		{new90, "", "sm_90a", "13.5", 0, ""},
		{new90, "", "sm_90a", "12.4", diag.WrongArch, "fatal: Input file 'a.cubin' arch does not match target 'sm_90a'"},
		{new90, "", "sm_90", "13.5", diag.WrongArch, "fatal: cannot link accelerated arch to non-accelerated"},
		{new90, "file 8 + 1", "sm_90a", "13.0", diag.WrongToolkit, "fatal: Input file 'a.cubin' abi does not match"},
		{new90, "", "sm_100", "13.0", diag.WrongArch, "fatal: Input file 'a.cubin' arch does not match target 'sm_100'"},
		{merc, "", "sm_100", "13.0", 0, ""},
		{merc, "", "sm_103", "13.0", 0, ""},
	} {
		data := object(t, c.object)
		if c.edit != "" {
			if err := corpus.Edit(data, c.edit); err != nil {
				t.Fatal(err)
			}
		}
		l, err := Open([]Input{{Name: "a.cubin", Data: data}}, &Options{Arch: c.arch, Toolkit: c.toolkit})
		got := diag.Diagnostic{}
		var refused *diag.LinkError
		said := ""
		switch {
		case errors.As(err, &refused):
			got = refused.Diags[len(refused.Diags)-1]
			said = "fatal: " + got.Text
		case err != nil:
			said = err.Error()
		case len(l.Diags) > 0:
			got = l.Diags[len(l.Diags)-1]
			said = "warning: " + got.Text
		}
		if said != c.said || got.Kind != c.kind || strings.Contains(c.said, "'a.cubin'") && got.File != "a.cubin" {
			t.Errorf("%s, %s for %s as %s: kind %d, file %q, %q; want kind %d, %q", c.object, c.edit, c.arch, c.toolkit, got.Kind, got.File, said, c.kind, c.said)
		}
	}
}

// Files that are no relocatable objects.
func TestFrames(t *testing.T) {
	data := object(t, "calls/12.4-sm_72")
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	sections := uint64(f.NumSections())
	linked := bytes.Clone(data)
	linked[16] = 2
	bare := bytes.Clone(data)
	for i := range f.NumSections() {
		if f.Section(i).Type == 2 {
			bare[f.Header.ShOff+uint64(i)*64+4] = 1
		}
	}
	for _, c := range []struct {
		data []byte
		want cubin.Error
	}{
		{linked, cubin.Error{Kind: cubin.BadHeader, File: "a.cubin", Offset: 16, Value: 2, Detail: "cubin not relocatable"}},
		{bare, cubin.Error{Kind: cubin.BadTable, File: "a.cubin", Value: sections, Detail: "symsec not found"}},
	} {
		_, err := Open([]Input{{Name: "a.cubin", Data: c.data}}, &Options{Arch: "sm_72", Toolkit: "12.4"})
		var fault *cubin.Error
		if !errors.As(err, &fault) || *fault != c.want {
			t.Errorf("%v, want %v", err, &c.want)
		}
	}
	_, err = Open(nil, &Options{Arch: "sm_72"})
	var none *diag.LinkError
	if !errors.As(err, &none) || none.Diags[0].Kind != diag.NoInput {
		t.Errorf("no inputs: %v", err)
	}
	if l, err := Open(nil, &Options{Arch: "sm_72", Empty: true}); err != nil || len(l.Files) != 0 || l.Budget != 64<<20 {
		t.Errorf("no inputs, which are allowed: %v", err)
	}
}

// Code is for an accelerated target where the header of up to 12.9 says so, or the first such record of .nv.compat.
func TestIsAccelerated(t *testing.T) {
	accelerated := func(value uint16) cubin.InfoRecord {
		return cubin.InfoRecord{Format: cuda.FormatByte, Attr: cuda.InfoAttr(cuda.CompatAcceleratorTarget), Value: value}
	}
	other := cubin.InfoRecord{Format: cuda.FormatByte, Attr: cuda.InfoAttr(cuda.CompatISAClass), Value: 1}
	for _, c := range []struct {
		id   string
		list []cubin.InfoRecord // of .nv.compat, nil: as it is
		want bool
	}{
		{"calls/13.0-sm_90a", nil, true}, {"calls/13.0-sm_100", nil, false}, {"calls/12.4-sm_72", nil, false},
		{"calls/13.0-sm_100", []cubin.InfoRecord{}, false}, {"calls/13.0-sm_100", []cubin.InfoRecord{other, accelerated(1)}, true}, {"calls/13.0-sm_100", []cubin.InfoRecord{accelerated(0)}, false},
		{"calls/13.0-sm_100", []cubin.InfoRecord{accelerated(0), accelerated(1)}, false}, {"calls/13.0-sm_100", []cubin.InfoRecord{other}, false},
	} {
		d, err := cubin.Decode("a.cubin", object(t, c.id))
		if err != nil {
			t.Fatal(err)
		}
		if c.list != nil {
			err = errors.Join(d.SetInfo(d.Lookup(".nv.compat"), c.list), d.Layout())
		}
		data, err2 := d.Encode()
		f, err3 := cubin.Open("a.cubin", data)
		if err = errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		if got := isAccelerated(f); got != c.want {
			t.Errorf("%s, %v: %v", c.id, c.list, got)
		}
	}
}
