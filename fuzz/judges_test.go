package fuzz

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/objects"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/oracle/check"
)

// A linker that breaks one of the relations is told of by that one's name, with the link; one that breaks none agrees.
func TestMetamorphicTells(t *testing.T) {
	refuses := errors.New("refused")
	var input []byte
	var l objects.Link
	for n := uint64(0); ; n++ {
		input = SeededInput("metamorphic", n, 400)
		r := NewReader(input)
		if l = ReadMetamorphic(r); l.Release() < "13" || len(l.Modules) < 2 {
			continue
		}
		q := questionOf(&l)
		q.Args = append(q.Args, "-r")
		if _, err := Engine(&q); err != nil {
			continue
		}
		if ruling, d := JudgeMetamorphic(r, l, Engine); ruling == Agree && d == nil {
			break
		}
	}
	q := questionOf(&l)
	image, err := Engine(&q)
	if err != nil {
		t.Fatal(err)
	}
	other := objects.Read(NewReader(SeededInput("metamorphic", 77, 400)))
	elsewhere := questionOf(&other)
	foreign, err := Engine(&elsewhere)
	if err != nil {
		foreign, err = os.ReadFile("../internal/dump/testdata/13.0-sm_90-linked.cubin")
	}
	if err != nil {
		t.Fatal(err)
	}
	asked := 0 // questions by number: the link, permuted, dead code added, split, the first step, two steps
	faulty := func(at int, answer func() ([]byte, error)) Linker {
		asked = 0
		return func(q *Question) ([]byte, error) {
			if asked++; asked-1 == at {
				return answer()
			}
			return Engine(q)
		}
	}
	for _, c := range []struct {
		at     int
		answer func() ([]byte, error)
		ruling Ruling
		key    string
		asked  int
	}{
		{0, func() ([]byte, error) { return nil, refuses }, BothRefuse, "", 1},
		{0, func() ([]byte, error) { return []byte("x"), nil }, Diverge, "metamorphic-open", 1},
		{1, func() ([]byte, error) { return nil, refuses }, Diverge, "metamorphic-permuted", 2},
		{1, func() ([]byte, error) { return foreign, nil }, Diverge, "metamorphic-permuted", 2},
		{1, func() ([]byte, error) { return image, nil }, Agree, "", 6},
		{2, func() ([]byte, error) { return foreign, nil }, Diverge, "metamorphic-dead code added", 3},
		{3, func() ([]byte, error) { return foreign, nil }, Diverge, "metamorphic-split", 4},
		{3, func() ([]byte, error) { return []byte("x"), nil }, Diverge, "metamorphic-split", 4},
		{4, func() ([]byte, error) { return nil, refuses }, Agree, "", 5},
		{5, func() ([]byte, error) { return foreign, nil }, Diverge, "metamorphic-in two steps", 6},
		{6, nil, Agree, "", 6},
	} {
		r := NewReader(input)
		ruling, d := JudgeMetamorphic(r, ReadMetamorphic(r), faulty(c.at, c.answer))
		if key := keyOf(d); ruling != c.ruling || key != c.key || asked != c.asked {
			t.Errorf("question %d: %s, %q after %d questions, want %s, %q after %d", c.at, ruling, key, asked, c.ruling, c.key, c.asked)
		}
		if c.ruling == Diverge && c.key != "metamorphic-open" && d.What == "" {
			t.Errorf("%+v", d)
		}
	}
}

func keyOf(d *Divergence) string {
	if d == nil {
		return ""
	}
	return d.Key
}

// The facts of an image of nvlink's, as nvdisasm and readelf show them.
func TestFacts(t *testing.T) {
	image, err := os.ReadFile("../internal/dump/testdata/13.0-sm_90-linked.cubin")
	if err != nil {
		t.Fatal(err)
	}
	got, err := facts(image)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"k": "size 768", "k code": "flags 0x6", ".nv.constant0.k": "size 568", "k EIATTR_REGCOUNT": "24", "k EIATTR_FRAME_SIZE": "0", "k EIATTR_MIN_STACK_SIZE": "0",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 6 {
		t.Errorf("%d facts: %v", len(got), got)
	}
	if _, err := facts([]byte("x")); err == nil {
		t.Error("no image has facts")
	}
}

// What differs is named by the first key, but for causes of others, wherever they stand.
func TestDifference(t *testing.T) {
	image, err := os.ReadFile("../internal/dump/testdata/13.0-sm_90-linked.cubin")
	if err != nil {
		t.Fatal(err)
	}
	change := func(list ...int) []byte {
		b := bytes.Clone(image)
		for i := 0; i < len(list); i += 2 {
			b[list[i]] = byte(list[i+1])
		}
		return b
	}
	for _, c := range []struct {
		other       []byte
		kind, first string
	}{
		{change(48, 2), "header-flags", "header.flags: engine 0x06005a04, nvlink 0x06005a02; 1 keys in all"},
		{change(0x420+6*24+8, 8, 48, 2), "header-flags", "header.flags: engine 0x06005a04, nvlink 0x06005a02; 2 keys in all"},
		{change(0xe80-1, 1), "file-bytes", "file.bytes: engine 0x00 at 0xe7f, nvlink 0x01 at 0xe7f; 1 keys in all"},
		{[]byte("x"), "bytes", "from byte 0x0 on"},
		{image, "bytes", "from byte 0x1ab0 on"},
	} {
		if kind, first := difference(image, c.other); kind != c.kind || first != c.first {
			t.Errorf("%q, %q, want %q, %q", kind, first, c.kind, c.first)
		}
	}
	// .nv.constant3's symbol gets the name of one that has others in its train, and follows the header's flags.
	a, b := change(), change(48, 2)
	for _, data := range [][]byte{a, b} {
		at := bytes.Index(data[0x40:], []byte(".nv.constant3\x00")) + 0x40
		data[at+len(".nv.constant")] = '2'
		at = bytes.Index(data[0x1e5:], []byte(".nv.constant3\x00")) + 0x1e5
		data[at+len(".nv.constant")] = '2'
	}
	b[0x420+5*24+8] = 4
	if kind, first := difference(a, b); kind != "symbol-constant2" || !strings.HasPrefix(first, "symbol..nv.constant2.value: engine 0x0, nvlink 0x4; ") {
		t.Errorf("%q, %q", kind, first)
	}
}

func TestStory(t *testing.T) {
	q := Question{Release: "13.0", Args: []string{"-arch=sm_90"}, Inputs: []engine.Input{{Name: "m0.cubin"}, {Name: "m1.cubin"}}}
	const command = "nvlink 13.0 -arch=sm_90 m0.cubin m1.cubin -o out.cubin\n"
	for _, c := range []struct {
		from, final []string
		want        string
	}{
		{nil, nil, command},
		{[]string{"a/b"}, nil, command + "made of a/b of the corpus\n"},
		{[]string{"a", "b"}, nil, command + "m0.cubin is a of the corpus\nm1.cubin is b of the corpus\n"},
		{nil, []string{"-g"}, command + "and then -g out.cubin -o final.cubin\n"},
	} {
		q.From, q.Final = c.from, c.final
		if got := q.story(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	q.Final = nil
	q.Inputs[1].Data = []byte("abc")
	d := (&Divergence{Key: "k"}).of(&q)
	if q.size() != 3 || d.Link == nil || d.Link.Release != "13.0" || !slices.Equal(d.Link.Options, q.Args) || len(d.Link.Inputs) != 2 || string(d.Link.Inputs[1].Data) != "abc" || d.Link.Inputs[1].Name != "m1.cubin" {
		t.Errorf("%+v", d.Link)
	}
	q.Final = []string{"-g"}
	if d := (&Divergence{}).of(&q); d.Link != nil {
		t.Error("two steps are kept as a link of one")
	}
	if (*Divergence)(nil).of(&q) != nil {
		t.Error("nothing was found")
	}
	long := Divergence{Key: "k", What: "w", Traces: []Trace{{"one", "text\n\n"}, {"two", ""}}, Link: &reduce.Case{}}
	if got, want := long.Error(), "k: w\n--- one\ntext\n--- two\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	findings := []check.Finding{{Kind: check.CodeBytes}, {Kind: check.CodeBytes}}
	if got := kinds(findings); got != check.CodeBytes.String() {
		t.Errorf("%q", got)
	}
}

// A question of a release that there is none of, or with options that are refused, is no link.
func TestNoLink(t *testing.T) {
	q := Question{Release: "10.0"}
	if out, err := q.Link(); out != nil || err == nil || err.Error() != "fuzz: no release 10.0" {
		t.Errorf("%v, %v", out, err)
	}
	if ruling, d := q.Judge("key"); ruling != Diverge || keyOf(d) != "key-refusal" || !strings.HasPrefix(d.What, "refused by ") || len(d.Traces) != 1 || d.Traces[0].Witness != "link" {
		t.Errorf("%s, %+v", ruling, d)
	}
	q = Question{Release: "13.0", Args: []string{"--nonsense"}}
	if ruling, d := q.Judge("key"); ruling != BothRefuse || d != nil {
		t.Errorf("%s, %v", ruling, d)
	}
	image, err := os.ReadFile("../internal/dump/testdata/13.0-sm_90-a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../internal/dump/testdata/13.0-sm_90-b.cubin")
	if err != nil {
		t.Fatal(err)
	}
	q = Question{Release: "13.0", Args: []string{"-arch=sm_90"}, Inputs: []engine.Input{{Name: "a.cubin", Data: image}, {Name: "b.cubin", Data: other}}}
	if ruling, d := q.Judge("key"); ruling != Agree || d != nil {
		t.Errorf("%s, %v", ruling, d)
	}
	one, err := q.Link()
	if err != nil {
		t.Fatal(err)
	}
	q.Args = append(q.Args, "-r")
	q.Final = []string{"-arch=sm_90"}
	if ruling, d := q.Judge("key"); ruling != Inexpressible || d != nil {
		t.Errorf("two steps: %s, %v", ruling, d)
	}
	two, err := q.Link()
	if err != nil || bytes.Equal(one.Image, two.Image) {
		t.Errorf("two steps give what one gives, notes included: %v", err)
	}
	q.Final = []string{"--nonsense"}
	if _, err := q.Link(); err == nil {
		t.Error("the second step has no such option")
	}
}

// What may be known and what may not, by the kind of question.
func TestUnknown(t *testing.T) {
	programs, edits := &Kind{Name: "programs"}, &Kind{Name: "edits"}
	for _, c := range []struct {
		kind *Kind
		key  string
		left bool
	}{
		{programs, "programs-nobody-knows-this", true},
		{edits, "edits-oracle-bytes", false},
		{edits, "edits-oracle-panic", true},
		{edits, "edits-oracle-time", true},
		{edits, "edits-refusal", true},
		{programs, "programs-oracle-nobody-knows-this", true},
	} {
		if got := c.kind.unknown(&Divergence{Key: c.key}); (got != nil) != c.left {
			t.Errorf("%s: %v", c.key, got)
		}
	}
	if programs.unknown(nil) != nil || unknown(nil) != nil {
		t.Error("nothing was found")
	}
	for line := range strings.Lines(knownKeys) {
		key, _, ok := strings.Cut(line, "\t")
		if !ok || key == "" || key[0] == '#' {
			continue
		}
		name, any := strings.CutSuffix(key, "*")
		if any {
			name += "rest"
		}
		if unknown(&Divergence{Key: name}) != nil {
			t.Errorf("%s isn't known", name)
		}
		if rest, ok := strings.CutPrefix(name, "programs-"); ok {
			for _, kind := range []string{"alone-", "options-"} {
				if unknown(&Divergence{Key: kind + rest}) != nil {
					t.Errorf("%s isn't known", kind+rest)
				}
			}
		}
	}
	for text, want := range map[string]string{"a\tb\tc\td\te": "known.tsv: line 1 has 5 fields, want 6", "# x\n\na\tb": "known.tsv: line 3 has 2 fields, want 6"} {
		if _, err := readKnown(text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	list, err := readKnown("c\to\tx,y\tw\tz\tm")
	if err != nil || len(list) != 1 || list[0].line() != "c\to\tx,y\tw\tz\tm" || !slices.Equal(list[0].What, []string{"x", "y"}) || list[0].Wrong != "w" || list[0].Why != "z" {
		t.Errorf("%+v, %v", list, err)
	}
	if class("oracle", "sm_100", "x") != "oracle|two sides|x" || class("nvlink", "sm_90", "y") != "nvlink|one side|y" {
		t.Error("sides")
	}
}

// A mix is named by its release, its options and its inputs' bytes, not by their names.
func TestContent(t *testing.T) {
	base := func() *Mix {
		return &Mix{Release: "13.0", Args: []string{"-g"}, Inputs: []engine.Input{{Name: "a", Data: []byte("1")}, {Name: "b", Data: []byte("2")}}}
	}
	want := base().Content()
	if len(want) != 16 {
		t.Errorf("%q", want)
	}
	for name, change := range map[string]func(m *Mix){
		"release": func(m *Mix) { m.Release = "12.4" }, "option": func(m *Mix) { m.Args = nil }, "bytes": func(m *Mix) { m.Inputs[1].Data = []byte("3") },
		"order": func(m *Mix) { slices.Reverse(m.Inputs) }, "where one ends": func(m *Mix) { m.Inputs[0].Data, m.Inputs[1].Data = []byte("12"), nil },
	} {
		m := base()
		if change(m); m.Content() == want {
			t.Errorf("another %s, the same name", name)
		}
	}
	m := base()
	if m.Inputs[0].Name = "z"; m.Content() != want {
		t.Error("the inputs' names count")
	}
}

// What was saved is read with its fields, and a line that isn't one is an error.
func TestFoundLines(t *testing.T) {
	dir := t.TempDir()
	if list, err := ReadFound(dir); list != nil || err != nil {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "h"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"k\th\t3\tw\n": "", "k\tgone\t3\tw\n": "", "k\th\t3\n": "3 fields, want 4", "k\th\tx\tw\n": "invalid syntax"} {
		if err := os.WriteFile(filepath.Join(dir, keysFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := ReadFound(dir)
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", text, err)
			}
		case err != nil || strings.Contains(text, "gone") != (len(list) == 0):
			t.Errorf("%q: %v, %v", text, list, err)
		case len(list) == 1 && list[0] != (Found{"k", "h", 3, "w"}):
			t.Errorf("%+v", list)
		}
	}
	if err := writeFound(dir, []Found{{"b", "2", 1, "x\ty"}, {"a", "9", 2, ""}, {"a", "1", 3, ""}}); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, keysFile), "a\t1\t3\t\na\t9\t2\t\nb\t2\t1\tx y\n")
}

// Counts are left in the folder that the environment names, ten times a second at most.
func TestCounter(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TWINLINK_FUZZ_COUNTS", dir)
	c := &Counter{Target: "T"}
	c.Add("agree", 2)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	c.left = time.Now().Add(-time.Second)
	c.began = time.Now().Add(-5 * time.Second)
	c.Add("agree", 3)
	c.Add("diverge", 1)
	if files, err = os.ReadDir(dir); err != nil || len(files) != 1 || !strings.HasPrefix(files[0].Name(), "T-") {
		t.Fatalf("%v, %v", files, err)
	}
	holds(t, filepath.Join(dir, files[0].Name()), "agree 5\nmilliseconds 5")
	if text := c.text(); !strings.HasPrefix(text, "agree 5\ndiverge 1\nmilliseconds 5") {
		t.Errorf("%q", text)
	}
}
