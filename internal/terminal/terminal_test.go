package terminal

import (
	"os"
	"strings"
	"testing"
)

func TestPaint(t *testing.T) {
	const red, green, yellow, end = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
	for text, want := range map[string]string{
		"a.cubin  sm_90  linked  agree\n":            "a.cubin  sm_90  linked  " + green + "agree" + end + "\n",
		"a.cubin  agree  differ  reloc.value\n":      "a.cubin  " + green + "agree" + end + "  " + red + "differ" + end + "  reloc.value\n",
		"a.cubin  agree  agree\n":                    "a.cubin  " + green + "agree" + end + "  " + green + "agree" + end + "\n",
		"err  refused  refused alike\n":              "err  " + red + "refused" + end + "  " + yellow + "refused alike" + end + "\n",
		"a.cubin sm_90 13.0: differ, 1 finding\n":    "a.cubin sm_90 13.0: " + red + "differ" + end + ", 1 finding\n",
		"  error: reloc.value at .text.f\n":          "  " + red + "error" + end + ": reloc.value at .text.f\n",
		"  warning: layout.order\n":                  "  " + yellow + "warning" + end + ": layout.order\n",
		"  not judged: f: a word is not known\n":     "  " + yellow + "not judged" + end + ": f: a word is not known\n",
		"    expected  differ by one\n":              "    expected  differ by one\n",
		"3 agree, 0 differ, 1 refused alike\n":       "3 agree, 0 differ, 1 refused alike\n",
		"a file named agree.cubin, error: of no use": "a file named agree.cubin, error: of no use",
	} {
		got := strings.ReplaceAll(string(Paint([]byte(text))), "\x1b[0;22m", end)
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if Is(w) || Colours(w) || Is(&strings.Builder{}) {
		t.Error("a pipe and a buffer are terminals")
	}
	for _, c := range []struct {
		noColor, term string
		want          bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}} {
		env := map[string]string{"NO_COLOR": c.noColor, "TERM": c.term}
		if got := allowed(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}
