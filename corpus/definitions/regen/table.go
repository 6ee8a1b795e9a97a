package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus/definitions"
)

// stands reads from an output whose definition x is: the side whose number its
// code or data holds.
func stands(image []byte) string {
	image = bytes.Clone(image)
	if len(image) > 24 {
		binary.LittleEndian.PutUint32(image[20:], uint32(elf.EV_CURRENT)) // releases before 13.0 have theirs there
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return ""
	}
	symbols, err := f.Symbols()
	if err != nil {
		return ""
	}
	for _, s := range symbols {
		if s.Name != "x" || s.Section == elf.SHN_UNDEF || int(s.Section) >= len(f.Sections) || elf.ST_BIND(s.Info) == elf.STB_LOCAL {
			continue
		}
		sec := f.Sections[s.Section]
		data, err := sec.Data()
		if err != nil || s.Value >= uint64(len(data)) {
			return ""
		}
		data = data[s.Value:min(s.Value+s.Size, uint64(len(data)))]
		for at := 0; at+4 <= len(data); at += 4 {
			for side := range 3 {
				if binary.LittleEndian.Uint32(data[at:]) == uint32(0x11*(side+1)) {
					return string(rune('a' + side))
				}
			}
		}
	}
	return ""
}

// outcome is an answer in the words of the tables.
func outcome(a definitions.Answer) string {
	switch {
	case a.Exit < 0:
		return fmt.Sprintf("nvlink ends by signal %d", -a.Exit)
	case a.Exit == 0 && a.Stands != "":
		return map[string]string{"a": "the first stands", "b": "the second stands", "c": "the third stands"}[a.Stands]
	case a.Exit == 0:
		return "linked"
	}
	var list []string
	for line := range strings.Lines(a.Stderr) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		text, _, _ = strings.Cut(text, " for 'x'")
		text, _, _ = strings.Cut(text, " in '")
		text = strings.TrimSpace(strings.ReplaceAll(text, "'x'", "x"))
		if text != "merge_elf failed" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return "refused: " + strings.Join(list, "; ")
}

// table is docs/definitions.md.
func table(answers map[string]definitions.Answer) string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("## The ways\n\n| way | in PTX |\n|---|---|\n")
	for _, w := range definitions.Ways() {
		fmt.Fprintf(&b, "| %s | `%s` |\n", w.Name, w.Text)
	}
	b.WriteString("\n## Pairs\n\nThe first input defines the name as the first column says, the second as the third.\n" +
		"Where releases or architectures differ, they are named.\n\n| first | what nvlink does | second |\n|---|---|---|\n")
	for _, first := range definitions.Ways() {
		rows := make(map[string][]string)
		var order []string
		for _, second := range definitions.Ways() {
			for _, line := range outcomes(answers, first, second) {
				if rows[line] == nil {
					order = append(order, line)
				}
				rows[line] = append(rows[line], second.Name)
			}
		}
		for _, line := range order {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", first.Name, line, strings.Join(rows[line], ", "))
		}
	}
	b.WriteString("\n## Attributes\n\nPairs of a group for which an attribute changes the outcome of the plain pair.\n\n" +
		"| release, architecture | options | first | second | plain | with it |\n|---|---|---|---|---|---|\n")
	for _, q := range definitions.Questions() {
		a, ok := answers[q.ID()]
		if !ok || len(q.Objects) != 2 {
			continue
		}
		plain, ok := answers[plainOf(q)]
		if !ok || outcome(plain) == outcome(a) {
			continue
		}
		fmt.Fprintf(&b, "| %s, %s | %s | %s | %s | %s | %s |\n", q.Release, q.Arch, strings.Join(q.Options, " "), short(q, 0), short(q, 1), outcome(plain), outcome(a))
	}
	return b.String()
}

// short is an object's key without what the question says already.
func short(q definitions.Question, i int) string {
	return strings.TrimPrefix(q.Objects[i], q.Release+"/"+q.Arch+"/")
}

// plainOf is the ID of a pair's question without options and attributes.
func plainOf(q definitions.Question) string {
	plain := definitions.Question{Release: q.Release, Arch: q.Arch}
	for i := range q.Objects {
		key := short(q, i)
		key = strings.TrimSuffix(strings.TrimPrefix(key, "-r("), ")")
		key = key[strings.LastIndex(key, "/")+1:]
		key, _, _ = strings.Cut(key, ",")
		plain.Objects = append(plain.Objects, q.Release+"/"+q.Arch+"/"+key)
	}
	return plain.ID()
}

// outcomes are what the releases do with a pair: one line where all agree.
func outcomes(answers map[string]definitions.Answer, first, second definitions.Way) []string {
	by := make(map[string][]string)
	var order []string
	for _, m := range definitions.Machines() {
		q := definitions.Question{Release: m[0], Arch: m[1], Objects: []string{m[0] + "/" + m[1] + "/" + first.Name + ".a", m[0] + "/" + m[1] + "/" + second.Name + ".b"}}
		a, ok := answers[q.ID()]
		if !ok {
			continue
		}
		o := outcome(a)
		if by[o] == nil {
			order = append(order, o)
		}
		by[o] = append(by[o], m[0]+" "+m[1])
	}
	if len(order) < 2 {
		return order
	}
	var list []string
	for _, o := range order {
		list = append(list, o+" ("+strings.Join(by[o], ", ")+")")
	}
	return list
}

const preface = `# Two definitions of a name

What nvlink does where two inputs define or declare one name, as it answered. This file is made by
` + "`go run ./corpus/definitions/regen -update`" + `; the engine is held to the same answers, bytes and messages
included, by TestDefinitions of cmd/twinlink.

The rules that the answers show:

- Two strong definitions are refused; a strong one beats a weak one.
- Of two weak functions or kernels the one that needs fewer registers stands; of equal ones the one whose PTX was
  written for the higher ` + "`.target`" + `; then the first. What a later definition is compared with is the target of the
  input that brought the name, also after a replacement.
- Of two weak variables the first stands.
- A definition with data beats a tentative one (` + "`.common`" + `), which may not be larger; of tentative ones the largest counts.
- Spaces, the managed attribute, sizes and signatures have to agree; an array without bounds fits any size.
- A name that only one input knows (` + "`static`" + `) is another one, except for textures, surfaces and kernels: these are
  refused beside a static thing of another kind.
- Where nvlink ends by a signal, twinlink refuses the link.

`
