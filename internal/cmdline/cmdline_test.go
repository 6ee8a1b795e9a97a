package cmdline

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
)

func noFiles(string) ([]byte, error) { return nil, fs.ErrNotExist }

// TestTable checks what the lookup takes for granted.
func TestTable(t *testing.T) {
	names := map[string]ID{}
	for i := range Table {
		o := &Table[i]
		if o.Name == "" || o.In == 0 || o.Help == "" || strings.HasSuffix(o.Help, ".") {
			t.Errorf("row %d is not complete: %+v", i, o)
		}
		for _, name := range []string{"--" + o.Name, "-" + o.Short} {
			if name == "-" {
				continue
			}
			if other, ok := names[name]; ok && other != ID(i) {
				t.Errorf("%s names two options", name)
			}
			names[name] = ID(i)
		}
	}
	seen := map[ID]bool{}
	for _, r := range recordOrder {
		if seen[r.id] {
			t.Errorf("%s is recorded twice", Table[r.id].Name)
		}
		seen[r.id] = true
	}
}

func TestOptions(t *testing.T) {
	args := strings.Fields("-arch=sm_90 -g -r a.cubin --preserve-relocs -kernels-used=k,m --kernels-used n -variables-used=v " +
		"--suppress-stack-size-warning --force-rela -Lx -lfoo,bar -o d/out.cubin b.cubin --register-link-binaries=r.c -time=t -v")
	c, err := Parse(R130, args, noFiles)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Options
	switch {
	case o.Arch != "sm_90", o.Toolkit != "13.0", !o.Debug, !o.Relocatable, !o.PreserveRelocs, !o.ForceRela, !o.SuppressStackWarning,
		c.NoWarnings, o.WarningsAsErrors, !slices.Equal(o.KernelsUsed, []string{"k", "m", "n"}), !slices.Equal(o.VariablesUsed, []string{"v"}):
		t.Errorf("options %+v", o)
	case !slices.Equal(c.Inputs, []string{"a.cubin", "b.cubin"}), c.Output != "d/out.cubin",
		!slices.Equal(c.Libraries, []string{"foo", "bar"}), !slices.Equal(c.LibraryPaths, []string{"x"}),
		c.RegisterFile != "r.c", c.TimeFile != "t", !c.Verbose:
		t.Errorf("command %+v", c)
	case o.Record.Object != "out.cubin":
		t.Errorf("record %+v", o.Record)
	}
}

// TestSilence: 13.0 has -w and -disable-infos the wrong way round.
func TestSilence(t *testing.T) {
	for _, c := range []struct {
		release Release
		option  string
		silent  bool
	}{{R118, "-w", true}, {R124, "-w", true}, {R130, "-w", false}, {R130, "-disable-infos", true}} {
		cmd, err := Parse(c.release, []string{"-arch=sm_90", "--preserve-relocs", c.option, "a.cubin", "-o", "x"}, noFiles)
		if err != nil || cmd.NoWarnings != c.silent || (len(cmd.Messages) == 0) != c.silent {
			t.Errorf("%s %s: silent %v, %d messages, %v", c.release, c.option, cmd.NoWarnings, len(cmd.Messages), err)
		}
	}
}

func TestEmptyListIsNoFilter(t *testing.T) {
	c, err := Parse(R124, []string{"-arch=sm_80", "-kernels-used=,", "a.cubin", "-o", "x"}, noFiles)
	if err != nil || c.Options.KernelsUsed != nil {
		t.Errorf("filter %q, %v", c.Options.KernelsUsed, err)
	}
}

func TestScan(t *testing.T) {
	files := func(name string) ([]byte, error) {
		if name == "o.txt" {
			return []byte("b.cubin -toolkit 12.4"), nil
		}
		return nil, fs.ErrNotExist
	}
	p := Scan(strings.Fields("a.cubin --bogus -o out -optf o.txt -Ldir --Xnvvm x -m=q -arch=sm_1 c.cubin -optf none -uidx u d.cubin"), files)
	if want := "a.cubin b.cubin c.cubin d.cubin"; strings.Join(p.Inputs, " ") != want || p.Toolkit != "12.4" {
		t.Errorf("%q %q, want %q", p.Inputs, p.Toolkit, want)
	}
	// A file that isn't there is passed over, wherever it is named.
	for _, words := range []string{"-optf none,o.txt a.cubin", "-optf o.txt,none a.cubin", "-optf none -optf o.txt a.cubin", "-optf none,o.txt,none a.cubin"} {
		if p := Scan(strings.Fields(words), files); len(p.Inputs) != 2 || p.Toolkit != "12.4" {
			t.Errorf("%s: %q %q", words, p.Inputs, p.Toolkit)
		}
	}
}

// TestOptionsFilesThatNeverEnd: a file that names itself, and a few files that
// name the next one ten times each.
func TestOptionsFilesThatNeverEnd(t *testing.T) {
	itself := func(string) ([]byte, error) { return []byte("-optf 1 -optf 1 -optf 1"), nil }
	next := func(name string) ([]byte, error) {
		if name == "9" {
			return nil, nil
		}
		return []byte(strings.Repeat("-optf "+string(name[0]+1)+" ", 10)), nil
	}
	for i, read := range []ReadFile{itself, next} {
		Scan([]string{"-optf", "1"}, read)
		_, err := Parse(R130, []string{"-optf", "1"}, read)
		if err == nil || !strings.Contains(err.Error(), "Too many options file opened") {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func TestToolkit(t *testing.T) {
	for _, c := range []struct {
		value string
		err   string
	}{{"13.0", ""}, {"12.4.131", ""}, {"11.7", "Value '11.7' is not defined for option 'toolkit'"}} {
		_, err := Parse(R124, []string{"-toolkit", c.value, "-arch=sm_80", "a.cubin", "-o", "x"}, noFiles)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", c.value, err)
		}
	}
}

func TestChoose(t *testing.T) {
	for toolkit, want := range map[uint32]Release{0: R130, 90: R118, 118: R118, 119: R124, 124: R124, 125: R130, 130: R130, 133: R133, 135: R135, 140: R135} {
		if got := Choose(toolkit); got != want {
			t.Errorf("%d: %s, want %s", toolkit, got, want)
		}
	}
	for _, r := range Releases {
		if back, ok := ParseRelease(r.String()); !ok || back != r {
			t.Errorf("%s reads as %s", r, back)
		}
	}
}

func TestToolkitOf(t *testing.T) {
	for name, want := range map[string]uint32{
		"11.8-sm_52-a.cubin": 118, "12.4-sm_80-a.cubin": 124, "13.0-sm_90-a.cubin": 130, "13.0-sm_90-linked.cubin": 130, "a.ptx": 0,
	} {
		data, err := os.ReadFile("../dump/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := ToolkitOf(data); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
		for n := range len(data) {
			ToolkitOf(data[:n])
		}
	}
}

// From 13.0 on an object's note says which toolkit made it.
func TestToolkitOfNote(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range list {
		c := &list[i]
		if c.Release != "13.5" || c.Linked() {
			continue
		}
		data, err := c.Data()
		if err != nil {
			t.Fatal(err)
		}
		if got := ToolkitOf(data); got != 135 {
			t.Errorf("%s: %d", c.Name, got)
		}
		seen++
	}
	if seen == 0 {
		t.Error("no object of 13.5")
	}
}

// TestRandomArguments: nothing may panic, and a refusal has a message.
func TestRandomArguments(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"-", "--", "=", ",", "\"", "\\", " ", "a.cubin", "sm_80", "-o", "x", "true", "12", "-optf", "f", "@f", "\x00", "é"}
	for i := range Table {
		pieces = append(pieces, "--"+Table[i].Name, "-"+Table[i].Short)
	}
	read := func(string) ([]byte, error) { return []byte(pieces[random.IntN(len(pieces))] + " \"\\"), nil }
	for range 20000 {
		var args []string
		for range random.IntN(6) {
			arg := ""
			for range 1 + random.IntN(4) {
				arg += pieces[random.IntN(len(pieces))]
			}
			args = append(args, arg)
		}
		Scan(args, read)
		for _, r := range Releases {
			if _, err := Parse(r, args, read); err != nil && len(err.(*Refusal).Messages) == 0 {
				t.Fatalf("%q refused without a message", args)
			}
		}
	}
}

// Either list of what is used makes host information needless (nvlink 12.4.131 and 13.0.88).
func TestHostInfoIgnored(t *testing.T) {
	for _, list := range []string{"-kernels-used=k", "-variables-used=v"} {
		c, err := Parse(R124, strings.Fields("-arch=sm_80 a.cubin -o x -use-host-info "+list), noFiles)
		if err != nil || len(c.Messages) != 1 || c.Line(&c.Messages[0]) != "nvlink info    : ignore -use-host-info because -kernels-used or -variables-used is specified" {
			t.Errorf("%s: %v %v", list, c.Messages, err)
		}
	}
}

func TestVoice(t *testing.T) {
	c, err := Parse(R124, strings.Fields("--tool-name=foo -report-arch -nvvmpath=a -nvvmpath=b -dlto -arch=sm_80 a.cubin -o x --emit-ptx --force-whole-lto -use-host-info -kernels-used=k"), noFiles)
	if err == nil || len(c.Messages) != 3 {
		t.Fatalf("%v %v", c.Messages, err)
	}
	for i, want := range []string{
		"nvlink warning : incompatible redefinition for option 'nvvmpath', the last value of this option was used",
		"foo info    : ignore -use-host-info because -kernels-used or -variables-used is specified (target: sm_80)",
		"foo fatal   : option '--dlto' is not supported by twinlink: " + CompilerHint(R124) + " (target: sm_80)",
	} {
		if got := c.Line(&c.Messages[i]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if c.Messages[2].Kind != engine.Unsupported {
		t.Errorf("kind %d", c.Messages[2].Kind)
	}
}

// What nvlink 11.8, 12.4, 13.0 and 13.5 call themselves by --tool-name, in messages and in the note.
func TestToolName(t *testing.T) {
	for value, want := range map[string]string{"m0.cubin": "m0", "a/b.c.d": "b.c", "/x/y.z": "y", "a.b/c": "c", ".hid": "", "a.": "a", "": "", "x.y/": ""} {
		c, err := Parse(R130, []string{"--tool-name=" + value, "-arch=sm_80", "-o", "x"}, noFiles)
		if err == nil {
			t.Fatal("no message")
		}
		if got := c.Line(&c.Messages[0]); got != want+" fatal   : No input files specified; use option --help for more information" {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
		if c, err = Parse(R130, []string{"--tool-name=" + value, "-arch=sm_80", "-o", "x", "a.cubin"}, noFiles); err != nil || c.Options.Record.Tool != want {
			t.Errorf("%q: the note has %q, %v; want %q", value, c.Options.Record.Tool, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, r := range Releases {
		text := Usage(r, "nvlink")
		for i := range Table {
			o := &Table[i]
			listed := strings.Contains(text, "  --"+o.Name+",") || strings.Contains(text, "  --"+o.Name+" ") || strings.Contains(text, "  --"+o.Name+"\n")
			if want := !o.Hidden && o.In&r != 0 || ID(i) == Toolkit; listed != want {
				t.Errorf("%s: --%s listed: %v", r, o.Name, listed)
			}
		}
		for i := range Table {
			o := &Table[i]
			if entry := entryOf(text, o.Name); !o.Hidden && o.In&r != 0 && strings.Contains(entry, "; default: ") != (o.Default != "") {
				t.Errorf("%s: --%s: %q, the default is %q", r, o.Name, entry, o.Default)
			}
		}
		refused := 0
		for i := range Table {
			if o := &Table[i]; o.Effect == Refused && !o.Hidden && o.In&r != 0 {
				refused++
			}
		}
		if n := strings.Count(text, "Not supported by twinlink."); n != refused {
			t.Errorf("%s: %d options are said not to be supported, want %d", r, n, refused)
		}
	}
	if text := VersionText(R118, "nvlink"); !strings.Contains(text, "\nCuda compilation tools, release 11.8, V11.8.89\n") {
		t.Errorf("version %q", text)
	}
}

// entryOf is what a help text says of an option.
func entryOf(text, name string) string {
	_, entry, _ := strings.Cut(text, "  --"+name)
	entry, _, _ = strings.Cut(entry, "\n  --")
	return entry
}

// The hint names the library of the release, where there is one, and its wheel.
func TestCompilerHint(t *testing.T) {
	for _, r := range Releases {
		text, major := CompilerHint(r), strings.Split(r.String(), ".")[0]
		if got := strings.HasPrefix(text, "there is no nvJitLink"); got != (major == "11") {
			t.Errorf("%s: %s", r, text)
		}
		if got := strings.Contains(text, "nvidia-nvjitlink-cu12=="); got != (major == "12") {
			t.Errorf("%s: %s", r, text)
		}
		if got := strings.Contains(text, "nvidia-nvjitlink=="+r.String()); got != (major == "13") {
			t.Errorf("%s: %s", r, text)
		}
	}
}

// A release by its name, its last build's or an earlier one's; of a build that is not known the release alone.
func TestParseRelease(t *testing.T) {
	for _, c := range []struct {
		name, want string
		known      bool
	}{
		{"12.4", "12.4", true}, {"12.4.131", "12.4", true}, {"12.4.99", "12.4", false}, {"13.2.86", "13.2", true}, {"13.2.78", "13.2.78", true},
		{"13.2.7", "13.2", false}, {"13.0.48", "13.0.48", true}, {"13.20", "", false}, {"", "", false}, {"unknown", "", false},
	} {
		if r, known := ParseRelease(c.name); r.String() != c.want || known != c.known {
			t.Errorf("%q: %q, %v; want %q, %v", c.name, r, known, c.want, c.known)
		}
	}
	for _, r := range EarlierBuilds {
		if got, known := ParseRelease(r.String()); got != r || !known || !r.Cuda13() || Choose(r.Toolkit()) == r || r.Of() != Choose(r.Toolkit()).String() {
			t.Errorf("%s: %s, %v, of %s", r, got, known, r.Of())
		}
		if text := VersionText(r, "nvlink"); !strings.Contains(text, ", V"+r.String()+"\n") {
			t.Errorf("%s names itself %q", r, text)
		}
	}
}
