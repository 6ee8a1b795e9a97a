package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/hostelf"
)

// member is a file of an archive, under a name as it is in the header.
type member struct {
	name string
	data []byte
}

// archive writes members one after the other, as ar does.
func archive(list ...member) []byte {
	b := []byte("!<arch>\n")
	for _, m := range list {
		b = fmt.Appendf(b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", m.name, 0, 0, 0, 0o644, len(m.data))
		b = append(b, m.data...)
		if len(m.data)%2 == 1 {
			b = append(b, '\n')
		}
	}
	return b
}

// fatbin wraps a cubin as fatbinary does, uncompressed: the container's header, the member's, the file.
func fatbin(data []byte, sm uint32) []byte {
	padded := append(slices.Clone(data), make([]byte, -len(data)&7)...)
	b := make([]byte, 16+64, 16+64+len(padded))
	put := func(at, size int, v uint64) {
		for i := range size {
			b[at+i] = byte(v >> (8 * i))
		}
	}
	put(0, 4, 0xba55ed50)
	put(4, 2, 1)
	put(6, 2, 16)
	put(8, 8, uint64(64+len(padded)))
	put(16, 2, 2)
	put(18, 2, 0x101)
	put(20, 4, 64)
	put(24, 8, uint64(len(padded)))
	put(16+28, 4, uint64(sm))
	put(16+40, 8, 0x11)
	return append(b, padded...)
}

// object is a host object with device code, as nvcc -dc and the host's assembler make it.
func object(module string, code []byte) []byte {
	return hostelf.Encode(hostelf.Object, hostelf.Section{Name: "__nv_relfatbin", Data: code},
		hostelf.Section{Name: ".nvFatBinSegment", Data: make([]byte, 24)}, hostelf.Section{Name: "__nv_module_id", Data: []byte(module + "\x00")})
}

// losses links a program as files, and as archives; of an archive nothing may be lost silently.
func (s *search) losses(ctx context.Context, q *fuzz.Question) (wrong []string) {
	first := s.ask(ctx, q.Release, q.Inputs, slices.Concat(q.Args, names(q.Inputs)), nil, nil, "files")
	if !first.linked() {
		return nil
	}
	var fats, bare, cubins []member
	for i, in := range q.Inputs {
		f, err := cubin.Open(in.Name, in.Data)
		if err != nil {
			return nil
		}
		fat := fatbin(in.Data, uint32(f.Header.SM()))
		fats = append(fats, member{fmt.Sprintf("m%d.o/", i), object(fmt.Sprintf("_m%d", i), fat)})
		bare = append(bare, member{fmt.Sprintf("m%d.fatbin/", i), fat})
		cubins = append(cubins, member{fmt.Sprintf("m%d.cubin/", i), in.Data})
	}
	with := func(change func([]member) []member) []byte { return archive(change(slices.Clone(fats))...) }
	renamed := func(name func(i int) string) func([]member) []member {
		return func(list []member) []member {
			for i := range list {
				list[i].name = name(i)
			}
			return list
		}
	}
	text := member{"README/", []byte("text")}
	for _, form := range []struct {
		what string
		data []byte
	}{
		{"objects", with(func(l []member) []member { return l })},
		{"names without a slash, as BSD's ar", with(renamed(func(i int) string { return fmt.Sprintf("m%d.o", i) }))},
		{"members of one name", with(renamed(func(int) string { return "m.o/" }))},
		{"members without a name", with(renamed(func(int) string { return "" }))},
		{"an empty table of symbols first", with(func(l []member) []member { return append([]member{{"/", make([]byte, 4)}}, l...) })},
		{"a 64-bit table of symbols first", with(func(l []member) []member { return append([]member{{"/SYM64/", make([]byte, 8)}}, l...) })},
		{"a text first", with(func(l []member) []member { return append([]member{text}, l...) })},
		{"a text last", with(func(l []member) []member { return append(l, text) })},
		{"an empty member first", with(func(l []member) []member { return append([]member{{"empty/", nil}}, l...) })},
		{"an empty member between", with(func(l []member) []member { return slices.Insert(l, len(l)/2, member{"empty/", nil}) })},
		{"a member of odd size first", with(func(l []member) []member { l[0].data = append(slices.Clone(l[0].data), 0); return l })},
		{"bytes behind an object", with(func(l []member) []member { l[0].data = append(slices.Clone(l[0].data), "behind it"...); return l })},
		{"an object twice", with(func(l []member) []member { return append(l, l[0]) })},
		{"bare fatbinaries", archive(bare...)},
		{"bare cubins", archive(cubins...)},
		{"an archive in an archive", archive(member{"in.a/", archive(fats...)})},
		{"a table of long names", with(func(l []member) []member {
			l = renamed(func(i int) string { return fmt.Sprintf("/%d", 22*i) })(l)
			return append([]member{{"//", []byte(strings.Repeat("a_rather_long_name.o/\n", len(l)))}}, l...)
		})},
		{"names in front of members, as BSD's ar", with(func(l []member) []member {
			for i := range l {
				l[i].data = append([]byte("a_longer_name_of_24_byte"), l[i].data...)
				l[i].name = "#1/24"
			}
			return l
		})},
	} {
		if w := s.lost(ctx, q, &first, form.what, engine.Input{Name: "libp.a", Data: form.data}); w != "" {
			wrong = append(wrong, w)
		}
	}
	return wrong
}

// lost links an archive and says what is missing of what the files gave, where nothing was said.
func (s *search) lost(ctx context.Context, q *fuzz.Question, first *answer, what string, file engine.Input) string {
	a := s.ask(ctx, q.Release, []engine.Input{file}, append(slices.Clone(q.Args), file.Name), nil, nil, "archive")
	switch {
	case a.exit < 0:
		return what + ": it dies"
	case a.exit != 0, bytes.Contains([]byte(a.text), []byte("warning")), bytes.Contains([]byte(a.text), []byte("error")):
		return ""
	}
	have := kernels(a.image)
	var gone []string
	for _, k := range kernels(first.image) {
		if !slices.Contains(have, k) {
			gone = append(gone, k)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: success, and of %d kernels %d are missing", what, len(have)+len(gone), len(gone))
}

// kernels are the names of the entry functions of an image.
func kernels(image []byte) (list []string) {
	f, err := cubin.Open("image", image)
	if err != nil || f.Symtab() == nil {
		return nil
	}
	t := f.Symtab()
	for i := 1; i < t.Len(); i++ {
		if s, ok := t.At(i); ok && s.Info&15 == byte(cuda.STTFunc) && s.Other&0x10 != 0 {
			list = append(list, t.Name(&s))
		}
	}
	return list
}
