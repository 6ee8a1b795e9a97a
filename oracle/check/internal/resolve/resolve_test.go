package resolve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// bindings are those of the letters in a text of symbols.
var bindings = map[byte]cuda.Binding{'S': cuda.STBGlobal, 'W': cuda.STBWeak, 'L': cuda.STBLocal}

// imageOf is a file of symbols as a text has them, each with a section of its own:
//
//	f=W1     a function, weak, whose code is sixteen times "1"
//	f=W1:40  so, with 40 registers
//	v=S1:8   a variable of eight bytes (names from v on), v=Z8 one without bytes, v=K1:8 a constant
//	v=C8:16  a common one of eight bytes aligned to sixteen
//	f=U v=U  undefined, v=w undefined and weak
func imageOf(t *testing.T, name, text string) *image.Image {
	t.Helper()
	f := &image.Image{Name: name, Sections: []image.Section{{}}, Symbols: []image.Symbol{{}}}
	for field := range strings.FieldsSeq(text) {
		name, what, _ := strings.Cut(field, "=")
		value, number, _ := strings.Cut(what[1:], ":")
		n := uint64(0)
		fmt.Sscan(number, &n)
		s := image.Symbol{Index: len(f.Symbols), Name: name}
		function := name[0] < 'v'
		kind := cuda.STTObject
		if function {
			kind = cuda.STTFunc
		}
		bind, defined := bindings[what[0]]
		switch {
		case what[0] == 'U', what[0] == 'w':
			if bind = cuda.STBGlobal; what[0] == 'w' {
				bind = cuda.STBWeak
			}
		case what[0] == 'C':
			bind, s.Special, s.Shndx, s.Value = cuda.STBGlobal, true, cuda.SHNCommon, n
			fmt.Sscan(value, &s.Size)
		case what[0] == 'Z', what[0] == 'K':
			bind, defined = cuda.STBGlobal, true
		}
		if defined {
			section := image.Section{Index: len(f.Sections), Name: ".text." + name, Kind: cuda.SHTProgbits, Flags: cuda.SHFAlloc | cuda.SHFExec, Align: 1, Size: 16}
			section.Info = uint32(s.Index) | uint32(n)<<24
			if !function {
				section.Name, section.Kind, section.Flags, section.Info, section.Size = ".nv.global.init."+name, cuda.SHTCudaGlobalInit, cuda.SHFAlloc, 0, n
			}
			section.Body = []byte(strings.Repeat(value+"0", 16))[:section.Size]
			switch what[0] {
			case 'Z':
				fmt.Sscan(value, &section.Size)
				section.Kind, section.Body = cuda.SHTCudaGlobal, nil
			case 'K':
				section.Kind = cuda.SHTCudaConstant0 + 3
			}
			s.Shndx, s.Size = section.Index, section.Size
			f.Sections = append(f.Sections, section)
		}
		s.Info = byte(kind) | byte(bind)<<4
		f.Symbols = append(f.Symbols, s)
	}
	return f
}

// resolved is a link of inputs, and of an output that has some of their definitions.
func resolved(t *testing.T, release oracle.Release, output string, inputs ...string) *Resolved {
	t.Helper()
	out := imageOf(t, "output", output)
	c := &Resolved{Link: &link.Link{Release: release, SM: 80, Budget: image.NewBudget(1 << 20), Out: &link.Output{Image: out, ListsOf: map[int][]int{}}}}
	for n, text := range inputs {
		f := imageOf(t, fmt.Sprint("m", n), text)
		m := &link.Module{Image: f, Number: n, Refs: make([]link.Ref, len(f.Symbols)), Bodies: map[int]*link.Body{}, Losers: map[int][]*image.Symbol{}, Accepted: map[int]bool{}, Silent: map[*link.Identity]bool{}, RelocsOf: map[int][]int{}}
		for i := range f.Sections {
			if s := &f.Sections[i]; link.IsCode(s) {
				m.Bodies[i] = &link.Body{Mod: m, Section: s}
			}
		}
		c.Modules = append(c.Modules, m)
	}
	return c
}

// names say for each identity which module defines it, and more: s several definitions, t counterpart, c a common one of so many bytes
// and so aligned. Then come the modules' definitions that stand aside: - lost, ~ replaced, x a variable that lost, ! silent.
func names(c *Resolved) string {
	var b strings.Builder
	for _, id := range c.IDs {
		fmt.Fprintf(&b, "%s:", id.Name)
		if id.Mod != nil {
			fmt.Fprint(&b, id.Mod.Number)
		}
		if id.Several {
			b.WriteString("s")
		}
		if id.Duplicate {
			b.WriteString("t")
		}
		if id.Common {
			fmt.Fprintf(&b, "c%d/%d", id.Size, id.Align)
		}
		b.WriteString(" ")
	}
	for _, m := range c.Modules {
		var list []string
		for _, body := range m.Bodies {
			if mark := map[any]string{link.Lost: "-", link.Replaced: "~"}[body.Disposition]; mark != "" {
				list = append(list, mark+strings.TrimPrefix(body.Section.Name, ".text."))
			}
		}
		for _, of := range m.Losers {
			for _, s := range of {
				list = append(list, "x"+s.Name)
			}
		}
		for id := range m.Silent {
			list = append(list, "!"+id.Name)
		}
		slices.Sort(list)
		fmt.Fprintf(&b, "%d%s ", m.Number, strings.Join(list, ""))
	}
	return strings.TrimSpace(b.String())
}

// TestResolve: strong beats weak, whichever comes first; of weak ones that counts which the output has, and else nvlink's
// choice; two strong ones are reported.
func TestResolve(t *testing.T) {
	for i, x := range []struct {
		output string
		inputs []string
		want   string
		told   string
	}{
		{"f=S1", []string{"f=S1"}, "f:0 0", ""},
		{"f=S1", []string{"f=U", "f=S1"}, "f:1 0 1", ""},
		{"f=S1", []string{"f=U", "f=U"}, "f: 0 1", ""},
		{"f=S1", []string{"f=S1", "f=W2"}, "f:0s 0 1!f-f", ""},
		{"f=S1", []string{"f=W2", "f=S1"}, "f:1s 0~f 1", ""},
		{"f=S1", []string{"f=S1", "f=S2"}, "f:0s 0 1!f-f", "inputs.conflict f m1"},
		{"f=W1", []string{"f=W1", "f=W2"}, "f:0s 0 1!f-f", ""},
		{"f=W2", []string{"f=W1", "f=W2"}, "f:1s 0~f 1", "habit f m1"},
		{"f=W3", []string{"f=W1", "f=W2"}, "f:0s 0 1!f-f", ""},
		{"f=W3", []string{"f=W1", "f=W2", "f=W3"}, "f:2s 0~f 1!f-f 2", "habit f m2"},
		{"", []string{"f=W1:40", "f=W2:30", "f=W3:30"}, "f:1s 0~f 1 2!f-f", ""},
		{"f=W1", []string{"f=W1:40", "f=W2:30"}, "f:0s 0 1!f-f", "habit f m0"},
		{"f=W1", []string{"f=W1:40", "f=W1:30"}, "f:1s 0~f 1", ""}, // alike: the one that nvlink takes
		{"f=S3", []string{"f=W1", "f=W3", "f=S3"}, "f:2s 0~f 1!f-f 2", ""},
		{"f=L1 f=L2", []string{"f=L1", "f=L2"}, "f:0 f:1 0 1", ""},
		{"f=L1 f=L1", []string{"f=L1", "f=L1", "g=L1"}, "f:0t f:1t g:2 0 1 2", ""},
		{"f=S1", []string{"f=L2", "f=S1", "f=U"}, "f:0 f:1 0 1 2", ""},

		{"v=S1:8", []string{"v=S1:8", "v=U"}, "v:0 0 1", ""},
		{"v=S1:8", []string{"v=w", "v=S1:8"}, "v:1 0 1", ""},
		{"v=S1:8", []string{"v=S1:8", "v=W1:8"}, "v:0s 0 1xv", ""},
		{"v=S1:8", []string{"v=W1:8", "v=S1:8"}, "v:1s 0xv 1", ""},
		{"v=S1:8", []string{"v=S1:8", "v=S1:8"}, "v:0s 0 1xv", "inputs.conflict v m1"},
		{"v=S1:8", []string{"v=W1:8", "v=S1:12"}, "v:0s 0 1", "inputs.conflict v m1"},
		{"v=W1:8", []string{"v=W1:8", "v=W2:8"}, "v:0s 0 1xv", ""},
		{"v=W2:8", []string{"v=W1:8", "v=W2:8"}, "v:1s 0xv 1", "habit v m1"},
		{"v=W2:8", []string{"v=W1:8", "v=W2:8", "v=W2:8"}, "v:1s 0xv 1 2xv", "habit v m1"},
		{"v=S1:8", []string{"v=W2:8", "v=W1:8", "v=S1:8"}, "v:2s 0xv 1xv 2", ""},
		{"v=L1:8 v=L1:8", []string{"v=L1:8", "v=L1:8"}, "v:0 v:1 0 1", ""},

		{"v=C8:8", []string{"v=C8:8", "v=C16:4"}, "v:c16/8 0 1", ""},
		{"v=C8:8", []string{"v=C4:4", "v=C2:16"}, "v:c4/16 0 1", ""},
		{"v=S1:8", []string{"v=C8:8", "v=S1:8"}, "v:1 0 1", ""},
		{"v=S1:8", []string{"v=S1:8", "v=C8:8"}, "v:0 0 1", ""},
		{"v=Z8", []string{"v=C8:8", "v=Z8"}, "v:c8/8 0 1xv", ""}, // it keeps its own room
		{"v=Z8", []string{"v=Z8", "v=C8:8"}, "v:0 0 1", ""},
		{"v=K1:8", []string{"v=C8:8", "v=K1:8"}, "v:1 0 1", ""},
	} {
		c := resolved(t, 130, x.output, x.inputs...)
		if err := c.Resolve(); err != nil {
			t.Fatal(i, err)
		}
		var told []string
		for _, f := range c.Verdict.Findings {
			told = append(told, fmt.Sprintf("%s %s %s", f.Kind, f.Symbol, f.File))
		}
		for _, f := range c.Verdict.Remarks {
			told = append(told, fmt.Sprintf("habit %s %s", f.Symbol, f.File))
		}
		if got := names(c); got != x.want || strings.Join(told, "; ") != x.told {
			t.Errorf("%d: %v: %q %q, want %q %q", i, x.inputs, got, told, x.want, x.told)
		}
		for _, m := range c.Modules {
			for k, r := range m.Refs {
				s := &m.Symbols[k]
				if k > 0 && (r.ID == nil || r.ID.Name != s.Name || r.ID.Local != (s.Bind() == cuda.STBLocal) || !r.ID.Local && c.Names[s.Name] != r.ID) {
					t.Errorf("%d: symbol %d of %s stands for %v", i, k, m.Name, r.ID)
				}
				if k > 0 && r.ID != nil && r.ID.Mod == m && (r.ID.Def != s || r.ID.Size != s.Size || r.ID.Info != s.Info || r.ID.File != m.Name || !m.Accepted[s.Shndx]) {
					t.Errorf("%d: %s is not as %s defines it: %+v", i, s.Name, m.Name, r.ID)
				}
				if k > 0 && s.Kind() == cuda.STTFunc && r.ID != nil && r.ID.Mod == m && (r.ID.Code != m.Bodies[s.Shndx] || !slices.Contains(r.ID.Code.Names, r.ID) || r.ID.Code.Owner != r.ID) {
					t.Errorf("%d: the code of %s is not that of %s", i, s.Name, m.Name)
				}
			}
		}
		for k, id := range c.IDs {
			if id.Order != k || id.Mod == nil != (id.Def == nil) || id.Def != nil && id.Defined < id.Mentioned {
				t.Errorf("%d: %d. is %+v", i, k, id)
			}
		}
	}
}

// TestMentions: what undefined names are, by release.
func TestMentions(t *testing.T) {
	const reserved = ".nv.reservedSmem.x"
	for i, x := range []struct {
		release oracle.Release
		name    string
		bind    cuda.Binding
		early   bool
		info    byte
	}{
		{118, reserved, cuda.STBGlobal, true, 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject)},
		{119, reserved, cuda.STBGlobal, false, 16*byte(cuda.STBGlobal) + byte(cuda.STTObject)},
		{118, ".nv.surfrefDescSize", cuda.STBWeak, true, 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject)},
		{118, ".nv.unified.texrefDescSize", cuda.STBWeak, true, 16*byte(cuda.STBWeak) + byte(cuda.STTCudaObject)},
		{124, ".nv.unified.texrefDescSize", cuda.STBWeak, false, 16*byte(cuda.STBWeak) + byte(cuda.STTObject)},
		{118, "v", cuda.STBGlobal, false, 16*byte(cuda.STBGlobal) + byte(cuda.STTObject)},
		{118, "v", cuda.STBWeak, false, 16*byte(cuda.STBWeak) + byte(cuda.STTObject)},
	} {
		c := resolved(t, x.release, "", "v=U")
		s := &c.Modules[0].Symbols[1]
		s.Name, s.Info, s.Value = x.name, 16*byte(x.bind)+byte(cuda.STTObject), 7
		if err := c.Resolve(); err != nil || len(c.IDs) != 1 {
			t.Fatal(err, len(c.IDs))
		}
		if id := c.IDs[0]; id.Early != x.early || id.Info != x.info || id.Foreign != 7 || id.Def != nil {
			t.Errorf("%d: %+v", i, id)
		}
	}
	for i, x := range []struct {
		text  string
		early bool
	}{{"v=W1:8", true}, {"v=S1:8", false}, {"v=L1:8", true}, {"f=W1", true}, {"f=S1", false}} {
		c := resolved(t, 130, "", x.text)
		if err := c.Resolve(); err != nil || c.IDs[0].Early != x.early || c.IDs[0].Foreign != 0 {
			t.Errorf("%d: %v %+v", i, err, c.IDs[0])
		}
	}
}

// TestNameless: a function without a name that nothing defines stands for nothing.
func TestNameless(t *testing.T) {
	c := resolved(t, 124, "", "f=U g=U", "g=U h=S1")
	c.Modules[0].Symbols[1].Name = ""
	if err := c.Resolve(); err != nil {
		t.Fatal(err)
	}
	if c.Modules[0].Refs[1].ID != nil || len(c.IDs) != 2 || !c.Modules[0].Nameless || c.Modules[1].Nameless || c.nameless != 1 {
		t.Errorf("%d names, %t %t, %d", len(c.IDs), c.Modules[0].Nameless, c.Modules[1].Nameless, c.nameless)
	}
}

// TestOutsideCode: a function in a section that is no code is reported.
func TestOutsideCode(t *testing.T) {
	c := resolved(t, 130, "", "f=S1")
	delete(c.Modules[0].Bodies, 1)
	if err := c.Resolve(); err != nil || len(c.Verdict.Findings) != 1 || c.Verdict.Findings[0].Kind != verdict.InputConflict {
		t.Errorf("%v %v", err, c.Verdict.Findings)
	}
}
