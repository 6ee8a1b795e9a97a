package view_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/capsule/view"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

func open(t *testing.T, c *corpus.Capsule) (*capsule.Image, []byte) {
	t.Helper()
	data, err := c.Data()
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open(c.Name, data)
	if err != nil {
		t.Fatal(err)
	}
	return capsule.Open(f), data
}

// Every node, relocation and attribute of the corpus is shown.
func TestShow(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		m, _ := open(t, &list[i])
		f, err := view.Of(m, (*view.Disassembly)(nil).Words)
		if err != nil {
			t.Error(err)
			continue
		}
		var b bytes.Buffer
		if err := f.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		nodes, relocs := 0, 0
		for k := range f.Functions {
			nodes += len(f.Functions[k].Nodes)
			for n := range f.Functions[k].Nodes {
				relocs += len(f.Functions[k].Nodes[n].Relocs)
			}
		}
		want := 0
		for k := range m.Funcs {
			want += len(m.Funcs[k].Cap.Nodes)
		}
		if nodes != want || strings.Count(b.String(), "\n                   reloc   ") != relocs {
			t.Errorf("%s: %d nodes of %d, %d relocations", list[i].Name, nodes, want, relocs)
		}
	}
}

// nvdisasm's text is beside every instruction.
func TestDisassembly(t *testing.T) {
	set := nvidiatest.Need(t, "13.0", nvidia.Nvdisasm)
	tool, err := set.Tool("13.0", nvidia.Nvdisasm)
	if err != nil {
		t.Fatal(err)
	}
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range list {
		if i%40 != 0 || list[i].Release != "13.0" {
			continue
		}
		m, data := open(t, &list[i])
		res, err := tool.Run(context.Background(), nvidia.Job{Args: []string{"-c", "-hex", "-ndf", "a.cubin"}, Inputs: []nvidia.File{{Name: "a.cubin", Data: data}}})
		if err != nil || res.ExitCode != 0 {
			t.Fatalf("%s: %v, %s", list[i].Name, err, res.Message())
		}
		d, err := view.ParseDisassembly(m, res.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		f, err := view.Of(m, d.Words)
		if err != nil {
			t.Fatal(err)
		}
		for k := range f.Functions {
			for _, n := range f.Functions[k].Nodes {
				seen++
				for w := range n.Words {
					if n.Text == nil || n.Text[w] == "" {
						t.Fatalf("%s: %s: no text for word %d at 0x%x", list[i].Name, f.Functions[k].Name, w, n.SASS)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("nothing disassembled")
	}
}
