package reduce

import (
	"bytes"
	"context"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
)

// sample is a link of several modules with options.
func sample(t *testing.T) *Case {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for i := range cases {
		if c := &cases[i]; c.Program == "calls" && c.Complete() && len(c.Inputs) > 1 {
			n := &Case{Release: c.Release, Options: []string{"-arch=" + c.Arch, "-g", "-v"}}
			for _, in := range c.Inputs {
				n.Inputs = append(n.Inputs, File{in.Name, in.Data})
			}
			return n
		}
	}
	t.Fatal("no case of calls")
	return nil
}

// has makes a key of a name that some input has.
func has(name string) Key {
	return func(_ context.Context, c *Case) string {
		for _, in := range c.Inputs {
			d, err := cubin.Decode(in.Name, in.Data)
			if err != nil {
				return "broken"
			}
			syms, err := d.Symbols(d.Symtab())
			if err != nil {
				return "broken"
			}
			for i := range syms {
				if syms[i].Name == name {
					return "has " + name
				}
			}
		}
		return ""
	}
}

// Of a link with one thing that counts that thing is left, and little else.
func TestReduce(t *testing.T) {
	c := sample(t)
	d, err := cubin.Decode("m", c.Inputs[1].Data)
	if err != nil {
		t.Fatal(err)
	}
	syms, err := d.Symbols(d.Symtab())
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	for i := range syms {
		if syms[i].Type() == 2 && syms[i].Shndx != 0 {
			name = syms[i].Name
		}
	}
	key := has(name)
	small, stats := Reduce(t.Context(), c, key, 2000)
	if got := key(t.Context(), small); got != "has "+name {
		t.Fatalf("the key is %q", got)
	}
	if len(small.Inputs) != 1 || len(small.Options) != 1 || 3*small.Size() > len(c.Inputs[1].Data) || stats.Kept == 0 {
		t.Errorf("%d inputs, options %v, %d of %d bytes, %+v", len(small.Inputs), small.Options, small.Size(), c.Size(), stats)
	}
}

// A case without a key, or with another each time, is returned as it is.
func TestReduceNothing(t *testing.T) {
	c := sample(t)
	n := 0
	for _, key := range []Key{has("no such name"), func(context.Context, *Case) string { n++; return string(rune('a' + n)) }} {
		if got, _ := Reduce(t.Context(), c, key, 100); got != c {
			t.Error("it is reduced")
		}
	}
}

func TestSave(t *testing.T) {
	c := sample(t)
	dir := t.TempDir()
	if err := c.Save(dir, "why"); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil || got.Hash() != c.Hash() || !bytes.Equal(got.Inputs[0].Data, c.Inputs[0].Data) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder is a case")
	}
}
