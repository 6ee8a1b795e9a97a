package cmdline

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// fact is a command line and what nvlink of some releases did with it.
type fact struct {
	Args  []string          `json:"args"`
	Files map[string]string `json:"files"` // options files
	Runs  []struct {
		Releases []string `json:"releases"`
		Exit     int      `json:"exit"`
		Stderr   []string `json:"stderr"`
		Later    bool     `json:"later"` // it went on to the link, and that said something
		Shows    string   `json:"shows"`
		Tkinfo   *string  `json:"tkinfo"`
		Object   string   `json:"object"`
		Tool     string   `json:"tool"`
	} `json:"runs"`
}

func readFacts(t *testing.T) []fact {
	t.Helper()
	data, err := os.ReadFile("testdata/facts.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []fact `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

func (f *fact) read(name string) ([]byte, error) {
	if name == "." {
		return nil, nil // nvlink reads a folder as an empty file
	}
	if s, ok := f.Files[name]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

// isUnsupported reports whether the only thing wrong is that twinlink can't do
// what nvlink does.
func isUnsupported(err error) bool {
	var refused *Refusal
	if !errors.As(err, &refused) {
		return false
	}
	return refused.Messages[len(refused.Messages)-1].Kind == engine.Unsupported
}

// TestFacts parses every command line nvlink was given, as each release, and
// compares messages, exit status and record.
func TestFacts(t *testing.T) {
	n, unsupported, records := 0, 0, 0
	for _, f := range readFacts(t) {
		for _, run := range f.Runs {
			for _, name := range run.Releases {
				r, _ := ParseRelease(name)
				c, err := Parse(r, f.Args, f.read)
				n++
				id := name + " " + strings.Join(f.Args, " ")
				if isUnsupported(err) {
					unsupported++
					if run.Exit != 0 && !run.Later {
						t.Errorf("%s: unsupported here, refused by nvlink: %q", id, run.Stderr)
					}
					continue
				}
				var said []string
				for i := range c.Messages {
					if c.Messages[i].Severity == engine.Info && c.Messages[i].Kind == engine.Unsupported {
						continue
					}
					said = append(said, c.Line(&c.Messages[i]))
				}
				if got, want := strings.Join(said, "\n"), strings.Join(run.Stderr, "\n"); got != want {
					t.Errorf("%s:\n got %q\nwant %q", id, got, want)
				}
				if refused := err != nil; refused != (run.Exit != 0 && !run.Later && !c.Failed) {
					t.Errorf("%s: error %v, nvlink's exit status %d (later %v)", id, err, run.Exit, run.Later)
				}
				if modes := map[Mode]string{ShowHelp: "help", ShowVersion: "version", HostScript: "script"}; err == nil && modes[c.Mode] != run.Shows {
					t.Errorf("%s: mode %v, nvlink shows %q", id, c.Mode, run.Shows)
				}
				if run.Tkinfo == nil {
					continue
				}
				records++
				rec := c.Options.Record
				if rec.Text != *run.Tkinfo || rec.Object != run.Object || rec.Tool != run.Tool {
					t.Errorf("%s:\nrecord %q object %q tool %q\n  want %q object %q tool %q", id,
						rec.Text, rec.Object, rec.Tool, *run.Tkinfo, run.Object, run.Tool)
				}
			}
		}
	}
	t.Logf("%d command lines, %d unsupported, %d records", n, unsupported, records)
	if n < 1000 {
		t.Errorf("only %d command lines", n)
	}
}
