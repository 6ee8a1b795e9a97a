package linkcommand

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// words is what a message says: its severity and kind, and what its fields are, which programs read, is what the words name.
// (?P<file>), (?P<section>), (?P<symbol>) and (?P<value>) are the fields; one that the words don't name is empty, but for
// those in loose, which aren't. at says that there is a relocation at the message's offset.
type words struct {
	severity engine.Severity
	kind     engine.DiagKind
	text     string
	loose    string // fields that the words don't name
	at       bool
}

var wordsSaid = []words{
	{engine.Warning, engine.Displaced, `Jump table of '\w+' in '(?P<file>.+)' has addresses of 0, as with nvlink .*`, "section offset", false},
	{engine.Warning, engine.Displaced, `\w+ in '(?P<file>.+)' comes to name other functions, as with -r of nvlink .*`, "section", false},
	{engine.Warning, engine.Displaced, `Dynamic shared memory of '(?P<symbol>.+)' is at (?P<value>\d+), no multiple of the alignment \d+ of one of its variables, as with nvlink .*`, "", false},
	{engine.Warning, engine.Displaced, `Section (?P<section>\S+) is there several times in '(?P<file>.+)': the first is taken for each, as nvlink does`, "", false},
	{engine.Warning, engine.Displaced, `Function '(?P<symbol>.+)', compiled without optimization by an older toolkit, waits for nothing, as nvlink .* writes it`, "", false},
	{engine.Warning, engine.Displaced, `YIELD in (?P<section>\S+) of '(?P<file>.+)' becomes another operation, as with nvlink .*`, "offset value", false},
	{engine.Warning, engine.Displaced, `Code reads other data than the constants of '(?P<file>.+)', which equal constants of another input displace, as with nvlink .*`, "section", false},
	{engine.Warning, engine.NullPointer, `Pointer to '(?P<symbol>.+)' in (?P<section>\S+) of '(?P<file>.+)' is zero, since another input defines '.+' too, as with nvlink .*`, "", false},
	{engine.Warning, engine.LostConstant, `(?:Constant|Shared variable) '(?P<symbol>.+)' in (?P<section>\S+) of '(?P<file>.+)' is lost, since another object defines it, as with -r of nvlink .*`, "offset", true},
	{engine.Warning, engine.Rescheduled, `Kernel '(?P<symbol>.+)' is scheduled anew, perhaps not as nvlink does it`, "", false},
	{engine.Warning, engine.WrongToolkit, `'(?P<file>.+)': -ewp compiled objects should only link with libcudadevrt`, "", false},
	{engine.Warning, engine.Uncalled, `Function '(?P<symbol>.+)' has address taken but no calls to it found`, "", false},
	{engine.Warning, engine.Unsupported, `Option '.+' is not fully implemented for gpu archtecture '.+' and may not work as expected`, "", false},
	{engine.Warning, engine.StackUnknown, `Stack size for entry function '(?P<symbol>.+)' cannot be statically determined`, "", false},
	{engine.Error, engine.SharedLimit, `Entry function '(?P<symbol>.+)' uses too much shared data \((?P<value>0x[0-9a-f]+) bytes, 0x[0-9a-f]+ max\)`, "", false},
	{engine.Error, engine.SizeMismatch, `Size doesn't match for '(?P<symbol>.+)' in '(?P<file>.+)', first specified in '.+'`, "", false},
	{engine.Error, engine.SizeMismatch, `Common symbol '(?P<symbol>.+)' in file '.+' has larger size than initialization`, "file", false},
	{engine.Error, engine.SizeMismatch, `Duplicate weak parameter bank for '(?P<symbol>.+)' is not the same size`, "file", false},
	{engine.Error, engine.PrototypeMismatch, `Prototype doesn't match for '(?P<symbol>.+)' in '(?P<file>.+)', first defined in '.+'`, "", false},
	{engine.Error, engine.SpaceMismatch, `Memory space doesn't match for '(?P<symbol>.+)' in '(?P<file>.+)', first specified in '.+'`, "", false},
	{engine.Error, engine.EntryMismatch, `Function '(?P<symbol>.+)' not declared __global__ in all source files`, "file", false},
	{engine.Error, engine.RegisterLimit, `entry function '(?P<symbol>.+)' with max regcount of \d+ calls function '.+' with regcount of (?P<value>\d+)`, "", false},
	{engine.Error, engine.MultipleDefinition, `Multiple definition of '(?P<symbol>.+)' in '(?P<file>.+)', first defined in '.+'`, "", false},
	{engine.Error, engine.Undefined, `Undefined reference to '(?P<symbol>.+)' in '(?P<file>.+)'`, "", false},
	{engine.Error, engine.ReservedShared, `Function '(?P<symbol>.+)' uses reserved shared memory when not allowed\.`, "", false},
	{engine.Error, engine.Tcgen05Groups, `Function '(?P<symbol>.+)' uses single CTA\(\.cta_group::1\) and CTA pair granularity\(\.cta_group::2\) and that is not allowed\.`, "", false},
	{engine.Fatal, engine.Unsupported, `Unified symbols found but index file not specified\.`, "", false},
	{engine.Fatal, engine.WrongArch, `Input file '(?P<file>.+)' arch does not match target '.+'`, "", false},
	{engine.Fatal, engine.WrongToolkit, `Input file '(?P<file>.+)' must be recompiled with toolkit >= Cuda .+`, "", false},
	{engine.Fatal, engine.WrongToolkit, `Input file '(?P<file>.+)' newer than toolkit \(\d+ vs \d+\)`, "", false},
	{engine.Fatal, engine.BadOption, `Function '.+' in '(?P<file>.+)' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by -astoolspatch option`, "", false},
	{engine.Fatal, engine.MergeFailed, `merge_elf failed`, "file", false},
	{engine.Fatal, engine.Internal, `Internal error: (reference to deleted (symbol|section)|overlapping non-identical data)`, "file", false},
	{engine.Fatal, engine.Internal, `Internal error: relocation is past end of offset`, "file section symbol offset value", false},
}

// The fields of every message of the recorded links are those that its words name. Each kind of message is among them.
func TestSaidFields(t *testing.T) {
	patterns := make([]*regexp.Regexp, len(wordsSaid))
	for i := range wordsSaid {
		patterns[i] = regexp.MustCompile("^" + wordsSaid[i].text + "$")
	}
	seen := make([]int, len(wordsSaid))
	list, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range []func() ([]corpus.Program, error){corpus.Behaviours, corpus.Mercury} {
		programs, err := read()
		if err != nil {
			t.Fatal(err)
		}
		list = append(slices.Clone(list), corpus.CasesOf(programs)...)
	}
	for i := range list {
		c := &list[i]
		if !c.Complete() {
			continue
		}
		diags, objects := diagsOf(t, c)
		for j := range diags {
			d := &diags[j]
			if d.Severity == engine.Plain || d.Severity == engine.Info {
				continue
			}
			at := slices.IndexFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(d.Text) })
			if at < 0 {
				t.Errorf("%s: %q is in no row", c.ID(), d.Text)
				continue
			}
			seen[at]++
			if wrong := wordsSaid[at].wrong(patterns[at], d); wrong != "" {
				t.Errorf("%s: %q has another %s: %+v", c.ID(), d.Text, wrong, *d)
			}
			if wordsSaid[at].at && !refersAt(objects, d) {
				t.Errorf("%s: %q: no relocation at %#x of %s", c.ID(), d.Text, d.Offset, d.Section)
			}
		}
	}
	for i, n := range seen {
		if n == 0 {
			t.Errorf("no link says %s", wordsSaid[i].text)
		}
	}
}

// diagsOf links a recorded case and returns what the engine says, and what it linked.
func diagsOf(t *testing.T, c *corpus.Case) ([]engine.Diagnostic, []engine.Input) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, in := range c.Inputs {
		if err := errors.Join(os.MkdirAll(filepath.Dir(in.Name), 0o777), os.WriteFile(in.Name, in.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	l := newLinker(Call{Out: io.Discard, Err: io.Discard, Tool: "nvlink"})
	args, _ := takeOwn(append([]string{"-toolkit=" + c.Release}, c.Args...))
	var err error
	if l.cmd, err = cmdline.Parse(l.release(cmdline.Scan(args, ReadOptions)), args, ReadOptions); err != nil || l.inputs() != nil || l.set.Whole != nil {
		return nil, nil
	}
	out, err := engine.Link(l.set.Objects, l.cmd.Options)
	var refused *engine.LinkError
	switch {
	case errors.As(err, &refused):
		return refused.Diags, l.set.Objects
	case err != nil:
		t.Errorf("%s: %v", c.ID(), err)
		return nil, nil
	}
	return out.Diags, l.set.Objects
}

// wrong names the field that isn't what the words name.
func (w *words) wrong(pattern *regexp.Regexp, d *engine.Diagnostic) string {
	named := map[string]string{}
	m := pattern.FindStringSubmatch(d.Text)
	for i, name := range pattern.SubexpNames() {
		named[name] = m[i]
	}
	loose := strings.Fields(w.loose)
	value, _ := strconv.ParseUint(named["value"], 0, 64)
	switch free := func(field string) bool { return slices.Contains(loose, field) }; {
	case d.Severity != w.severity:
		return "severity"
	case d.Kind != w.kind:
		return "kind"
	case d.File != named["file"] && !free("file"):
		return "file"
	case d.Section != named["section"] && !free("section"), free("section") && d.Section == "":
		return "section"
	case d.Symbol != named["symbol"] && !free("symbol"), free("symbol") && d.Symbol == "":
		return "symbol"
	case d.Value != value && !free("value"), free("value") && d.Value == 0:
		return "value"
	case d.Offset != 0 && !free("offset"):
		return "offset"
	}
	return ""
}

// refersAt reports whether the object has a relocation at the message's place, in the section or its capsule.
func refersAt(objects []engine.Input, d *engine.Diagnostic) bool {
	for _, o := range objects {
		f, err := cubin.Open(o.Name, o.Data)
		if err != nil || o.Name != d.File {
			continue
		}
		for i := range f.NumSections() {
			s := f.Section(i)
			target := f.Section(int(s.Info))
			if !cubin.IsRelocs(s.Type) || !strings.HasSuffix(f.SectionName(&target), d.Section) {
				continue
			}
			table, err := f.Relocs(&s)
			for k := 0; err == nil && k < table.Len(); k++ {
				if table.At(k).Off == d.Offset {
					return true
				}
			}
		}
	}
	return false
}
