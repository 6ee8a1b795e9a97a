package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
)

// message is a text of nvlink's or ours, and what a program is told beside it. A group of the pattern is named for the
// field that it has to equal: file, section, symbol, and value in the form that the text has. Fields without a group are
// empty, but for those of also.
type message struct {
	kind     engine.DiagKind
	severity engine.Severity
	text     string
	also     string // file, section, symbol, offset, value: not told by the text
}

// unmet is the rest of a row that no recorded link has.
const unmet = "of no recorded link"

// telling are links of TestReached with messages that the rest of the corpus lacks.
var telling = [...]string{"12.9-sm_100/9357001", "13.0-sm_110a/forms-30007", "12.9-sm_100/doubles-50035", "multi/yield_records", "targets/shared_extern"}

const inFile = ` of '(?P<file>[^']*)'`

var messages = [...]message{
	{engine.Uncalled, engine.Warning, `Function '(?P<symbol>.*)' has address taken but no calls to it found`, ""},
	{engine.StackUnknown, engine.Warning, `Stack size for entry function '(?P<symbol>.*)' cannot be statically determined`, ""},
	{engine.Unsupported, engine.Warning, `Option '.*' is not fully implemented for gpu archtecture '.*' and may not work as expected`, ""},
	{engine.WrongArch, engine.Warning, `Output is limited to run on SM Arch '\d+' only, due to missing attribute 'ISA_CLASS' in input file '(?P<file>.*)'`, "compat"},
	{engine.WrongArch, engine.Warning, `Output is limited to run on SM Arch '\d+' only due to limitations in input file (?P<file>.*)`, ""},
	{engine.WrongToolkit, engine.Warning, `expected 64bit object '(?P<file>.*)' to have EF_CUDA_64BIT_ADDRESS set`, ""},
	{engine.WrongToolkit, engine.Warning, `'(?P<file>.*)': -ewp compiled objects should only link with libcudadevrt`, ""},
	{engine.NewerInput, engine.Warning, `Input file '(?P<file>.*)' is newer than toolkit \(\d+ vs \d+\); it is linked as nvJitLink does`, ""},
	{engine.Rescheduled, engine.Warning, `Input file '(?P<file>.*)' has code for sm_\d+; the code for sm_\d+ may differ from nvlink's`, ""},
	{engine.Rescheduled, engine.Warning, `Kernel '(?P<symbol>.*)' was rescheduled; the bytes may differ from nvlink's`, ""},
	{engine.Rescheduled, engine.Warning, `Function '(?P<symbol>.*)' makes other driver calls for textures or surfaces than the functions before it: the image may differ from nvlink's, which varies from run to run`, unmet},
	{engine.Rescheduled, engine.Warning, `Dynamic shared memory of '(?P<symbol>.*)' has several alignments; its offset may differ from nvlink's`, unmet},
	{engine.Displaced, engine.Warning, `Code reads other data than the constants` + inFile + `, which equal constants of another input displace, as with nvlink [\d.]+`, "section"},
	{engine.Displaced, engine.Warning, `Dynamic shared memory of '(?P<symbol>.*)' is at (?P<value>\d+), not a multiple of the alignment \d+ of one of its variables, as with nvlink [\d.]+`, ""},
	{engine.Displaced, engine.Warning, `Function '(?P<symbol>.*)', compiled without optimization by an older toolkit, has no waits, as with nvlink [\d.]+`, ""},
	{engine.Displaced, engine.Warning, `Jump table of '.*' in '(?P<file>.*)' has addresses of 0, as with nvlink [\d.]+, because it replaces a definition that has one`, "section offset"},
	{engine.Displaced, engine.Warning, `MAX_STACK_SIZE in '(?P<file>.*)' refers to other functions, as with -r of nvlink [\d.]+`, "info"},
	{engine.Displaced, engine.Warning, `EXTERNS of '(?P<symbol>.*)' refers to the last of several symbols of one name, as with nvlink [\d.]+`, ""},
	{engine.Displaced, engine.Warning, `EXTERNS in '(?P<file>.*)' refers to other functions, as with nvlink [\d.]+`, "info"},
	{engine.Displaced, engine.Warning, `Section (?P<section>.*) occurs several times in '(?P<file>[^']*)': the first is used for all, as with nvlink(, and code may differ from nvlink's)?`, ""},
	{engine.Displaced, engine.Warning, `Records in (?P<section>.*) belong to several functions of that name, and may differ from nvlink's`, unmet},
	{engine.Displaced, engine.Warning, `YIELD in (?P<section>.*)` + inFile + ` becomes another operation, as with nvlink [\d.]+, because a function with a jump table is defined twice`, "offset value"},
	{engine.LostDebug, engine.Warning, `Debug information of (?P<section>.*) in '(?P<file>.*)' is of a discarded definition: it may differ from nvlink's`, ""},
	{engine.LostDebug, engine.Warning, `Call frame of (?P<section>.*) in '(?P<file>.*)' may differ from nvlink's: it moves 64 bits under a predicate`, ""},
	{engine.NullPointer, engine.Warning, `Pointer to '(?P<symbol>.*)' in (?P<section>.*)` + inFile + ` is zero, because another input defines '.*' too, as with nvlink [\d.]+`, ""},
	{engine.Uncounted, engine.Warning, `Kernels that call '(?P<symbol>.*)' through a pointer in '(?P<file>.*)' don't count its resources, as with nvlink [\d.]+, because another input defines '.*' too`, ""},
	{engine.LostConstant, engine.Warning, `(?:Constant|Shared variable) '(?P<symbol>.*)' in (?P<section>.*)` + inFile + ` is lost, because another object defines it, as with -r of nvlink [\d.]+: link both in one step`, "record"},

	{engine.Undefined, engine.Error, `Undefined reference to '(?P<symbol>.*)' in '(?P<file>.*)'`, ""},
	{engine.RegisterLimit, engine.Error, `entry function '(?P<symbol>.*)' with max regcount of \d+ calls function '.*' with regcount of (?P<value>-?\d+)`, ""},
	{engine.ConstantLimit, engine.Error, `File uses too much global constant data \((?P<value>0x[0-9a-f]+) bytes, 0x10000 max\)`, ""},
	{engine.ImageLimit, engine.Fatal, `More than \d+ (?:textures|samplers|surfaces) used in entry function '(?P<symbol>.*)'`, ""},
	{engine.SharedLimit, engine.Error, `Entry function '(?P<symbol>.*)' uses too much shared data \((?P<value>0x[0-9a-f]+) bytes, 0x[0-9a-f]+ max\)`, ""},
	{engine.SharedPlaced, engine.Error, `Cannot link shared object '.*' with partially linked kernel '(?P<symbol>.*)'`, ""},
	{engine.ReservedShared, engine.Error, `Function '(?P<symbol>.*)' uses reserved shared memory when not allowed\.`, ""},
	{engine.StackLimit, engine.Error, `Function '(?P<symbol>.*)' uses (?P<value>-?\d+) bytes stack but limited to -?\d+`, ""},
	{engine.Tcgen05Groups, engine.Error, `Function '(?P<symbol>.*)' uses single CTA\(\.cta_group::1\) and CTA pair granularity\(\.cta_group::2\) and that is not allowed\.`, ""},
	{engine.PrototypeMismatch, engine.Error, `Prototype doesn't match for '(?P<symbol>.*)' in '(?P<file>.*)', first defined in '.*'`, ""},
	{engine.MultipleDefinition, engine.Error, `Multiple definition of '(?P<symbol>.*)' in '(?P<file>.*)', first defined in '.*'`, ""},
	{engine.SizeMismatch, engine.Error, `Common symbol '(?P<symbol>.*)' in file '.*' has larger size than initialization`, "file"},
	{engine.SizeMismatch, engine.Error, `Duplicate weak parameter bank for '(?P<symbol>.*)' is not the same size`, "file"},
	{engine.SizeMismatch, engine.Error, `Size doesn't match for '(?P<symbol>.*)' in '(?P<file>.*)', first specified in '.*'`, ""},
	{engine.SpaceMismatch, engine.Error, `Memory space doesn't match for '(?P<symbol>.*)' in '(?P<file>.*)', first specified in '.*'`, ""},
	{engine.SpaceMismatch, engine.Error, `Managed attribute doesn't match for '(?P<symbol>.*)' in '(?P<file>.*)', first specified in '.*'`, ""},
	{engine.EntryMismatch, engine.Error, `Function '(?P<symbol>.*)' not declared __global__ in all source files`, "file"},
	{engine.WrongToolkit, engine.Error, `Object '(?P<file>.*)' has cuda-api-version of (?P<value>\d+) which is greater than version on link line \(\d+\)`, ""},

	{engine.MergeFailed, engine.Fatal, `merge_elf failed`, "file"},
	{engine.WrongArch, engine.Fatal, `Input file '(?P<file>.*)' arch does not match target '.*'`, ""},
	{engine.WrongArch, engine.Fatal, `cannot link accelerated arch to non-accelerated`, "file"},
	{engine.WrongToolkit, engine.Fatal, `Input file '(?P<file>.*)' must be recompiled with toolkit >= Cuda 12\.0`, ""},
	{engine.WrongToolkit, engine.Fatal, `Input file '(?P<file>.*)' newer than toolkit \(\d+ vs \d+\)`, ""},
	{engine.WrongToolkit, engine.Fatal, `Input file '(?P<file>.*)' abi does not match`, ""},
	{engine.WrongToolkit, engine.Fatal, `linking with -ewp objects requires using current toolkit`, "file"},
	{engine.BadOption, engine.Fatal, `Function '.*' in '(?P<file>.*)' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by -\w+ option`, ""},
	{engine.BadOption, engine.Fatal, `Unknown arch name '.*'`, ""},
	{engine.BadOption, engine.Fatal, `Value '.*' is not defined for option 'arch'`, ""},
	{engine.BadOption, engine.Fatal, `Value '.*' is not defined for option 'toolkit'`, ""}, // in nvlink's words; nvlink has no such option
	{engine.NoInput, engine.Fatal, `No input files specified; use option --help for more information`, ""},
	{engine.Unsupported, engine.Fatal, `'(?P<file>.*)' is a whole program \(-ewp -g\) whose shared variables say where they lie, which is not supported by twinlink`, unmet},
	{engine.Unsupported, engine.Fatal, `Unified symbols found but index file not specified\.`, ""},
	{engine.Budget, engine.Fatal, `the image would be too large`, "section value"},
	{engine.Internal, engine.Fatal, `Internal error: (overlapping non-identical data|overlapping data spans too much|no callgraph node|unallocated symbol)`, "file"},
	{engine.Internal, engine.Fatal, `Internal error: (reference to deleted (section|symbol)|unallocated symbol)`, ""},
	{engine.Internal, engine.Fatal, `Internal error: (reference to deleted symbol|reloc address not found|relocation is past end of offset|unexpected NVRS|unexpected reloc)`, "record"},
	{engine.Internal, engine.Fatal, `Internal error: unexpected reloc section`, "file section value"},
	{engine.Malformed, engine.Fatal, `(?P<file>[^:]*): .+ at offset (?P<offset>0x[0-9a-f]+): value (?P<value>0x[0-9a-f]+): .+`, ""},
	{engine.Malformed, engine.Fatal, `(?P<file>[^:]*): .+ in section (?P<section>[^ ]+) at offset (?P<offset>0x[0-9a-f]+): value (?P<value>0x[0-9a-f]+): .+`, ""},
}

// fits reports whether a message has the fields that its row wants.
func (m *message) fits(pattern *regexp.Regexp, d *engine.Diagnostic, inputs []engine.Input) bool {
	groups := pattern.FindStringSubmatch(d.Text)
	if groups == nil || d.Kind != m.kind || d.Severity != m.severity {
		return false
	}
	told := map[string]bool{}
	number := func(text string) uint64 {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return uint64(uint32(n)) // of 32 bits with a sign
		}
		n, _ := strconv.ParseUint(text, 0, 64)
		return n
	}
	for i, name := range pattern.SubexpNames() {
		told[name] = true
		switch {
		case name == "file" && groups[i] != d.File, name == "section" && groups[i] != d.Section, name == "symbol" && groups[i] != d.Symbol,
			name == "offset" && number(groups[i]) != d.Offset, name == "value" && number(groups[i]) != d.Value:
			return false
		}
	}
	for _, word := range strings.Fields(m.also) {
		told[word] = true
	}
	section := d.Section != ""
	if d.Kind == engine.Malformed && !holds(inputs, d) {
		return false
	}
	switch {
	case told["record"]: // of a file's relocations, or that they are for
		return hasRecord(inputs, d)
	case told["compat"]:
		return d.Section == ".nv.compat"
	case told["info"]:
		section = d.Section == ".nv.info"
		told["section"] = true
	}
	return told["file"] == (d.File != "") && told["section"] == section && told["symbol"] == (d.Symbol != "") &&
		(told["offset"] || d.Offset == 0) && (told["value"] || d.Value == 0) && (!slices.Contains(strings.Fields(m.also), "value") || d.Value != 0) && (!told["file"] || d.File == "part.cubin" || d.File == "out.cubin" || has(inputs, d.File))
}

// found are details of malformed inputs, and where in a section's bytes the value stands that they tell: its distance from
// the offset, and its size.
var found = map[string][2]uint64{
	"unknown record format":                              {0, 1},
	"a payload of that many bytes goes past the section": {2, 2},
	"no function has that symbol index":                  {0, 4},
	"unknown part of the call graph":                     {4, 4},
	"a prototype outside the string table":               {0, 4},
	"st_shndx names no section":                          {6, 2},
	"symbol name outside the string table":               {0, 4},
}

// holds reports whether an input has the value that a message tells of a place, true where no rule says where it is.
func holds(inputs []engine.Input, d *engine.Diagnostic) bool {
	detail := d.Text[strings.LastIndex(d.Text, ": ")+2:]
	if strings.Contains(d.Text, ": symbol ") && detail == "name outside the string table" {
		detail = "symbol " + detail
	}
	at, ok := found[detail]
	if !ok {
		return true
	}
	for _, in := range inputs {
		f, err := cubin.Open(in.Name, in.Data)
		for i := 1; in.Name == d.File && err == nil && i < f.NumSections(); i++ {
			s := f.Section(i)
			if b, ok := cubin.Window(f.Content(&s), d.Offset+at[0], at[1]); ok && strings.TrimPrefix(f.SectionName(&s), ".nv.merc") == d.Section {
				var n uint64
				for k := range b {
					n |= uint64(b[k]) << (8 * k)
				}
				if n == d.Value {
					return true
				}
			}
		}
		if in.Name == d.File && err != nil {
			return true // the frame is tried by package cubin
		}
	}
	return false
}

func has(inputs []engine.Input, name string) bool {
	return slices.ContainsFunc(inputs, func(in engine.Input) bool { return in.Name == name })
}

// hasRecord reports whether a file has a relocation record at the place that a message names.
func hasRecord(inputs []engine.Input, d *engine.Diagnostic) bool {
	for _, in := range inputs {
		f, err := cubin.Open(in.Name, in.Data)
		if in.Name != d.File || err != nil {
			continue
		}
		for i := 1; i < f.NumSections(); i++ {
			s := f.Section(i)
			if !cubin.IsRelocs(s.Type) || targetName(f.SectionName(&s)) != targetName(d.Section) {
				continue
			}
			list, err := f.Relocs(&s)
			for k := 0; err == nil && k < list.Len(); k++ {
				r := list.At(k)
				sym, _ := f.Symtab().At(int(r.Symbol))
				moved := d.Kind == engine.Internal && r.Off < d.Offset // to the section that all inputs make
				if (r.Off == d.Offset || moved) && (d.Kind == engine.LostConstant || uint64(r.Type) == d.Value) && (f.Symtab().Name(&sym) == d.Symbol || strings.HasPrefix(d.Symbol, ".") || d.Symbol == "") {
					return true
				}
			}
		}
	}
	return false
}

// targetName is the name of what a section of records is for, the name itself of another section.
func targetName(section string) string {
	for _, front := range [...]string{".nv.merc.rela", ".rela", ".rel"} {
		if name, ok := strings.CutPrefix(section, front); ok {
			return name
		}
	}
	return section
}

// messagesOf are the messages of a link.
func messagesOf(out *engine.Output, err error) []engine.Diagnostic {
	var refused *engine.LinkError
	switch {
	case errors.As(err, &refused):
		return refused.Diags
	case out != nil:
		return out.Diags
	}
	return nil
}

// TestMessages holds every message of many links against the row of its text, and wants each row's message.
func TestMessages(t *testing.T) {
	patterns := make([]*regexp.Regexp, len(messages))
	seen := make([]int, len(messages))
	for i := range messages {
		patterns[i] = regexp.MustCompile("^" + messages[i].text + "$")
	}
	check := func(name string, inputs []engine.Input, list []engine.Diagnostic) {
		for _, d := range list {
			if d.Severity == engine.Info || d.Severity == engine.Plain {
				continue
			}
			at := slices.IndexFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(d.Text) })
			for at >= 0 && at < len(messages) && !messages[at].fits(patterns[at], &d, inputs) {
				at++
			}
			if at < 0 || at == len(messages) {
				t.Errorf("%s: no row has %+v", name, d)
				continue
			}
			seen[at]++
		}
	}
	ask := func(name string, q *fuzz.Question) { check(name, q.Inputs, messagesOf(q.Link())) }
	for i := range fuzz.Kinds {
		k := &fuzz.Kinds[i]
		for n := range uint64(150) {
			q, err := k.Question(n)
			if err != nil {
				t.Fatal(err)
			}
			ask(fmt.Sprintf("%s:%d", k.Name, n), &q)
		}
	}
	reached, objects := readReached(t)
	for i := range reached {
		if l := &reached[i]; slices.Contains(telling[:], l.Program) {
			ask(l.Program, l.Question(objects))
		}
	}
	for _, c := range allCases(t) {
		if options, ok := optionsOfCase(&c); ok {
			inputs := inputsOfCase(&c)
			check(c.ID(), inputs, messagesOf(engine.Link(inputs, options)))
		}
	}
	for _, m := range madeLinks(t) {
		check(m.name, m.inputs, messagesOf(engine.Link(m.inputs, m.options)))
	}
	met := map[engine.DiagKind]bool{}
	for i := range messages {
		if met[messages[i].kind] = met[messages[i].kind] || seen[i] > 0; seen[i] == 0 && messages[i].also != unmet {
			t.Errorf("no link says %q", messages[i].text)
		}
	}
	for kind, name := range declared(t, "../../engine/internal/diag/diag.go", "Kind") {
		if !met[engine.DiagKind(kind)] && engine.DiagKind(kind) != engine.Lost { // that is said before a link, see internal/inputs
			t.Errorf("no link has a message of kind %s", name)
		}
	}
}

// declared are the names of the constants of a type, from one on.
func declared(t *testing.T, file, typ string) map[int]string {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		first := g.Specs[0].(*ast.ValueSpec)
		if of, ok := first.Type.(*ast.Ident); ok && of.Name == typ {
			for i, s := range g.Specs {
				names[i+1] = s.(*ast.ValueSpec).Names[0].Name
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s declares no %s", file, typ)
	}
	return names
}
