package corpustest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Check is a line of a list of recorded checks: a file or link of the corpus, what is done to it, and what a check says then.
type Check struct{ Subject, Edit, Want string }

// ReadChecks reads a list of recorded checks.
func ReadChecks(t testing.TB, file string) (list []Check) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) != 3 {
			t.Fatalf("%q has no three fields", line)
		}
		list = append(list, Check{f[0], f[1], f[2]})
	}
	return list
}

// RunChecks wants each check of a list to say what is recorded, and says what it says to be of the kind that isRight
// knows. With update it writes again what they say.
func RunChecks(t *testing.T, file string, update bool, says func(*Check) string, isRight func(said string) bool) {
	t.Helper()
	list := ReadChecks(t, file)
	var b strings.Builder
	for i := range list {
		c := &list[i]
		got := says(c)
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.Subject, c.Edit, got)
		if !isRight(got) {
			t.Errorf("%s: %s: %q, want findings", c.Subject, c.Edit, got)
		} else if got != c.Want && !update {
			t.Errorf("%s: %s: %q, recorded %q", c.Subject, c.Edit, got, c.Want)
		}
	}
	if len(list) == 0 {
		t.Error("no check")
	}
	if update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
