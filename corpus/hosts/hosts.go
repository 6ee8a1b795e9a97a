// Package hosts is a corpus of links as nvcc calls them: the programs of
// package corpus as host objects, one for each module, with a
// fatbinary, an identifier and the list of the kernels that the host refers to.
// The objects are made on the spot; recorded.json holds what nvlink of each
// release made of them, as checksums: the test asks nvlink again where it is
// installed.
package hosts

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Link is one link of host objects.
type Link struct {
	ID      string // program, release and target
	Release string
	Arch    string
	Files   []File
	Args    []string // what nvlink gets but for the release's own names of outputs
}

// File is an input.
type File struct {
	Name string
	Data []byte
}

// Outputs of every link.
const (
	Image    = "out.cubin"
	Register = "reg.c"
)

// All returns the links: of every recorded link of cubins without options.
func All() ([]Link, error) {
	sass, err := corpus.Links()
	if err != nil {
		return nil, err
	}
	both, err := corpus.Mercury()
	if err != nil {
		return nil, err
	}
	var all []Link
	seen := make(map[string]bool)
	for _, p := range append(sass, both...) {
		for _, c := range p.Cases {
			if !c.Complete() || !plain(&c) || seen[c.Release+c.ID()+c.Arch] {
				continue
			}
			seen[c.Release+c.ID()+c.Arch] = true
			l, err := wrap(&c, len(all))
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// plain reports whether a case has no option but target and output.
func plain(c *corpus.Case) bool {
	for _, a := range c.Args {
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "-arch") && a != "-o" {
			return false
		}
	}
	return c.Linked() && len(c.Inputs) > 0
}

// wrap makes host objects of a case's inputs. In a third of the links the last
// is in an archive, and in a fourth no object says what it refers to. In another
// fourth the host refers to variables, constants and LOCAL symbols as well, and half of
// these are linked with -use-host-info.
func wrap(c *corpus.Case, n int) (Link, error) {
	l := Link{ID: c.Release + " " + c.ID() + " " + c.Arch, Release: c.Release, Arch: c.Arch, Args: []string{"-arch=" + c.Arch}}
	for i, in := range c.Inputs {
		names, err := namesOf(in.Name, in.Data)
		if err != nil {
			return l, err
		}
		o := object{id: fmt.Sprintf("_%08x_%d_%s", n, i, strings.Map(letter, c.Program)), refers: n%4 != 3, names: map[string][]string{}}
		o.fatbin = fatbin(c.Arch, in.Data)
		for kind, list := range names {
			if kind != "KE" && n%4 != 1 {
				continue
			}
			for k, name := range list {
				switch k % 3 { // by name, by pattern, not at all
				case 0:
					o.names[kind] = append(o.names[kind], name)
				case 1:
					o.names[kind] = append(o.names[kind], name[:len(name)/2]+"*")
				}
			}
		}
		f := File{Name: fmt.Sprintf("m%d.o", i), Data: o.encode()}
		if i == len(c.Inputs)-1 && n%3 == 2 {
			f = File{Name: "libm.a", Data: archive(f.Name, f.Data)}
		}
		l.Files = append(l.Files, f)
		l.Args = append(l.Args, f.Name)
	}
	l.Args = append(l.Args, "--register-link-binaries="+Register, "-cpu-arch=X86_64")
	if n%8 == 1 && c.Release != "11.8" {
		l.Args = append(l.Args, "-use-host-info")
	}
	return l, nil
}

func letter(r rune) rune {
	if r == '-' || r == '.' {
		return '_'
	}
	return r
}

// namesOf lists what a cubin defines that a host can refer to, by the ends of the
// names of the host's sections: kernels, variables and constants, LOCAL ones apart.
func namesOf(name string, data []byte) (map[string][]string, error) {
	f, err := cubin.Open(name, data)
	if err != nil {
		return nil, err
	}
	t := f.Symtab()
	names := map[string][]string{}
	for i := 1; t != nil && i < t.Len(); i++ {
		s, ok := t.At(i)
		if !ok || s.Shndx == cuda.SHNUndef || int(s.Shndx) >= f.NumSections() {
			continue
		}
		kind := ""
		section := f.Section(int(s.Shndx))
		_, constant := cubin.ConstantBank(section.Type)
		switch {
		case s.Type() == cuda.STTFunc && s.Other&cuda.STOEntry != 0:
			kind = "K"
		case s.Type() != cuda.STTObject && s.Type() != cuda.STTCudaObject:
			continue
		case constant:
			kind = "C"
		case section.Type == cuda.SHTCudaGlobal || section.Type == cuda.SHTCudaGlobalInit:
			kind = "D"
		default:
			continue
		}
		if s.Binding() == cuda.STBLocal {
			kind += "I"
		} else {
			kind += "E"
		}
		names[kind] = append(names[kind], strings.Clone(t.Name(&s)))
	}
	return names, nil
}

// fatbin makes a fatbinary of one cubin, not compressed, as fatbinary does.
func fatbin(arch string, data []byte) []byte {
	le := binary.LittleEndian
	var sm uint32
	flags := uint64(0x11)
	digits := strings.TrimPrefix(arch, "sm_")
	for _, c := range digits {
		switch c {
		case 'a':
			flags |= 0x100000
		case 'f':
			flags |= 0x200000
		default:
			sm = sm*10 + uint32(c-'0')
		}
	}
	size := uint64(len(data)+7) &^ 7
	out := le.AppendUint32(nil, 0xba55ed50)
	out = le.AppendUint16(out, 1)
	out = le.AppendUint16(out, 16)
	out = le.AppendUint64(out, 64+size)
	head := make([]byte, 64)
	le.PutUint16(head, 2)
	le.PutUint16(head[2:], 0x101)
	le.PutUint32(head[4:], 64)
	le.PutUint64(head[8:], size)
	le.PutUint16(head[24:], 7)
	le.PutUint16(head[26:], 1)
	le.PutUint32(head[28:], sm)
	le.PutUint32(head[32:], 64)
	le.PutUint64(head[40:], flags)
	out = append(append(out, head...), data...)
	return append(out, make([]byte, size-uint64(len(data)))...)
}

// archive makes an archive of one member.
func archive(name string, data []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "!<arch>\n%-16s%-12d%-6d%-6d%-8o%-10d`\n", name+"/", 0, 0, 0, 0o644, len(data))
	b.Write(data)
	if len(data)%2 == 1 {
		b.WriteByte('\n')
	}
	return b.Bytes()
}
