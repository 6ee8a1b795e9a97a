package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury/internal/learn"
)

// Forms of one tag: what nvlink 13.5 has for sm_120 and 121, and for the others.
const (
	newer = "model\t35+5 86+10\t33+2=1 40+32=500 72+14=300 100+28=22\nshape\t8cb\t0\t300\nconst\t000000000001400000000000000008cb\nbit\t12+3\t35\nbit\t15+1\t32\nbit\t16+8\t86\nbit\t73+1\t96\ntable\t74,75,76,77\t97,98,99\t0=4 1=9 2=a 3=b 4=c\n"
	older = "model\t35+5 86+10\t33+2=1 40+32=500 72+14=300 99+1=0 101+27=21\nshape\t7ac\t0\t300\nconst\t000000000800080000000000ff0007ac\nbit\t12+3\t35\nbit\t15+1\t32\nbit\t16+8\t86\ntable\t39,40,41,42,43,44,45,46,73\t96,97,98,100\t2=34 3=35 4=36 5=37 6=38 7=39 8=42 9=43 a=b4 b=5b c=154 d=156 e=158\n"
	wrong = "model\t35+5 86+10\t33+2=1 40+32=500 72+14=300 99+1=0 101+27=21\nshape\t7ac\t0\t300\nconst\t000000000800080000000000ff0007ad\nbit\t12+3\t35\nbit\t15+1\t32\nbit\t16+8\t86\ntable\t39,40,41,42,43,44,45,46,73\t96,97,98,100\t2=34 3=35 4=36 5=37 6=38 7=39 8=42 9=43 a=b4 b=5b c=154 d=156 e=158\n"
	other = "plain\t301\t100,103\t13.5\nmodel\t\t\n"
	// 13.0 is not asked.
	oldRelease = "form\t010b0e0a\t100\t13.0\n" + wrong
)

// behindParameters is a load from bank 0x49, whose place depends on the kernel.
const behindParameters = "02220e06f8004200000001014900020000000000000000000000000000000000"

// recordsOfTag returns those of a file of the committed ones that have a tag.
func recordsOfTag(t *testing.T, tag string) string {
	t.Helper()
	var list []string
	for line := range strings.Lines(readFile(t, "../ptx/records.txt")) {
		if strings.HasPrefix(line, tag) {
			list = append(list, line)
		}
	}
	if len(list) < 8 {
		t.Fatalf("%d records of %s", len(list), tag)
	}
	return strings.Join(list, "")
}

// said returns what a function prints to standard error, and its error.
func said(t *testing.T, f func() error) (string, error) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	old := os.Stderr
	os.Stderr = file
	failed := f()
	os.Stderr = old
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), failed
}

// The rules of a table are tried on nvlink: those that hold, those that don't, and those of which it says nothing, are
// told apart, and what doesn't hold is omitted where that is asked for.
func TestVerify(t *testing.T) {
	replay.Use(t, "testdata/verify.gz", ptxasRelease, nvlinkRelease)
	records := recordsOfTag(t, "010b0e0a")
	for _, test := range []struct {
		name, table string
		o           options
		left        string // of the table, with drop
		want        []string
		fails       string
	}{
		{name: "all hold", table: "# remark\n" + other + "form\t010b0e0a\t120,121\t13.5\n" + newer + oldRelease + "form\t010b0e0a\t100,107\t13.5\n" + older,
			want: []string{"of 4 forms on an SM 4 hold, 0 don't, 0 weren't answered"}},
		{name: "wrong on all", table: "form\t010b0e0a\t100,107\t13.5\n" + wrong,
			want: []string{"010b0e0a on sm_100: other words of 010b0e0a", "010b0e0a on sm_107: other words of 010b0e0a", "of 2 forms on an SM 0 hold, 2 don't, 0 weren't answered"}, fails: "2 forms differ on an SM"},
		{name: "wrong, silent and right", table: "# remark\n" + other + "form\t010b0e0a\t100,103,120\t13.5\n" + newer + "form\t010b0e0a\t121\t13.5\n" + newer + "form\t010b0e0a\t100\t13.5\n" + wrong,
			o: options{drop: true}, left: "# remark\n" + other + "form\t010b0e0a\t100,103,120\t13.5\n" + newer + "form\t010b0e0a\t121\t13.5\n" + newer,
			want: []string{"010b0e0a on sm_100: no answer to 96 records", "010b0e0a on sm_103: no answer to 96 records", "of 5 forms on an SM 2 hold, 1 don't, 2 weren't answered"}},
		{name: "another tag only", table: "form\t010b0e0a\t100\t13.5\n" + wrong, o: options{only: "01000c0a"},
			want: []string{"of 0 forms on an SM 0 hold, 0 don't, 0 weren't answered"}},
		{name: "this tag only", table: "form\t010b0e0a\t100\t13.5\n" + older + "form\t01000c0a\t100\t13.5\n" + older, o: options{only: "010b0e0a"},
			want: []string{"of 1 forms on an SM 1 hold, 0 don't, 0 weren't answered"}},
		{name: "one in two", table: other + "form\t010b0e0a\t100\t13.5\n" + wrong + "form\t010b0e0a\t100\t13.5\n" + older, o: options{verify: 2},
			want: []string{"of 1 forms on an SM 1 hold, 0 don't, 0 weren't answered"}},
		{name: "words of the kernel", table: "form\t02220e06\t100\t13.5\nmodel\t86+10\t96+8=49\nshape\tb82\t0\t9\nconst\t00000000000008000000e400ff000b82\nbit\t16+8\t86\n",
			want: []string{"02220e06 on sm_100: other words of " + behindParameters, "of 1 forms on an SM 0 hold, 1 don't, 0 weren't answered"}, fails: "1 forms differ on an SM"},
		{name: "no record", table: "form\t010b0e0a\t100\t13.5\n" + strings.Replace(older, "33+2=1", "33+2=2", 1),
			want: []string{"010b0e0a on sm_100: no answer to 0 records", "of 1 forms on an SM 0 hold, 0 don't, 1 weren't answered"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := folder(t, "", "# records\n\n"+records+"01000c0afa0041000000030180010002 # another\n"+behindParameters+"\n")
			o := test.o
			o.dir, o.out = dir, filepath.Join(dir, "table.tsv")
			o.verify = max(o.verify, 1)
			write(t, o.out, test.table)
			text, err := said(t, func() error { return run(t.Context(), &o) })
			if message := ""; err != nil {
				if message = err.Error(); message != test.fails {
					t.Errorf("%s, want %s", message, test.fails)
				}
			} else if test.fails != "" {
				t.Errorf("no error, want %s", test.fails)
			}
			lines := strings.Split(text, "\n")
			for _, want := range test.want {
				if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
					t.Errorf("%q says nothing of %q", text, want)
				}
			}
			want := test.table
			if test.left != "" {
				want = test.left
			}
			if got := readFile(t, o.out); got != want {
				t.Errorf("the table is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// An SM is added to the forms that hold on it: of a tag to one, and not to a form that has it.
func TestExtend(t *testing.T) {
	replay.Use(t, "testdata/extend.gz", ptxasRelease, nvlinkRelease)
	dir := folder(t, "", "")
	more := filepath.Join(t.TempDir(), "more.txt")
	write(t, more, recordsOfTag(t, "010b0e0a"))
	for _, test := range []struct{ name, before, after string }{
		{"no form of the SM", "# remark\n" + other + "form\t010b0e0a\t120,121\t13.5\n" + wrong + "form\t010b0e0a\t100,110\t13.5\n" + older + "form\t010b0e0a\t103\t13.5\n" + older,
			"# remark\n" + other + "form\t010b0e0a\t120,121\t13.5\n" + wrong + "form\t010b0e0a\t100,107,110\t13.5\n" + older + "form\t010b0e0a\t103\t13.5\n" + older},
		{"it is there", "form\t010b0e0a\t100\t13.5\n" + older + "form\t010b0e0a\t107\t13.5\n" + wrong, "form\t010b0e0a\t100\t13.5\n" + older + "form\t010b0e0a\t107\t13.5\n" + wrong},
	} {
		o := options{dir: dir, out: filepath.Join(dir, "table.tsv"), extend: 107, records: more, parts: t.TempDir()}
		if _, err := cached(o.parts, nothingMade); err != nil {
			t.Fatal(err)
		}
		write(t, o.out, test.before)
		text, err := said(t, func() error { return run(t.Context(), &o) })
		if err != nil {
			t.Fatal(err)
		}
		if got := readFile(t, o.out); got != test.after {
			t.Errorf("%s: the table is\n%s\nwant\n%s\nsaid: %s", test.name, got, test.after, text)
		}
	}
}

// nothingMade has no samples: the records are all there is.
func nothingMade() (map[uint32][]learn.Sample, error) { return map[uint32][]learn.Sample{}, nil }

// Of a form what is wrong goes, on the SMs on which it is; where it is wrong on all, the form goes.
func TestWithoutWrong(t *testing.T) {
	const table = "# remark\nplain\t301\t100\t13.5\nform\t00000001\t100,103\t13.5\nmodel\nform\t00000001\t107\t13.5\nmodel\nform\t00000002\t110\t13.5\nmodel\n"
	blocks := blocksOf(table)
	if got := withoutWrong(blocks); got != table {
		t.Errorf("%q, want %q", got, table)
	}
	for i := range blocks {
		switch blocks[i].tag {
		case 1:
			blocks[i].wrong = []int{103, 107}
		}
	}
	const want = "# remark\nplain\t301\t100\t13.5\nform\t00000001\t100\t13.5\nmodel\nform\t00000002\t110\t13.5\nmodel\n"
	if got := withoutWrong(blocks); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A form holds on an SM where nvlink answered enough, and all as the rules say.
func TestHolds(t *testing.T) {
	for _, test := range []struct {
		t    trial
		want bool
	}{
		{trial{asked: 96, answered: 96}, true}, {trial{asked: 96, answered: 8}, true}, {trial{asked: 96, answered: 7}, false},
		{trial{asked: 7, answered: 7}, true}, {trial{asked: 7, answered: 6}, false}, {trial{asked: 1, answered: 1}, true},
		{trial{}, false}, {trial{asked: 96, answered: 96, other: []byte{1}}, false},
	} {
		if got := test.t.holds(); got != test.want {
			t.Errorf("%+v: %t", test.t, got)
		}
	}
}

// A record that is in a file has 16 or 32 bytes; a line may be a remark.
func TestRecordsOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r")
	short, long := strings.Repeat("01", 16), strings.Repeat("02", 32)
	write(t, file, "# remark\n\n"+short+" # remark\n  "+long+"\n")
	list, err := recordsOf(file)
	if err != nil || len(list) != 2 || len(list[0]) != 16 || len(list[1]) != 32 || tagOf(list[0]) != 0x01010101 {
		t.Errorf("%x, %v", list, err)
	}
	if got := tagOf([]byte{1, 2, 3, 4, 5}); got != 0x01020304 {
		t.Errorf("tag %08x", got)
	}
	for _, bad := range []string{"01", strings.Repeat("01", 17), strings.Repeat("01", 33), "xy" + short[2:]} {
		write(t, file, bad)
		if _, err := recordsOf(file); err == nil || err.Error() != file+": record \""+bad+"\"" {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := recordsOf(file + "x"); err == nil {
		t.Error("no file and no error")
	}
}

func TestChoose(t *testing.T) {
	samples := map[uint32][]learn.Sample{0x30: {{}}, 0x10: {{}}, 0x20: {{}}}
	for only, want := range map[string][]uint32{"": {0x10, 0x20, 0x30}, "none": nil, "20": {0x20}, "30,40,10": {0x30, 0x10}} {
		if got, err := choose(samples, only); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %x, %v", only, got, err)
		}
	}
	for _, only := range []string{"xyz", "20,", "123456789"} {
		if _, err := choose(samples, only); err == nil {
			t.Errorf("%q: no error", only)
		}
	}
}
