package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// edit puts bytes in the place of others, or cuts the file where data is nil.
type edit struct {
	input int
	at    int
	data  []byte
}

// trial is one link on which nvlink may die.
type trial struct {
	tool  *opponent
	args  []string
	from  string // the link of the corpus
	base  []engine.Input
	edits []edit
}

var bases = func() map[string]*corpus.Case {
	all := map[string]*corpus.Case{}
	list, err := corpus.Cases()
	if err != nil {
		panic(err)
	}
	programs, err := corpus.Mercury()
	if err != nil {
		panic(err)
	}
	for _, p := range programs {
		list = append(list, p.Cases...)
	}
	for i := range list {
		all[list[i].ID()] = &list[i]
	}
	return all
}()

// newTrial takes a question apart into the files of the corpus and what was changed.
func newTrial(tool *opponent, q *fuzz.Question) *trial {
	t := &trial{tool: tool, args: slices.Clone(q.Args), from: q.From[0]}
	for i, in := range bases[t.from].Inputs {
		t.base = append(t.base, engine.Input{Name: in.Name, Data: in.Data})
		data := q.Inputs[i].Data
		for at := 0; at < min(len(data), len(in.Data)); at++ {
			if data[at] == in.Data[at] {
				continue
			}
			end := at
			for end < min(len(data), len(in.Data)) && end < at+8 && data[end] != in.Data[end] {
				end++
			}
			t.edits = append(t.edits, edit{i, at, bytes.Clone(data[at:end])})
			at = end - 1
		}
		if len(data) < len(in.Data) {
			t.edits = append(t.edits, edit{i, len(data), nil})
		}
	}
	return t
}

func (t *trial) inputs(edits []edit) []nvidia.File {
	var files []nvidia.File
	for i, in := range t.base {
		data := bytes.Clone(in.Data)
		for _, e := range edits {
			switch {
			case e.input != i:
			case e.data == nil:
				data = data[:min(e.at, len(data))]
			default:
				copy(data[min(e.at, len(data)):], e.data)
			}
		}
		files = append(files, nvidia.File{Name: in.Name, Data: data})
	}
	return files
}

// die links and says how the linker died, "" where it didn't.
func (t *trial) die(ctx context.Context, edits []edit) string {
	return t.tool.die(ctx, t.args, t.inputs(edits))
}

// reduce takes back edits and omits inputs and options while nvlink dies in the same way.
func (t *trial) reduce(ctx context.Context, way string) {
	for size := len(t.edits) / 2; size > 0; size /= 2 {
		for at := 0; at < len(t.edits); {
			fewer := slices.Delete(slices.Clone(t.edits), at, min(at+size, len(t.edits)))
			if len(fewer) > 0 && t.die(ctx, fewer) == way {
				t.edits = fewer
			} else {
				at += size
			}
		}
	}
	for i := len(t.base) - 1; i >= 0 && len(t.base) > 1; i-- {
		if slices.ContainsFunc(t.edits, func(e edit) bool { return e.input == i }) {
			continue
		}
		n := *t
		n.base = slices.Delete(slices.Clone(t.base), i, i+1)
		n.edits = slices.Clone(t.edits)
		for k := range n.edits {
			if n.edits[k].input > i {
				n.edits[k].input--
			}
		}
		if n.die(ctx, n.edits) == way {
			*t = n
		}
	}
	for i := len(t.args) - 1; i >= 0; i-- {
		if strings.HasPrefix(t.args[i], "-arch") {
			continue
		}
		n := *t
		n.args = slices.Delete(slices.Clone(t.args), i, i+1)
		if n.die(ctx, n.edits) == way {
			*t = n
		}
	}
}

// signature is a way to die.
type signature struct {
	way, stage string
	fields     []string
	trial      *trial
	ours       string
}

func (t *trial) signature(ctx context.Context, way string) *signature {
	s := &signature{way: way, stage: "link", trial: t}
	early := *t
	if early.args = append(slices.Clone(t.args), "-r"); early.die(ctx, t.edits) == way && !slices.Contains(t.args, "-r") {
		s.stage = "read"
	}
	for _, e := range t.edits {
		if name := field(t.base[e.input].Data, e.at); !slices.Contains(s.fields, name) {
			s.fields = append(s.fields, name)
		}
	}
	slices.Sort(s.fields)
	q := fuzz.Question{Release: t.tool.release, Args: t.args}
	for _, f := range t.inputs(t.edits) {
		q.Inputs = append(q.Inputs, engine.Input{Name: f.Name, Data: f.Data})
	}
	s.ours = "links"
	if _, err := q.Link(); err != nil {
		s.ours, _, _ = strings.Cut(err.Error(), "\n")
	}
	return s
}

var unsafe = regexp.MustCompile(`[^A-Za-z0-9_.+-]+`)

func (s *signature) name() string {
	fields := s.fields
	if len(fields) > 2 {
		fields = append(fields[:2:2], "more")
	}
	return unsafe.ReplaceAllString(fmt.Sprintf("%s%s-%s-%s-%s", strings.TrimPrefix(s.trial.tool.name+"-", "nvlink-"), s.trial.tool.release, s.way, s.stage, strings.Join(fields, "+")), "_")
}

func (s *signature) text() string {
	t := s.trial
	text := fmt.Sprintf("%-9s %s\nends      %s\nstage     %s\nfields    %s\noptions   %s\nlink      %s\n", t.tool.name, t.tool.release, s.way, s.stage, strings.Join(s.fields, ", "), strings.Join(t.args, " "), t.from)
	for i, in := range t.base {
		text += fmt.Sprintf("input     %s\n", in.Name)
		for _, e := range t.edits {
			switch {
			case e.input != i:
			case e.data == nil:
				text += fmt.Sprintf("cut       %#x\n", e.at)
			default:
				text += fmt.Sprintf("put       %#x %s\n", e.at, hex.EncodeToString(e.data))
			}
		}
	}
	return text + "twinlink  " + s.ours + "\n"
}

var (
	headerFields  = map[int]string{4: "class", 5: "data", 6: "version", 7: "osabi", 8: "abiversion", 16: "type", 18: "machine", 20: "version", 24: "entry", 32: "phoff", 40: "shoff", 48: "flags", 52: "ehsize", 54: "phentsize", 56: "phnum", 58: "shentsize", 60: "shnum", 62: "shstrndx"}
	sectionFields = map[int]string{0: "name", 4: "type", 8: "flags", 16: "addr", 24: "offset", 32: "size", 40: "link", 44: "info", 48: "addralign", 56: "entsize"}
	symbolFields  = map[int]string{0: "name", 4: "info", 5: "other", 6: "shndx", 8: "value", 16: "size"}
)

func named(fields map[int]string, at int) string {
	for ; at >= 0; at-- {
		if name, ok := fields[at]; ok {
			return name
		}
	}
	return "?"
}

// field says what a byte of a file belongs to: "header.shoff", "section.size of .nv.info.F", "symbol.shndx", "content of .nv.callgraph".
func field(data []byte, at int) string {
	if at < 64 {
		return "header." + named(headerFields, at)
	}
	f, err := cubin.Open("base", data)
	if err != nil {
		return "file"
	}
	if rel := at - int(f.Header.ShOff); rel >= 0 && rel < 64*f.NumSections() {
		s := f.Section(rel / 64)
		return "section." + named(sectionFields, rel%64) + " of " + general(f.SectionName(&s))
	}
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if s.NoBits() || uint64(at) < s.Off || uint64(at) >= s.Off+s.Size {
			continue
		}
		rel := at - int(s.Off)
		switch {
		case cubin.IsSymbols(s.Type):
			return "symbol." + named(symbolFields, rel%24)
		case cubin.IsRelocs(s.Type):
			size := int(max(s.EntSize, 8))
			return "record." + named(map[int]string{0: "offset", 8: "type", 12: "symbol", 16: "addend"}, rel%size) + " of " + general(f.SectionName(&s))
		}
		return "content of " + general(f.SectionName(&s))
	}
	return "gap"
}

// general is a section's name without that of its function.
func general(name string) string {
	for _, prefix := range []string{".nv.merc.nv.info.", ".nv.merc.rela.text.", ".nv.capmerc.text.", ".nv.info.", ".nv.constant0.", ".nv.constant2.", ".nv.constant4.", ".rela.text.", ".rel.text.", ".text.", ".nv.shared.", ".nv.local.", ".rela.nv.constant2.", ".rel.nv.constant2."} {
		if strings.HasPrefix(name, prefix) {
			return prefix + "F"
		}
	}
	return name
}
