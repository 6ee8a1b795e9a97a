package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/linkcommand"
)

// result is what a command did.
type result struct {
	exit        int
	out, stderr string
}

// twinlink runs a command line in the working folder.
func twinlink(args ...string) result {
	var out, stderr bytes.Buffer
	exit := run(append([]string{"twinlink"}, args...), streams{&out, &stderr})
	return result{exit, out.String(), stderr.String()}
}

// want checks exit status and standard error.
func (r result) want(t *testing.T, exit int, stderr ...string) {
	t.Helper()
	text := strings.Join(stderr, "\n")
	if text != "" {
		text += "\n"
	}
	if r.exit != exit || r.stderr != text {
		t.Errorf("exit %d, standard error %q\nwant %d, %q", r.exit, r.stderr, exit, text)
	}
}

// folder makes a working folder with the objects of a release, 12.4 and
// sm_80 for "12.4-sm_80", as a.cubin and b.cubin, and what nvlink linked of
// them as linked.cubin.
func folder(t *testing.T, set string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.cubin", "b.cubin", "linked.cubin"} {
		data, err := os.ReadFile("../../internal/dump/testdata/" + set + "-" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// files lists the working folder but for what folder put there.
func files(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if !slices.Contains([]string{"a.cubin", "b.cubin", "linked.cubin"}, e.Name()) {
			out = append(out, e.Name())
		}
	}
	return out
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestLink(t *testing.T) {
	for _, set := range []string{"11.8-sm_52", "12.4-sm_80", "13.0-sm_90"} {
		t.Run(set, func(t *testing.T) {
			folder(t, set)
			_, sm, _ := strings.Cut(set, "-")
			twinlink("link", "-arch="+sm, "a.cubin", "b.cubin", "-o", "out.cubin").want(t, 0)
			if read(t, "out.cubin") != read(t, "linked.cubin") {
				t.Error("not what nvlink links")
			}
			if got := files(t); !slices.Equal(got, []string{"out.cubin"}) {
				t.Errorf("left %v", got)
			}
		})
	}
}

func TestCalledNvlink(t *testing.T) {
	folder(t, "12.4-sm_80")
	var out, stderr bytes.Buffer
	exit := run([]string{"/usr/bin/nvlink", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "x"}, streams{&out, &stderr})
	if exit != 0 || stderr.Len() > 0 || read(t, "x") != read(t, "linked.cubin") {
		t.Errorf("exit %d, %s", exit, stderr.String())
	}
	exit = run([]string{"nvlink", "--version"}, streams{&out, &stderr})
	if exit != 0 || !strings.HasPrefix(out.String(), "nvlink: ") || !strings.Contains(out.String(), "release 13.0, V13.0.88\n") {
		t.Errorf("exit %d, %s", exit, out.String())
	}
}

func TestRefusals(t *testing.T) {
	folder(t, "12.4-sm_80")
	write(t, "text.cubin", strings.Repeat("text ", 20))
	write(t, "libe.a", "!<arch>\n")
	for _, c := range []struct {
		args   string
		exit   int
		stderr []string
	}{
		{"-arch=sm_80 a.cubin -o out", 255, []string{
			"nvlink error   : Undefined reference to 'twice' in 'a.cubin'",
			"nvlink error   : Undefined reference to 'table' in 'a.cubin'"}},
		{"-arch=sm_80 b.cubin b.cubin -o out", 1, []string{
			"nvlink error   : Multiple definition of 'negate' in 'b.cubin', first defined in 'b.cubin'",
			"nvlink error   : Multiple definition of 'twice' in 'b.cubin', first defined in 'b.cubin'",
			"nvlink error   : Multiple definition of 'table' in 'b.cubin', first defined in 'b.cubin'",
			"nvlink fatal   : merge_elf failed"}},
		{"a.cubin b.cubin -o out", 1, []string{"nvlink fatal   : Unknown arch name '(null)'"}},
		{"-arch=sm_80 a.cubin b.cubin", 1, []string{"nvlink fatal   : Must specify output file with -o option"}},
		{"-arch=sm_80 -o out", 1, []string{"nvlink fatal   : No input files specified; use option --help for more information"}},
		{"-arch=sm_80 -o out none.cubin", 1, []string{"nvlink fatal   : Could not open input file 'none.cubin'"}},
		{"-arch=sm_80 -o out a.cubin .", 1, []string{"nvlink fatal   : Could not open input file '.'"}},
		{"-arch=sm_80 -o out text.cubin", 1, []string{"nvlink fatal   : cubin not an elf?"}},
		{"-arch=sm_75 -o out a.cubin none.cubin", 1, []string{"nvlink fatal   : Input file 'a.cubin' arch does not match target 'sm_75'"}},
		{"-arch=sm_75 -o out none.cubin a.cubin", 1, []string{"nvlink fatal   : Could not open input file 'none.cubin'"}},
		{"-arch=sm_80 a.cubin b.cubin -o none/out", 1, []string{"nvlink fatal   : Could not open output file 'none/out'"}},
		{"-arch=sm_80 a.cubin b.cubin -o .", 1, []string{"nvlink fatal   : Could not open output file '.'"}},
		{"-arch=sm_80 a.cubin b.cubin -o out --register-link-binaries=none/r", 1, []string{"nvlink fatal   : Could not open output file 'none/r'"}},
		{"-arch=sm_80 a.cubin b.cubin -o out -time=none/t", 1, []string{"nvlink fatal   : Cannot open file 'none/t'"}},
		{"-arch=sm_80 a.cubin b.cubin -o out --bogus", 1, []string{"nvlink fatal   : Unknown option '-bogus'"}},
		{"-arch=sm_80 a.cubin b.cubin -o out -le -L. -Werror -report-arch", 255, []string{
			"nvlink error   : Skipping incompatible './libe.a' when searching for -le (target: sm_80)"}},
		{"-arch=sm_80 a.cubin b.cubin -o out -uidx=none", 1, []string{"nvlink fatal   : Could not open input file 'none'"}},
		{"-arch=sm_80 a.cubin b.cubin -o out -uidx=a.cubin", 1, []string{"nvlink fatal   : option '--uidx-file' is not supported by twinlink"}},
		{"-arch=compute_80 a.cubin b.cubin -o out", 0, nil}, // nothing is made for a virtual target
		{"-arch=compute_75 a.cubin b.cubin -o out", 1, []string{"nvlink fatal   : Input file 'a.cubin' arch does not match target 'compute_75'"}},
		{"-toolkit 11.8 -m32 -arch=sm_80 a.cubin b.cubin -o out", 1, []string{"nvlink fatal   : Input file 'a.cubin' size does not match target '-m32'"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			write(t, "out", "old")
			twinlink(append([]string{"link"}, strings.Fields(c.args)...)...).want(t, c.exit, c.stderr...)
			if read(t, "out") != "old" {
				t.Error("the output has changed")
			}
			if got := files(t); !slices.Equal(got, []string{"libe.a", "out", "text.cubin"}) {
				t.Errorf("left %v", got)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	folder(t, "13.0-sm_90")
	const warning = "Option '--preserve-relocs' is not fully implemented for gpu archtecture 'sm_90' and may not work as expected"
	link := func(args ...string) result {
		return twinlink(append([]string{"link", "-arch=sm_90", "a.cubin", "b.cubin", "--preserve-relocs", "-o", "out"}, args...)...)
	}
	link().want(t, 0, "nvlink warning : "+warning)
	link("-w").want(t, 0, "nvlink warning : "+warning)
	link("-disable-infos").want(t, 0)
	if err := os.Remove("out"); err != nil {
		t.Fatal(err)
	}
	link("-Werror").want(t, 255, "nvlink error   : "+warning)
	if got := files(t); len(got) > 0 {
		t.Errorf("left %v", got)
	}
}

func TestOutputFile(t *testing.T) {
	folder(t, "12.4-sm_80")
	link := func() result { return twinlink("link", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "out") }
	mode := func(name string) fs.FileMode {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	write(t, "plain", "")
	link().want(t, 0)
	if mode("out") != mode("plain") {
		t.Errorf("mode %v of a new file, want %v", mode("out"), mode("plain"))
	}
	if err := os.Chmod("out", 0o600); err != nil {
		t.Fatal(err)
	}
	link().want(t, 0)
	if mode("out") != 0o600 {
		t.Errorf("mode %v of an old file", mode("out"))
	}
	if err := os.Remove("out"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", "out"); err != nil {
		t.Fatal(err)
	}
	link().want(t, 0)
	if mode("out")&fs.ModeSymlink == 0 || read(t, "target") != read(t, "linked.cubin") {
		t.Error("the symbolic link was not followed")
	}
	twinlink("link", "-arch=sm_80", "a.cubin", "b.cubin", "-o", os.DevNull).want(t, 0)
	twinlink("link", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "a.cubin").want(t, 0)
	if read(t, "a.cubin") != read(t, "linked.cubin") {
		t.Error("an input as output")
	}
}

func TestSideFiles(t *testing.T) {
	folder(t, "12.4-sm_80")
	write(t, "o.txt", "-arch=sm_80 \"a.cubin\"\n\tb.cubin")
	write(t, "e f.txt", strings.Repeat("ignored ", 10))
	twinlink("link", "-optf", "o.txt", "e f.txt", "-o", "out", "-time=t", "--register-link-binaries", "r", "-v").want(t, 0,
		"nvlink info    : 16 bytes gmem, 16 bytes cmem[3]",
		"nvlink info    : Function properties for 'k':",
		"nvlink info    : used 24 registers, 0 stack, 256 bytes smem, 392 bytes cmem[0], 0 bytes lmem, 1 textures")
	if read(t, "out") != read(t, "linked.cubin") || read(t, "t") != linkcommand.TimeHeader {
		t.Error("output or table of phases")
	}
	if got := read(t, "r"); !strings.HasPrefix(got, "#define NUM_PRELINKED_OBJECTS 2\nDEFINE_REGISTER_FUNC(_") {
		t.Errorf("registered names %q", got)
	}
	if got := twinlink("link", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "out", "-time=-"); got.out != linkcommand.TimeHeader {
		t.Errorf("standard output %q", got.out)
	}
}

// TestToolkit: a newer release links older objects, and says so in its note.
func TestToolkit(t *testing.T) {
	folder(t, "12.4-sm_80")
	twinlink("link", "-toolkit=13.0", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "out").want(t, 0)
	got := twinlink("dump", "--only", "header,notes", "out")
	if !strings.Contains(got.out, "toolkit   13.0") || !strings.Contains(got.out, "options  -arch sm_80 \n") {
		t.Errorf("dump %s", got.out)
	}
	twinlink("link", "-toolkit=11.8", "-arch=sm_80", "a.cubin", "b.cubin", "-o", "out2").want(t, 1,
		"nvlink fatal   : Input file 'a.cubin' newer than toolkit (124 vs 118)")
}

func TestDump(t *testing.T) {
	folder(t, "13.0-sm_90")
	got := twinlink("dump", "--only=symbols", "a.cubin", "b.cubin")
	got.want(t, 0)
	if !strings.Contains(got.out, "a.cubin: ") || !strings.Contains(got.out, "\n\nb.cubin: ") || strings.Contains(got.out, "\nsections") {
		t.Errorf("dump %s", got.out)
	}
	got = twinlink("dump", "--format", "json", "linked.cubin")
	got.want(t, 0)
	if !json.Valid([]byte(got.out)) {
		t.Error("not JSON")
	}
	write(t, "text", "text")
	twinlink("dump", "none", "text", "b.cubin").want(t, 3,
		"twinlink: open none: no such file or directory",
		"twinlink: text: not an ELF file at offset 0x0: value 0x4: a file of that many bytes without the ELF magic")
}

func TestDiff(t *testing.T) {
	folder(t, "12.4-sm_80")
	twinlink("diff", "a.cubin", "a.cubin").want(t, 0)
	data := []byte(read(t, "linked.cubin"))
	data[24] = 1 // e_entry
	write(t, "changed", string(data))
	got := twinlink("diff", "linked.cubin", "changed")
	got.want(t, 1)
	if got.out != "header.entry: 0x0 -> 0x1\n" {
		t.Errorf("differences %q", got.out)
	}
	twinlink("diff", "--ignore", "header.*", "linked.cubin", "changed").want(t, 0)
	twinlink("diff", "--only", "section.*", "linked.cubin", "changed").want(t, 0)
	twinlink("diff", "--ignore", "header.*", "--ignore=strtab", "linked.cubin", "changed").want(t, 1,
		"twinlink: --ignore strtab matches no difference")
	if got := twinlink("diff", "--format=json", "linked.cubin", "changed"); got.exit != 1 || !json.Valid([]byte(got.out)) {
		t.Errorf("exit %d, %s", got.exit, got.out)
	}
	twinlink("diff", "linked.cubin", "none").want(t, 2, "twinlink: open none: no such file or directory")
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{{"bogus"}, {"dump"}, {"dump", "--format=xml", "x"}, {"dump", "--only=bogus", "x"}, {"diff"},
		{"diff", "a"}, {"diff", "a", "b", "c"}, {"diff", "--bogus", "a", "b"}, {"version", "x"}, {"help", "bogus"}} {
		if got := twinlink(args...); got.exit != exitUsage || got.stderr == "" || got.out != "" {
			t.Errorf("%q: exit %d, %q", args, got.exit, got.stderr)
		}
	}
	for _, args := range [][]string{{"help"}, {"help", "link"}, {"help", "dump"}, {"help", "diff"}, {"version"}, {"link", "--help"}, {"link", "-V"}} {
		if got := twinlink(args...); got.exit != exitOK || got.stderr != "" || got.out == "" {
			t.Errorf("%q: exit %d, %q", args, got.exit, got.stderr)
		}
	}
	if got := twinlink("dump", "-h"); got.exit != exitOK {
		t.Errorf("dump -h: exit %d", got.exit)
	}
}

// Warnings that nvlink lacks stay warnings under -Werror: nvlink makes such a link.
func TestOwnWarningsStay(t *testing.T) {
	data, err := os.ReadFile("../../engine/testdata/offtarget.cubin")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "a.cubin", string(data))
	twinlink("link", "-toolkit=13.0", "-arch=sm_103", "a.cubin", "-o", "out", "-Werror").want(t, 0,
		"nvlink warning : Input file 'a.cubin' has code for sm_100; the code for sm_103 may differ from nvlink's",
		"nvlink warning : Kernel 'k' was rescheduled; the bytes may differ from nvlink's")
}
