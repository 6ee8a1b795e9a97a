//go:build unix

package verify

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check"
	"github.com/twinlink/twinlink/report"
)

// recorded is a recorded link as a question, asked up to the engine.
func recorded(t *testing.T, id string) *run {
	t.Helper()
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	c := cases[slices.IndexFunc(cases, func(c corpus.Case) bool { return c.ID() == id })]
	q := &Question{Release: c.Release, Args: []string{"-arch=" + c.Arch}}
	for _, in := range c.Inputs {
		q.Inputs = append(q.Inputs, File{in.Name, in.Data})
	}
	cmd, err := q.command(q.release())
	if err != nil {
		t.Fatal(err)
	}
	a := &run{q: q, cmd: cmd}
	a.gather()
	a.askEngine()
	if a.image == nil {
		t.Fatal(a.engine)
	}
	return a
}

// A program in nvlink's place has the answer of how it ended.
func TestAnswersOfNvlink(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, release, body string
		want                *report.Answer
		image               string
	}{
		{"links", "12.4", `while [ "$1" != -o ]; do shift; done; printf '\177ELF' > "$2"; head -c 1230 /dev/zero >> "$2"`,
			&report.Answer{Outcome: report.Linked, Detail: "1,234 bytes"}, "\x7fELF" + strings.Repeat("\x00", 1230)},
		{"refuses", "12.4", "echo 'nvlink fatal   : no' >&2; exit 1", &report.Answer{Outcome: report.Refused, Detail: "nvlink fatal   : no"}, ""},
		{"crashes", "12.4", "kill -SEGV $$", &report.Answer{Outcome: report.Crashed, Detail: "nvlink 12.4.131 crashed (segmentation fault)"}, ""},
		{"hangs", "12.4", "sleep 60", &report.Answer{Outcome: report.Hung, Detail: "nvlink 12.4.131 hung"}, ""},
		{"is missing", "11.8", "", nil, ""},
	} {
		a := recorded(t, "globals/12.4-sm_80")
		path := filepath.Join(dir, c.name)
		text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'nvlink: NVIDIA (R) Cuda linker\nCuda compilation tools, release 12.4, V12.4.131\nBuild cuda'; exit 0; fi\n" + c.body + "\n"
		syscall.ForkLock.RLock() // a fork while the file is open for writing would make it "busy"
		err := os.WriteFile(path, []byte(text), 0o755)
		syscall.ForkLock.RUnlock()
		if err != nil {
			t.Fatal(err)
		}
		set, err := nvidia.Find(t.Context(), nvidia.Options{Nvlink: path, Dir: dir, Getenv: func(string) string { return "" }, Limits: nvidia.Limits{Time: 3 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		if a.cmd.Release, _ = cmdline.ParseRelease(c.release); c.want != nil {
			c.want.Source = report.Nvlink
		}
		if c.name == "hangs" {
			set, err = nvidia.Find(t.Context(), nvidia.Options{Nvlink: path, Dir: dir, Getenv: func(string) string { return "" }, Limits: nvidia.Limits{Time: 300 * time.Millisecond}})
			if err != nil {
				t.Fatal(err)
			}
		}
		a.q.Recorded = nil
		a.askNvlink(t.Context(), set)
		if c.want != nil && a.nvlink != nil && strings.HasPrefix(a.nvlink.Detail, c.want.Detail) {
			c.want.Detail = a.nvlink.Detail // says how long it was waited for
		}
		if !reflect.DeepEqual(a.nvlink, c.want) || string(a.nvImage) != c.image {
			t.Errorf("%s: %+v, %d bytes", c.name, a.nvlink, len(a.nvImage))
		}
		// What ran is not what is recorded; where nothing ran, that counts.
		a.q.Recorded = &Recorded{Message: " as recorded\n"}
		a.nvlink, a.nvImage = nil, nil
		a.askNvlink(t.Context(), set)
		if old := a.nvlink != nil && a.nvlink.Detail == "as recorded"; old != (c.want == nil) {
			t.Errorf("%s, and something is recorded: %+v", c.name, a.nvlink)
		}
	}
	a := recorded(t, "globals/12.4-sm_80")
	ctx, cancel := context.WithCancel(t.Context())
	set, err := nvidia.Find(ctx, nvidia.Options{Nvlink: filepath.Join(dir, "links"), Dir: dir, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if a.askNvlink(ctx, set); a.nvlink == nil || a.nvlink.Outcome != report.Absent || a.nvlink.Detail != context.Canceled.Error() {
		t.Errorf("cancelled: %+v", a.nvlink)
	}
}

// A library in nvJitLink's place has the answer of how it ended, and only the one of the question's release is compared.
func TestAnswersOfNvJitLink(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: no fake library")
	}
	library := filepath.Join(t.TempDir(), "libnvJitLink.so.12")
	if text, err := exec.Command(gcc, "-shared", "-fPIC", "-DSUFFIX=_12_4", "-DMAJOR=12", "-DMINOR=4", "-o", library, "../nvjitlink/testdata/fake.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	ask := func(name, release string, args ...string) report.Answer {
		a := recorded(t, "globals/12.4-sm_80")
		a.cmd.Release, _ = cmdline.ParseRelease(release)
		a.q.Args = append(a.q.Args, args...)
		a.q.Inputs[0].Name = name
		a.q.WithNvJitLink([]nvjitlink.SharedObject{{Path: library, Release: "12.4"}}, nvjitlink.Options{Self: true, Limits: nvjitlink.Limits{Time: time.Second}})
		list := a.askNvJitLink(t.Context())
		if len(list) != 1 || list[0].Source != report.NvJitLink || list[0].Release != "12.4" {
			t.Fatalf("%+v", list)
		}
		return list[0]
	}
	for _, c := range []struct {
		input, release string
		outcome        report.Outcome
		detail         string
	}{
		{"good", "12.4", report.Linked, "256 bytes, not the engine's: "},
		{"good", "13.0", report.Linked, "256 bytes"},
		{"print", "13.0", report.Linked, "256 bytes, though it reports: warning : a word"},
		{"refused", "12.4", report.Refused, "refused input 0: unrecognized input\nerror: no"},
		{"crash", "12.4", report.Crashed, "crashed (SIGSEGV)"},
		{"hang", "12.4", report.Hung, "hung: no answer in 1s"},
		{"nothing", "12.4", report.Absent, "garbled: success without output"},
	} {
		got := ask(c.input, c.release)
		if got.Outcome != c.outcome || got.Detail != c.detail && !(strings.HasSuffix(c.detail, ": ") && strings.HasPrefix(got.Detail, c.detail)) {
			t.Errorf("%s, release %s: %+v", c.input, c.release, got)
		}
	}
	if got := ask("good", "12.4", "--force-rela", "--preserve-relocs"); got.Outcome != report.Absent || !strings.Contains(got.Detail, "there is no such option") {
		t.Errorf("an option that the library lacks: %+v", got)
	}
}

func TestKindOfInput(t *testing.T) {
	elf := func(machine byte, n int) []byte {
		b := append([]byte("\x7fELF"), make([]byte, 60)...)
		b[18] = machine
		return b[:n]
	}
	for _, c := range []struct {
		data []byte
		want nvjitlink.Kind
	}{
		{[]byte("\x50\xed\x55\xba rest"), nvjitlink.Fatbin}, {[]byte("\x50\xed\x55\xba"), nvjitlink.Fatbin}, {[]byte("\x50\xed\x55"), nvjitlink.PTX},
		{[]byte("!<arch>\n"), nvjitlink.Library}, {[]byte("!<arch>\nmore"), nvjitlink.Library}, {[]byte("!<arch>"), nvjitlink.PTX}, {[]byte("!<thin>\n"), nvjitlink.PTX},
		{elf(190, 64), nvjitlink.Cubin}, {elf(62, 64), nvjitlink.Object}, {elf(62, 20), nvjitlink.Object}, {elf(62, 19), nvjitlink.Cubin}, {elf(0, 4), nvjitlink.Cubin},
		{[]byte(".version 8.0"), nvjitlink.PTX}, {nil, nvjitlink.PTX},
	} {
		if got := kindOf(c.data); got != c.want {
			t.Errorf("%q: %v", c.data, got)
		}
	}
}

func TestTexts(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "a": "A", "z": "Z", "zero": "Zero", "apart": "Apart", "Zero": "Zero", "0 bytes": "0 bytes", "`a": "`a", "{a": "{a",
		"e_flags": "e_flags", "p_type": "p_type", "e": "E", "p-": "P-", "entry": "Entry",
	} {
		if got := capital(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
	for n, want := range map[int]string{0: "0 bytes", 9: "9 bytes", 99: "99 bytes", 999: "999 bytes", 1000: "1,000 bytes", 12345: "12,345 bytes", 123456: "123,456 bytes", 1234567: "1,234,567 bytes"} {
		if got := size(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for s, want := range map[string]string{"": "", "one": "one", " \n one\ntwo\n": "one", "one \n two": "one "} {
		if got := firstLine(s); got != want {
			t.Errorf("%q: %q", s, got)
		}
	}
	if got := split("one\ntwo\n\n"); !reflect.DeepEqual(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	some := "some"
	if text(nil) != "" || text(&some) != "some" {
		t.Error("text")
	}
}

// Each state of the oracle's verdict is reported as what it is: a refusal before findings, findings before what is not judged,
// and that before remarks.
func TestTakeVerdict(t *testing.T) {
	refusal := &check.Refusal{Kind: check.BadTable, File: "a.cubin"}
	finding := check.Finding{Kind: check.RelocationField, Section: ".text.k", Offset: 16}
	functions := []check.FunctionVerdict{{Outcome: check.Accepted}, {Outcome: check.Rejected}, {Outcome: check.NotJudged}, {Outcome: check.NotJudged}, {Outcome: check.NotJudged}}
	unjudged := []check.Finding{{Symbol: "k", Section: ".text.k", Offset: 0x20, Detail: "why"}}
	for _, c := range []struct {
		name    string
		verdict check.Verdict
		want    report.Answer
		more    int
	}{
		{"nothing", check.Verdict{}, report.Answer{Outcome: report.Accepted}, 0},
		{"refused", check.Verdict{Refusal: refusal, Total: 1, Findings: []check.Finding{finding}, Unjudged: unjudged}, report.Answer{Outcome: report.Refused, Detail: refusal.Error()}, 0},
		{"rejected", check.Verdict{Total: 5, Findings: []check.Finding{finding, finding}, Unjudged: unjudged, Remarks: []check.Finding{finding}}, report.Answer{Outcome: report.Rejected, Detail: "5 findings"}, 3},
		{"not judged", check.Verdict{Functions: functions, Unjudged: unjudged, Remarks: []check.Finding{finding}}, report.Answer{Outcome: report.Unsure, Detail: "3 of 5 functions not judged"}, 0},
		{"remarks", check.Verdict{Functions: functions, Remarks: []check.Finding{finding, finding}}, report.Answer{Outcome: report.Accepted, Detail: "2 remarks", Trace: []string{finding.String(), finding.String()}}, 0},
	} {
		c.want.Source = report.Oracle
		a := &run{q: &Question{}}
		a.takeVerdict(&c.verdict)
		if !reflect.DeepEqual(*a.oracle, c.want) || a.more != c.more || len(a.findings) != len(c.verdict.Findings) {
			t.Errorf("%s: %+v, %d findings, %d more", c.name, a.oracle, len(a.findings), a.more)
		}
		wantFunctions := report.Functions{}
		if len(c.verdict.Functions) > 0 {
			wantFunctions = report.Functions{Accepted: 1, Rejected: 1, NotJudged: 3}
		}
		if *a.functions != wantFunctions {
			t.Errorf("%s: %+v", c.name, a.functions)
		}
		if len(c.verdict.Unjudged) > 0 && !reflect.DeepEqual(a.unjudged, []report.Unjudged{{Name: "k", Reason: ".text.k+0x20: why"}}) {
			t.Errorf("%s: %+v", c.name, a.unjudged)
		}
	}
}

func TestFinding(t *testing.T) {
	f := check.Finding{Kind: check.RelocationField, File: "a.cubin", Section: ".text.k", Symbol: "v", Offset: 16, Relocation: "R_CUDA_32", Want: "1", Got: "2", Detail: "not so"}
	got := finding(f)
	if got.Key != "relocation.field.R_CUDA_32" || got.Level != report.Wrong || got.File != "a.cubin" || got.Section != ".text.k" || got.Symbol != "v" || got.Offset == nil || *got.Offset != 16 ||
		!reflect.DeepEqual(got.Values, []report.Value{{Of: "expected", Text: "1"}, {Of: "found", Text: "2"}}) || got.Meaning != "Not so. "+f.Meaning() {
		t.Errorf("%+v", got)
	}
	f = check.Finding{Kind: check.HeaderField, Want: "same", Got: "same", Offset: 7}
	if got = finding(f); got.Key != "header.field" || got.Offset != nil || got.Values != nil || got.Meaning != f.Meaning() {
		t.Errorf("%+v", got)
	}
}

// The engine's way through a relocation that the oracle traced: bits by its descriptor, and the bytes before and after.
func TestEngineTrace(t *testing.T) {
	place := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	traced, err := oracle.Trace(cuda.R_CUDA_32, place, oracle.Inputs{S: 0x1234, A: 4, Rela: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := engineTrace(&traced); len(got) != 2 || !strings.HasPrefix(got[0], "slot 0: bits 0..31, action ") || !strings.HasPrefix(got[1], "ffffffffffffffff -> 38120000ffffffff, old 0x") {
		t.Errorf("%q", got)
	}
	if !slices.Equal(traced.Before, place) || engineTrace(&oracle.Traced{}) != nil {
		t.Error("a trace without a recipe, or with changed bytes")
	}
	mercury, err := oracle.Trace(cuda.R_MERCURY_ABS64, place, oracle.Inputs{Rela: true})
	if err != nil || engineTrace(&mercury) != nil {
		t.Errorf("a type that is in no table of descriptors: %v", err)
	}
	short := traced
	short.Before = place[:2]
	if got := engineTrace(&short); len(got) != 2 || !strings.HasPrefix(got[1], "ffff -> ffff, old 0x0, ") {
		t.Errorf("%q", got)
	}
}

// What ends the gathering is the engine's answer; what doesn't is none.
func TestErrorsOfTheEngine(t *testing.T) {
	a := recorded(t, "globals/12.4-sm_80")
	a.engine, a.image, a.set.Objects[0].Data = nil, nil, []byte("text")
	if a.askEngine(); a.engine == nil || a.engine.Outcome != report.Refused || a.engine.Source != report.Engine || a.image != nil {
		t.Errorf("%+v", a.engine)
	}
	was := a.engine
	if a.askEngine(); a.engine != was {
		t.Error("asked again")
	}
	if a.askOracle(); a.oracle != nil {
		t.Error("the oracle judged nothing")
	}
}

// Words are drawn of findings at a place, the instruction that it is in where it is code, of every side that has it.
func TestAddWords(t *testing.T) {
	a := recorded(t, "globals/12.4-sm_80")
	a.judged, a.nvImage = slices.Clone(a.image), []byte("no file")
	f, err := cubin.Open("", a.judged)
	if err != nil {
		t.Fatal(err)
	}
	text := f.Section(f.Lookup(".text.kg"))
	strtab := f.Section(f.Lookup(".strtab"))
	at := func(n uint64) *uint64 { return &n }
	hexOf := func(from uint64) string { return fmt.Sprintf("%x", a.judged[from:from+wordLength]) }
	code, names := hexOf(text.Off+16), hexOf(strtab.Off+3)
	side := func(bytes string) []report.Word {
		return []report.Word{{Of: "found", Bytes: bytes}, {Of: "engine", Bytes: bytes}}
	}
	values := []report.Value{{Of: "expected", Text: "abcd"}, {Of: "found", Text: "0000"}}
	end := strtab.Size - 2
	for _, c := range []struct {
		name    string
		finding report.Finding
		want    []report.Word
	}{
		{"code", report.Finding{Section: ".text.kg", Offset: at(21), Values: values}, append([]report.Word{{Of: "expected", Bytes: code[:10] + "abcd" + code[14:]}}, side(code)...)},
		{"data", report.Finding{Section: ".strtab", Offset: at(3), Values: values}, append([]report.Word{{Of: "expected", Bytes: "abcd" + names[4:]}}, side(names)...)},
		{"the last bytes", report.Finding{Section: ".strtab", Offset: &end, Values: values}, append([]report.Word{{Of: "expected", Bytes: "abcd"}}, side(fmt.Sprintf("%x", a.judged[strtab.Off+end:strtab.Off+strtab.Size]))...)},
		{"behind the end", report.Finding{Section: ".strtab", Offset: &strtab.Size, Values: values}, nil},
		{"no such section", report.Finding{Section: ".text", Offset: at(0), Values: values}, nil},
		{"no section", report.Finding{Offset: at(0), Values: values}, nil},
		{"no place", report.Finding{Section: ".strtab", Values: values}, nil},
		{"no values", report.Finding{Section: ".strtab", Offset: at(0)}, nil},
		{"one value", report.Finding{Section: ".strtab", Offset: at(0), Values: values[:1]}, nil},
		{"no bytes", report.Finding{Section: ".strtab", Offset: at(0), Values: []report.Value{{Text: "size 4"}, {Text: "size 8"}}}, nil},
	} {
		row := report.Row{Findings: []report.Finding{c.finding}}
		if a.addWords(&row); !reflect.DeepEqual(row.Findings[0].Words, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, row.Findings[0].Words, c.want)
		}
	}
	many := report.Row{}
	for range drawnWords + 1 {
		many.Findings = append(many.Findings, report.Finding{Section: ".strtab", Offset: at(3), Values: values})
	}
	if a.addWords(&many); many.Findings[drawnWords-1].Words == nil || many.Findings[drawnWords].Words != nil {
		t.Error("not the first twenty have words")
	}
	a.judged, a.nvImage = []byte("no file"), a.image
	row := report.Row{Findings: []report.Finding{{Section: ".strtab", Offset: at(3), Values: values}}}
	if a.addWords(&row); row.Findings[0].Words != nil {
		t.Error("words of a file that was not judged")
	}
	if a.addWords(&report.Row{}); len(row.Findings) != 1 {
		t.Error("a row without findings")
	}
}

// How two images differ is shown by key and value of both sides.
func TestDifferences(t *testing.T) {
	a := recorded(t, "globals/12.4-sm_80")
	other := slices.Clone(a.image)
	other[48] ^= 1 // e_flags
	list, more := differences(a.image, other)
	values := func(ours, nvlinks string) []report.Value {
		return []report.Value{{Of: string(report.Engine), Text: ours}, {Of: string(report.Nvlink), Text: nvlinks}}
	}
	if want := []report.Finding{{Key: "header.sm", Level: report.Wrong, Values: values("sm_80", "sm_81")}, {Key: "header.flags", Level: report.Wrong, Values: values("0x00320550", "0x00320551")}}; !reflect.DeepEqual(list, want) || more != 0 {
		t.Errorf("%+v, %d", list, more)
	}
	if list, more = differences(a.image, append(slices.Clone(a.image), 0)); len(list) != 1 || more != 0 || !reflect.DeepEqual(list[0].Values, values("7200", "7201")) {
		t.Errorf("%+v, %d", list, more)
	}
	for _, other := range [][]byte{nil, []byte("text")} {
		if list, more = differences(a.image, other); len(list) != 1 || more != 0 || list[0].Key != "file.bytes" || list[0].Level != report.Wrong {
			t.Errorf("%d bytes: %+v, %d", len(other), list, more)
		}
	}
	a.engine = &report.Answer{Source: report.Engine, Outcome: report.Linked, Detail: "7 bytes"}
	a.nvlink = &report.Answer{Source: report.Nvlink, Outcome: report.Refused, Detail: "no"}
	if got := a.outcomes(); !reflect.DeepEqual(got, []report.Value{{Of: string(report.Engine), Text: "linked: 7 bytes"}, {Of: string(report.Nvlink), Text: "refused: no"}}) {
		t.Errorf("%+v", got)
	}
}
