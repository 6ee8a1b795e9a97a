package cmdline

import (
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// none is a reader of options files of which there are none.
func none(string) ([]byte, error) { return nil, fs.ErrNotExist }

// flat names every field of a command that isn't its zero value, with those of its link.
func flat(c *Command) map[string]string {
	got := map[string]string{}
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported() || v.Field(i).IsZero() || f.Name == "Record" || f.Name == "Toolkit" || f.Name == "Release":
			case f.Name == "Options" || f.Name == "MessageFormat":
				walk(prefix+f.Name+".", v.Field(i))
			default:
				got[prefix+f.Name] = strings.Trim(reflect.ValueOf(v.Field(i).Interface()).String(), "<>")
				switch x := v.Field(i).Interface().(type) {
				case bool:
					got[prefix+f.Name] = "true"
				case []string:
					got[prefix+f.Name] = strings.Join(x, "|")
				}
			}
		}
	}
	walk("", reflect.ValueOf(c).Elem())
	return got
}

// Each option sets what it stands for, and nothing else.
func TestFieldOfEachOption(t *testing.T) {
	base := []string{"-arch=sm_80", "a.cubin", "-o", "out"}
	for _, c := range []struct{ args, want string }{
		{"-g", "Options.Debug"},
		{"-g -suppress-debug-info", "Options.Debug Options.SuppressDebug"},
		{"-r", "Options.Relocatable"},
		{"--preserve-relocs", "Options.PreserveRelocs"},
		{"--force-rela", "Options.ForceRela"},
		{"-dump-callgraph", "Options.DumpCallgraph"},
		{"-dump-callgraph-no-demangle", "Options.DumpCallgraph"},
		{"--allow-undefined-globals", "Options.AllowUndefined"},
		{"--reserve-null-pointer", "Options.ReserveNull"},
		{"--disable-smem-reservation=true", "Options.NoReserved"},
		{"--disable-smem-reservation=false", ""},
		{"-extrawarn", "Options.ExtraWarnings"},
		{"-suppress-stack-size-warning", "Options.SuppressStackWarning"},
		{"-Werror", "Options.WarningsAsErrors"},
		{"-v", "Verbose"},
		{"-disable-infos", "NoWarnings"}, // 13.0 silences warnings by it
		{"-w", ""},
		{"-kernels-used=a,b", "Options.KernelsUsed=a|b"},
		{"-variables-used=c", "Options.VariablesUsed=c"},
		{"-L/x -la -l b", "LibraryPaths=/x Libraries=a|b"},
		{"--report-arch", "MessageFormat.Target=sm_80"},
		{"--tool-name=/x/y.exe", "MessageFormat.Named MessageFormat.Tool=y"},
	} {
		cmd, err := Parse(R130, append(strings.Fields(c.args), base...), none)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		got := flat(cmd)
		for name, want := range map[string]string{"Options.Arch": "sm_80", "Output": "out", "Options.Output": "out", "Inputs": "a.cubin"} {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", c.args, name, got[name], want)
			}
			delete(got, name)
		}
		for want := range strings.FieldsSeq(c.want) {
			name, value, has := strings.Cut(want, "=")
			if text, ok := got[name]; !ok || has && text != value {
				t.Errorf("%s: %s is %q, want %q", c.args, name, text, value)
			}
			delete(got, name)
		}
		delete(got, "Messages")
		if len(got) > 0 {
			t.Errorf("%s: sets %v as well", c.args, got)
		}
	}
	for args, want := range map[string]bool{"-w": true} { // 12.4 does as it says
		cmd, err := Parse(R124, append(strings.Fields(args), base...), none)
		if err != nil || cmd.NoWarnings != want {
			t.Errorf("12.4 %s: no warnings %v, %v", args, cmd.NoWarnings, err)
		}
	}
}

// A warning of ours is an error with -Werror, and nothing where warnings are off.
func TestWarningsOf(t *testing.T) {
	base := []string{"-arch=sm_80", "a.cubin", "-o", "out"}
	for _, c := range []struct {
		args     string
		said     bool
		severity engine.Severity
	}{{"", true, engine.Warning}, {"-Werror", true, engine.Error}, {"-disable-infos", false, engine.Warning}, {"-disable-infos -Werror", false, engine.Warning}} {
		cmd, err := Parse(R130, append(strings.Fields(c.args), base...), none)
		if err != nil {
			t.Fatal(err)
		}
		if d, said := cmd.Warn(engine.BadOption, "x %d", 1); said != c.said || d.Severity != c.severity || d.Text != "x 1" {
			t.Errorf("%q: %v %v", c.args, d, said)
		}
	}
	// -preserve-relocs from sm_90 on, which fails the link where warnings are errors.
	for _, c := range []struct {
		args           string
		lines          int
		failed, silent bool
	}{{"-arch=sm_89", 0, false, false}, {"-arch=sm_90", 1, false, false}, {"-arch=sm_90a", 1, false, false}, {"-arch=sm_90 -Werror", 1, true, false}, {"-arch=sm_90 -disable-infos -Werror", 0, false, true}} {
		cmd, err := Parse(R130, append(strings.Fields(c.args), "--preserve-relocs", "a.cubin", "-o", "out"), none)
		if err != nil || len(cmd.Messages) != c.lines || cmd.Failed != c.failed {
			t.Errorf("%s: %v, failed %v, %v", c.args, cmd.Messages, cmd.Failed, err)
		}
	}
}

// What nvlink of each release does its own way, from the first release that was seen to.
func TestReleaseDecisions(t *testing.T) {
	for _, r := range Releases {
		n := r.Toolkit()
		stale := StaleNone
		switch {
		case n == 131:
			stale = StaleRead
		case n == 132 || n == 133:
			stale = StaleLeft
		case n > 133:
			stale = StaleUnfilled
		}
		since := func(first int) bool { return int(n) >= first }
		if r.SkipsDevrtFirst() != since(130) || r.StaleBarriers() != stale || r.IgnoresPTX() != since(130) ||
			r.RegistersFirst() == since(130) || r.RegistersNull() == since(130) || r.RemarksHost() != since(133) || r.Major() != int(n)/10 {
			t.Errorf("%s", r)
		}
	}
}

// Virtual targets, and numbers and sections that a reader of C would take.
func TestVirtualTargets(t *testing.T) {
	for name, want := range map[string]int{"compute_80": 80, "compute_90a": 90, "compute_103f": 103} {
		cmd, err := Parse(R130, []string{"-arch=" + name, "a.cubin"}, none)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sm, ok := cmd.Virtual(); !ok || sm != want {
			t.Errorf("%s: %d, %v", name, sm, ok)
		}
	}
	cmd, err := Parse(R130, []string{"-arch=sm_80", "a.cubin", "-o", "o"}, none)
	if err != nil {
		t.Fatal(err)
	}
	if sm, ok := cmd.Virtual(); ok || sm != 0 {
		t.Errorf("sm_80: %d, %v", sm, ok)
	}
	for s, want := range map[string]int32{"0x1f": 31, "0X1F": 31, "0xAf": 175, "017": 15, "0": 0, "": 0, "7": 7, "-0x10": -16, "+9": 9, " 8": 8, "2147483647": 2147483647, "-2147483648": -2147483648} {
		if n, is, fits := number(s); !is || !fits || n != want {
			t.Errorf("%q: %d %v %v", s, n, is, fits)
		}
	}
	for _, s := range []string{"0x", "08", "1a", "x1", "0xg", "0xG", "-", "+", "1 ", "0x1`", "0x1@"} {
		if _, is, _ := number(s); is {
			t.Errorf("%q is a number", s)
		}
	}
	for _, s := range []string{"2147483648", "-2147483649", "9223372036854775807", "99999999999999999999"} {
		if _, is, fits := number(s); !is || fits {
			t.Errorf("%q: %v %v", s, is, fits)
		}
	}
}

// An options file ends at its first NUL, also at once.
func TestOptionsFileEnds(t *testing.T) {
	for text, want := range map[string]string{"a b": "a|b", "a\x00b": "a", "\x00a": "", "a \x00 b": "a", "": "", `"a b"`: "a b", `a\ b`: "a b"} {
		got, err := splitFile([]byte(text))
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// The record of -reproducible names neither files nor folders.
func TestRecordReproducible(t *testing.T) {
	for args, want := range map[string]string{
		"-g":                                   "a.cubin -o out -g  -arch sm_80 ",
		"":                                     "-arch sm_80 ",
		"-L /x -l y":                           "-arch sm_80 -l y -L /x ",
		"-g --reproducible":                    "-g  -arch sm_80 ",
		"-L /x -l y --reproducible":            "-arch sm_80 -l y ",
		"--verbose-tkinfo=true":                "a.cubin -o out -arch sm_80 ",
		"--verbose-tkinfo=true --reproducible": "-arch sm_80 ",
		"-g --verbose-tkinfo=false":            "-g  -arch sm_80 ",
	} {
		cmd, err := Parse(R130, append(strings.Fields(args), "-arch=sm_80", "x/a.cubin", "-o", "y/out"), none)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := cmd.Options.Record.Text; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
