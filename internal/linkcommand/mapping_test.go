package linkcommand

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/inputs"
)

// What mapInputs maps is what is in the files, and what isn't a regular
// file is left to read.
func TestMapInputs(t *testing.T) {
	dir := t.TempDir()
	var names []string
	want := make(map[string][]byte)
	for i, size := range []int{3 << 20, 1, 2<<20 + 7} {
		name := filepath.Join(dir, string(rune('a'+i)))
		data := bytes.Repeat([]byte{byte(i + 1), 0x55, byte(size)}, size/3+1)[:size]
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name, name)
		want[name] = data
	}
	reader := unread()
	l := newLinker(Call{})
	l.reader = reader
	l.mapInputs(append(names, filepath.Join(dir, "missing"), dir, os.DevNull))
	if l.mapped.Len() == 0 {
		t.Skip("files are not mapped here")
	}
	for _, name := range []string{filepath.Join(dir, "missing"), dir, os.DevNull} {
		if reader.Has(name) {
			t.Errorf("%s is mapped", name)
		}
	}
	for name, data := range want {
		if got, err := reader.Read(name); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %d bytes, want %d, or other ones", filepath.Base(name), len(got), len(data))
		}
	}
	if name := l.mapped.Changed(); name != "" {
		t.Errorf("%s is said to have changed", name)
	}
}

// unread is a reader that reads no file itself.
func unread() *inputs.Reader {
	return inputs.NewReader(func(string) ([]byte, error) { return nil, os.ErrNotExist })
}

// A mapped input that changes or shrinks is an error: no crash, no output.
func TestMappedInputChanges(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"shrinks":   func(name string) error { return os.Truncate(name, 0) },
		"is newer":  func(name string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(time.Hour)) },
		"goes":      os.Remove,
		"is larger": func(name string) error { return os.Truncate(name, 6<<20) },
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "in")
			if err := os.WriteFile(name, make([]byte, 5<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			var messages bytes.Buffer
			l := newLinker(Call{Out: io.Discard, Err: &messages})
			l.reader = unread()
			l.cmd = &cmdline.Command{Output: filepath.Join(t.TempDir(), "out")}
			l.mapInputs([]string{name})
			if l.mapped.Len() == 0 {
				t.Skip("files are not mapped here")
			}
			err := l.watched(func() error {
				if err := change(name); err != nil {
					t.Fatal(err)
				}
				sum := 0
				data, err := l.reader.Read(name)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range data {
					sum += int(b)
				}
				return l.write(make([]byte, sum), nil)
			})
			if err == nil || !strings.Contains(messages.String(), "changed while it was linked") {
				t.Errorf("the link ends with %v and says %q", err, messages.String())
			}
		})
	}
}
