package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/hostelf"
)

var updateCommands = flag.Bool("update-commands", false, "write testdata/commands.txt anew")

// Commands as somebody types them, right and wrong: testdata/commands.txt has what each prints and writes, and its exit
// status. No other tool prints this. A change isn't wrong; whoever makes it reads what git shows of the file:
//
//	go test ./cmd/twinlink -run TestCommands -update-commands
//
// Files are those of the scripts (linked.cubin is nvlink 13.0's), and those that commandFiles makes.
var commandLines = `
diff a.cubin a.cubin
diff a.cubin b.cubin
diff --ignore section --ignore symbol --ignore program a.cubin b.cubin
diff --only header a.cubin b.cubin
diff --only note --only header linked.cubin bad.cubin
diff linked.cubin bad.cubin
diff --format json linked.cubin bad.cubin
diff --format markdown linked.cubin bad.cubin
diff --format sarif linked.cubin bad.cubin
diff --format junit linked.cubin bad.cubin
diff --format html --report w/d.html linked.cubin bad.cubin
diff --report w/d.txt linked.cubin bad.cubin
diff --format csv a.cubin b.cubin
diff a.cubin
diff a.cubin none.cubin
diff a.cubin text
diff text text
diff text short
diff --onyl header a.cubin b.cubin
diff --ignore nonsense a.cubin b.cubin
diff lib.a lib.a
diff --member b.cubin lib.a a.cubin
diff --arch sm_80 a.cubin b.cubin
diff f.fatbin part.o
dump
dump none.cubin text
dump --only header a.cubin b.cubin
dump --only header,nonsense a.cubin
dump --only notes,attributes linked.cubin
dump --only symbols --format json linked.cubin
dump --format html a.cubin
dump --only header lib.a
dump --only header --member a.cubin lib.a
dump --only header --member none lib.a
dump --only header --arch sm_80 f.fatbin
dump --only header --arch sm_1 f.fatbin
list lib.a part.o f.fatbin program a.cubin
list --format json lib.a f.fatbin
list --arch sm_75 part.o
list --arch nonsense part.o
list none text empty
list --member a.cubin lib.a
extract f.fatbin -o w/f
extract lib.a -o w/l
extract --arch sm_75 part.o -o w/p
extract --arch sm_1 part.o -o w/p
extract text -o w/t
extract f.fatbin
stack linked.cubin
stack --all linked.cubin sm100.cubin
stack --all --format json linked.cubin
stack a.cubin text none
stack
capsule linked.cubin
capsule sm100.cubin
capsule --format json a.cubin
capsule none
capsule rebuild sm100.cubin -o w/same
capsule rebuild linked.cubin -o w/same
capsule rebuild sm100.cubin
capsule rebuild text -o w/same
selfcheck sm100.cubin
selfcheck linked.cubin
selfcheck sm100.cubin bad100.cubin linked.cubin
selfcheck --codes section bad100.cubin
selfcheck --codes nonsense bad100.cubin
selfcheck --format json bad100.cubin
selfcheck --format json-full bad100.cubin
selfcheck --format markdown bad100.cubin
selfcheck --format sarif bad100.cubin
selfcheck --format junit bad100.cubin
selfcheck --format html --report w/s.html bad100.cubin
selfcheck --allow-unknown bad100.cubin
selfcheck --out-sass w/sass bad100.cubin
selfcheck --out-sass w/sass sm100.cubin bad100.cubin
selfcheck --out-sass none/sass sm100.cubin
selfcheck --witness sm100.cubin linked.cubin
selfcheck text none.cubin
selfcheck
selfcheck --progress json sm100.cubin
selfcheck --progress nonsense sm100.cubin
finalize -arch sm_100 sm100.cubin
finalize -arch sm_103 sm100.cubin
finalize -arch sm_120 sm100.cubin linked.cubin
finalize -arch=sm_103 --format json sm100.cubin
finalize -arch=sm_103 --format html sm100.cubin
finalize -arch=sm_103 --rules document sm100.cubin
finalize -arch=sm_103 --rules nonsense sm100.cubin
finalize -arch=sm_100 sm100.cubin -o w/copy
finalize -arch=sm_100 --self-check bad100.cubin -o w/copy
finalize -arch=sm_100 --self-check --out-sass sm100.cubin -o w/copy
finalize -arch=sm_100 --opportunistic-finalization-lvl 2 sm100.cubin
finalize -arch=sm_100 --opportunistic-finalization-lvl 9 sm100.cubin
finalize -arch=sm_100 --binary-kind sass sm100.cubin -o w/copy
finalize -arch=sm_100 --binary-kind capmerc sm100.cubin -o w/copy
finalize -arch=sm_100 --binary-kind nonsense sm100.cubin
finalize -arch=sm_100 --fastpath-off sm100.cubin -o w/copy
finalize -arch=sm_100 --nonsense sm100.cubin
finalize -arch sm_100
finalize -arch nonsense sm100.cubin
finalize sm100.cubin
finalize -arch=sm_100 text none
verify --no-nvlink -arch=sm_90 a.cubin b.cubin
verify --no-nvlink -arch=sm_90 a.cubin
verify --no-nvlink -arch=sm_90 a.cubin a.cubin
verify --no-nvlink -arch=sm_80 a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --output linked.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --output linked.cubin b.cubin
verify --no-nvlink -arch=sm_90 --output text a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --output none a.cubin b.cubin
verify --no-nvlink --strict -arch=sm_90 --output linked.cubin b.cubin a.cubin
verify --no-nvlink --allow-unjudged -arch=sm_90 a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format markdown --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format json --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format sarif --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format junit --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format html --report w/v.html --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --format csv a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --repro w/bad.zip --output bad.cubin a.cubin b.cubin
verify --no-nvlink -arch=sm_90 -r a.cubin b.cubin
verify --no-nvlink -arch=sm_90 -optf opts a.cubin b.cubin
verify --no-nvlink -arch=sm_90 -optf none a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --nonsense a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --progress json a.cubin b.cubin
verify --no-nvlink -arch=sm_90 --report none/r a.cubin b.cubin
verify --no-nvlink -arch=sm_75 --registered reg.c part.o
verify --no-nvlink -arch=sm_75 --registered text part.o
verify --nvjitlink=none --no-nvlink -arch=sm_90 a.cubin b.cubin
verify --nvjitlink=9.9 --no-nvlink -arch=sm_90 a.cubin b.cubin
verify --nvjitlink=nonsense -arch=sm_90 a.cubin b.cubin
verify --no-nvlink a.cubin
verify --no-nvlink -arch=sm_90
verify --no-nvlink program
verify program
verify text
verify --output
verify --help=x
link -arch=sm_90 a.cubin b.cubin -o w/out
link -arch=sm_90 a.cubin none.cubin -o w/out
link --save-dir w/s -arch=sm_90 a.cubin b.cubin -o w/out
report report.json
report --format markdown report.json report.json
report --format junit report.json
report fuzz.log
report --format json fuzz.log report.json
report none.json
report text
report
claims
claims --verdict refuted --system dispatcher
claims --verdict nonsense
claims --system nonsense
nv50
nv50 contradictions
nv50 where --block 64,4,1 --tid 33,2,0 --threads 256 --word 3 --mp 1 --mps 3
nv50 where --block 64
nv50 physid-of --physid 0x00a2130c
nv50 physid-of --physid x
nv50 nonsense
storm --batch 0
storm --batch 0 --seed 7 --format json
storm --batch 0 --format junit
storm --duration x
power --only nonsense --fit
power --only a/[ --fit
power x
promote 0123 --why x
promote
reduce none -o w
reduce w -o w
replay text
replay none
replay
as-nvlink w/cuda
as-nvlink --toolkit none w/cuda
as-nvlink
extrct f.fatbin
dumpp a.cubin
--nonsense
help nonsense
--repro
--repro=w/x.zip diff a.cubin b.cubin
`

// commandFiles makes a working folder of the files that commands get.
func commandFiles(t *testing.T) {
	t.Helper()
	object, err := os.ReadFile("../../internal/container/testdata/13.0-part.o")
	if err != nil {
		t.Fatal(err)
	}
	fatbin, err := os.ReadFile("../../internal/container/testdata/13.0-plain.fatbin")
	if err != nil {
		t.Fatal(err)
	}
	sm100 := sm100File(t)
	folder(t, "13.0-sm_90")
	linked := []byte(read(t, "linked.cubin"))
	bad, bad100 := bytes.Clone(linked), bytes.Clone(sm100)
	bad[0x1188] ^= 0xff
	bad100[bytes.Index(bad100, []byte("\x7fELF"))+0x1000] ^= 0x10
	for name, data := range map[string][]byte{
		"sm100.cubin": sm100, "bad.cubin": bad, "bad100.cubin": bad100, "part.o": object, "f.fatbin": fatbin, "text": []byte("text\n"), "empty": {}, "short": linked[:64],
		"lib.a":   slices.Concat([]byte("!<arch>\n"), member("a.cubin", read(t, "a.cubin")), member("b.cubin", read(t, "b.cubin"))),
		"program": hostelf.Encode(hostelf.Program, hostelf.Section{Name: ".nv_fatbin", Data: fatbin}, hostelf.Section{Name: ".nvFatBinSegment", Data: make([]byte, 24)}),
		"opts":    []byte("-g"), "reg.c": []byte("#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(_fbc93974_7_part_cu_e319b529)\n"),
		"fuzz.log": []byte("fuzz: ./fuzz FuzzLink, 5000x\nfuzz: elapsed: 3s, execs: 3210 (1070/sec), new interesting: 4 (total: 16)\nfuzz: elapsed: 4s, execs: 5000 (1790/sec), new interesting: 5 (total: 17)\n"),
	} {
		write(t, name, string(data))
	}
	write(t, "report.json", twinlink("verify", "--no-nvlink", "-arch=sm_90", "--format", "json", "--output", "bad.cubin", "a.cubin", "b.cubin").out)
}

func member(name, data string) []byte {
	return fmt.Appendf(nil, "%-16s%-12s%-6s%-6s%-8s%-10d`\n%s%s", name+"/", "0", "0", "0", "644", len(data), data, strings.Repeat("\n", len(data)%2))
}

// TestCommands wants of every command what it printed before.
func TestCommands(t *testing.T) {
	path, err := filepath.Abs("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil && !*updateCommands {
		t.Fatal(err)
	}
	t.Setenv("TWINLINK_WITNESS", t.TempDir())
	t.Setenv("TWINLINK_CUDA", "")
	t.Setenv("PATH", t.TempDir())
	commandFiles(t)
	var all strings.Builder
	for line := range strings.Lines(strings.TrimSpace(commandLines)) {
		all.WriteString(typed(t, strings.TrimSpace(line)))
	}
	got := all.String()
	if *updateCommands {
		want = []byte(got)
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, now := strings.Split(string(want), "\n> "), strings.Split(got, "\n> ")
	for i := range max(len(before), len(now)) {
		if a, b := at(before, i), at(now, i); a != b {
			t.Errorf("%s", cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")))
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// typed runs a command and tells all that came of it.
func typed(t *testing.T, line string) string {
	t.Helper()
	if err := os.RemoveAll("w"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("w", 0o777); err != nil {
		t.Fatal(err)
	}
	r := twinlink(strings.Fields(line)...)
	text := fmt.Sprintf("> %s\n", line)
	if r.exit != 0 {
		text += fmt.Sprintf("status %d\n", r.exit)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text += shortened("", strings.ReplaceAll(r.out, here, "FOLDER")) + shortened("2: ", strings.ReplaceAll(r.stderr, here, "FOLDER"))
	err = filepath.WalkDir("w", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		path = madeUp.ReplaceAllString(filepath.ToSlash(path), "-N")
		if strings.HasSuffix(path, ".zip") || strings.Contains(path, "-N") {
			text += fmt.Sprintf("writes %s\n", path) // with the time, or the folder
		} else {
			text += fmt.Sprintf("writes %s, %d bytes, %s\n", path, len(data), sumOf(string(data)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var (
	madeUp = regexp.MustCompile(`-\d{5,}`) // a folder's name
	timing = regexp.MustCompile(`\d+(\.\d+)? ?(ms|µs|s|/s)\b|"(seconds|ms)":[ \d.]+|[\d.]+ M/s|[\d.]+ M a processor second|\.\d+\.\d\.tmp`)
)

func sumOf(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:6])
}

// shortened keeps an output's first lines, and of the others and of long ones a sum.
func shortened(before, text string) string {
	const most, longest = 30, 300
	text = timing.ReplaceAllString(text, "TIME")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if text == "" {
		return ""
	}
	var b strings.Builder
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(&b, "%s… %d lines more, %s\n", before, len(lines)-most, sumOf(strings.Join(lines[most:], "\n")))
			break
		}
		if len(line) > longest {
			line = fmt.Sprintf("%s… %d bytes, %s", line[:longest], len(line), sumOf(line))
		}
		b.WriteString(before + line + "\n")
	}
	if !strings.HasSuffix(text, "\n") {
		b.WriteString(before + "(no newline)\n")
	}
	return b.String()
}
