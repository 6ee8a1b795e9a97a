package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/fuzz/opinion"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

var foundFolder = flag.String("found", "../../corpus/testdata/found", "folder of TestFound")

// TestFound wants of the links that fuzzing found what nvlink does with them.
func TestFound(t *testing.T) {
	list, err := filepath.Glob(*foundFolder + "/*/found.txt")
	if err != nil || len(list) == 0 {
		t.Fatalf("%d links, %v", len(list), err)
	}
	for i := range list {
		if list[i], err = filepath.Abs(list[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range list {
		t.Run(filepath.Base(filepath.Dir(name)), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c, err := reduce.Load(filepath.Dir(name))
			if err != nil {
				t.Fatal(err)
			}
			if got := filepath.Base(filepath.Dir(name)); got != c.Hash() {
				t.Errorf("the content's name is %s", c.Hash())
			}
			want := map[string]string{}
			for line := range strings.Lines(string(text)) {
				if line == "\n" {
					break
				}
				key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
				want[key] = strings.TrimLeft(value, " ")
			}
			if want["why"] == "" || want["nvlink"] != c.Release {
				t.Errorf("why %q, nvlink %q", want["why"], want["nvlink"])
			}
			t.Chdir(t.TempDir())
			for _, in := range c.Inputs {
				if err := os.WriteFile(in.Name, in.Data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var stdout, stderr bytes.Buffer
			exit := run(append([]string{"nvlink", "-toolkit=" + c.Release}, c.Args()...), streams{&stdout, &stderr})
			sum, verdict := "-", "-"
			if image, err := os.ReadFile(reduce.Output); err == nil {
				h := sha256.Sum256(image)
				sum, verdict = hex.EncodeToString(h[:]), opinion.Oracle(c, image)
			}
			rejected, who, _ := strings.Cut(want["oracle"], ": ")
			if strings.HasPrefix(rejected, "rejects") != (who == "nvlink is wrong" || who == "oracle is wrong") {
				t.Errorf("oracle %q: who is wrong?", want["oracle"])
			}
			if verdict != rejected {
				t.Errorf("the oracle %s, want %s", verdict, want["oracle"])
			}
			if strconv.Itoa(exit) != want["exit"] || sum != want["image"] {
				t.Errorf("exit %d, image %s; nvlink %s has %s, %s; it says %s", exit, sum, c.Release, want["exit"], want["image"], stderr.String())
			}
			messages, _ := ownwarnings.Strip(stderr.String())
			if said := strconv.Quote(stdout.String() + messages); said != want["says"] {
				t.Errorf("says %s\nnvlink %s", said, want["says"])
			}
		})
	}
}
