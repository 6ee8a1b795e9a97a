package verify_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

var updateRows = flag.Bool("update-rows", false, "write testdata/rows.txt anew")

// whole is all that a row says, line by line.
func whole(r *report.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s: %s %q\n", r.Subject, r.Release, r.Arch, r.Verdict, r.Note)
	for _, a := range r.Answers {
		fmt.Fprintf(&b, "  %s %s %q\n", a.Source, a.Outcome, a.Detail)
		for _, line := range a.Trace {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "  %s %s: %q %q %q", f.Level, f.Key, f.File, f.Section, f.Symbol)
		if f.Offset != nil {
			fmt.Fprintf(&b, " at %#x", *f.Offset)
		}
		fmt.Fprintf(&b, ": %s\n", f.Meaning)
		for _, v := range f.Values {
			fmt.Fprintf(&b, "    %s %q\n", v.Of, v.Text)
		}
		for _, w := range f.Words {
			fmt.Fprintf(&b, "    %+v\n", w)
		}
	}
	if f := r.Functions; f != nil {
		fmt.Fprintf(&b, "  functions %d accepted, %d rejected, %d not judged\n", f.Accepted, f.Rejected, f.NotJudged)
	}
	for _, u := range r.Unjudged {
		fmt.Fprintf(&b, "  not judged: %s: %s\n", u.Name, u.Reason)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "  %d more\n", r.More)
	}
	return b.String()
}

// asking is a question, and what its row has to say.
type asking struct {
	name string
	ask  func(t *testing.T) *verify.Question
}

func (a asking) row(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	q := a.ask(t)
	q.Step = func(source string) { b.WriteString(" " + source) }
	q.Judged = func(file []byte) { fmt.Fprintf(&b, " (%d bytes)", len(file)) }
	row := verify.Ask(context.Background(), q, nil)
	return fmt.Sprintf("== %s\n%s  asked%s\n", a.name, whole(&row), b.String())
}

// TestRows holds all that rows say. Sizes, messages and the expected bytes of testdata/rows.txt are those of the recorded runs
// of nvlink, or of the byte that is changed here; places and numbers of a relocation are the object's.
func TestRows(t *testing.T) {
	var got strings.Builder
	for _, a := range askings {
		t.Run(a.name, func(t *testing.T) { got.WriteString(a.row(t)) }) // one changes its folder
	}
	if *updateRows {
		if err := os.WriteFile("testdata/rows.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); d != "" {
		t.Error(d)
	}
}

// recordedAs is a recorded link of which nvlink is said to have done something else.
func recordedAs(id string, change func(q *verify.Question, c *corpus.Case)) func(t *testing.T) *verify.Question {
	return func(t *testing.T) *verify.Question {
		t.Helper()
		c := find(t, id)
		q := question(c)
		change(q, &c)
		return q
	}
}

// changed is a file of which bytes are others.
func changed(data []byte, at int, to ...byte) []byte {
	data = bytes.Clone(data)
	copy(data[at:], to)
	return data
}

func sectionAt(data []byte, name string) int {
	f, err := cubin.Open("", data)
	if err != nil {
		return 0
	}
	s := f.Section(f.Lookup(name))
	return int(s.Off)
}

const globals, duplicate = "globals/12.4-sm_80", "err_duplicate/12.4-sm_87"

var askings = []asking{
	{"recorded, and the same", recordedAs(globals, func(*verify.Question, *corpus.Case) {})},
	{"nothing recorded", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Recorded = nil })},
	{"no release", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Release, q.Recorded = "", nil })},
	{"a byte of nvlink's is another", recordedAs(globals, func(q *verify.Question, c *corpus.Case) {
		q.Recorded.Output = changed(c.Output, len(c.Output)-1, 1) // the last program header's alignment
	})},
	{"nvlink's is no file", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Recorded.Output = []byte("text") })},
	{"nvlink refuses", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) {
		q.Recorded = &verify.Recorded{Message: " nvlink fatal   : no\n"}
	})},
	{"refused alike", recordedAs(duplicate, func(*verify.Question, *corpus.Case) {})},
	{"refused, nothing recorded", recordedAs(duplicate, func(q *verify.Question, _ *corpus.Case) { q.Recorded = nil })},
	{"refused in other words", recordedAs(duplicate, func(q *verify.Question, _ *corpus.Case) { q.Recorded.Message = "nvlink fatal   : no\n" })},
	{"refused, nvlink links", recordedAs(duplicate, func(q *verify.Question, _ *corpus.Case) { q.Recorded = &verify.Recorded{Output: []byte("image")} })},
	{"given, the engine's", recordedAs(globals, func(q *verify.Question, c *corpus.Case) { q.Output = c.Output })},
	{"given, with a byte more", recordedAs(globals, func(q *verify.Question, c *corpus.Case) { q.Output = append(bytes.Clone(c.Output), 0) })},
	{"given, of no release", recordedAs(globals, func(q *verify.Question, c *corpus.Case) { q.Output, q.Release = c.Output, "" })},
	{"given, with a wrong field of debug information", recordedAs(globals, func(q *verify.Question, c *corpus.Case) {
		at := bytes.Index(c.Output, binary.LittleEndian.AppendUint64(nil, 0xe0)) // of a frame's begin
		q.Output = changed(c.Output, at, 0xe8)
	})},
	{"given, with a wrong word of code", recordedAs(globals, func(q *verify.Question, c *corpus.Case) {
		q.Output = changed(c.Output, sectionAt(c.Output, ".text.kg")+0x25, 0x77)
	})},
	{"given, and no file", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Output = []byte("not an image") })},
	{"wrong options", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Args = append(q.Args, "-arch=sm_1") })},
	{"an options file", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) {
		q.Args = []string{"-optf", "opts"}
		q.ReadFile = func(name string) ([]byte, error) {
			if name == "opts" {
				return []byte("-arch=sm_80"), nil
			}
			return nil, fs.ErrNotExist
		}
	})},
	{"no options file", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Args = []string{"-optf", "opts"} })},
	{"no such input", recordedAs(globals, func(q *verify.Question, _ *corpus.Case) { q.Args = append(q.Args, "absent.cubin") })},
	{"a library", func(t *testing.T) *verify.Question {
		object, err := os.ReadFile("../container/testdata/13.0-part.o") // by nvcc, for sm_75
		if err != nil {
			t.Fatal(err)
		}
		q := question(find(t, "common/13.0-sm_75"))
		library(t, verify.File{Name: "part.o", Data: object})
		q.Recorded, q.Args = nil, append(q.Args, "-L.", "-lnone", "-lx")
		return q
	}},
}

// library puts an object into libx.a of an empty working folder.
func library(t *testing.T, f verify.File) {
	t.Helper()
	t.Chdir(t.TempDir())
	head := fmt.Sprintf("!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10d`\n", f.Name+"/", "0", "0", "0", "644", len(f.Data))
	if err := os.WriteFile(filepath.Clean("libx.a"), slices.Concat([]byte(head), f.Data), 0o666); err != nil {
		t.Fatal(err)
	}
}
