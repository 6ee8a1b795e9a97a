package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/internal/answers"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// What nvlink did of the command lines of asNvlinkDoes is in testdata/asnvlink.tsv: a sum of command line and files, exit
// status, sum of the image, messages. Where nvlink is installed it is asked again.
//
//	go test ./cmd/twinlink -run 'TestHostSection|TestAPIVersion|TestOptionsFiles' -record-nvlink     writes it
var (
	recordNvlink = flag.Bool("record-nvlink", false, "write testdata/asnvlink.tsv")
	nvlinkAnswer struct {
		sync.Mutex
		byQuestion map[string]string
	}
	asNvlinkFile = sync.OnceValue(func() string { // the test changes its folder
		path, err := filepath.Abs("testdata/asnvlink.tsv")
		if err != nil {
			panic(err)
		}
		return path
	})
	_ = asNvlinkFile()
)

// recordedNvlink returns what is in the file, and puts an answer into it where it is to be written.
func recordedNvlink(t *testing.T, question, answer string) string {
	t.Helper()
	a := &nvlinkAnswer
	a.Lock()
	defer a.Unlock()
	if a.byQuestion == nil {
		a.byQuestion = map[string]string{}
		text, err := os.ReadFile(asNvlinkFile())
		if err != nil && !*recordNvlink {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			q, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			a.byQuestion[q] = rest
		}
	}
	if *recordNvlink && answer != "" {
		a.byQuestion[question] = answer
		var lines []string
		for q, rest := range a.byQuestion {
			lines = append(lines, q+"\t"+rest+"\n")
		}
		slices.Sort(lines)
		if err := os.WriteFile(asNvlinkFile(), []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return a.byQuestion[question]
}

// asNvlinkDoes runs a command line in the working folder with twinlink, and compares out.cubin, messages and status with
// nvlink's. It returns out.cubin.
func asNvlinkDoes(t *testing.T, release, line string, inputs ...string) (image []byte) {
	t.Helper()
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", release, line)
	job := nvidia.Job{Args: append(strings.Fields(line), "-o", "out.cubin"), Collect: "out.cubin"}
	for _, name := range inputs {
		data := []byte(read(t, name))
		job.Inputs = append(job.Inputs, nvidia.File{Name: name, Data: data})
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
	}
	question := hex.EncodeToString(h.Sum(nil)[:8])
	answer := recordedNvlink(t, question, "")
	if tool := nvlinkOf(t, release, answer == "" || *recordNvlink); tool != nil {
		theirs, err := tool.Run(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		now := fmt.Sprintf("%d\t%s\t%s", theirs.ExitCode, answers.Sum(theirs.Files["out.cubin"]), strconv.Quote(string(theirs.Stderr)))
		if answer = recordedNvlink(t, question, now); answer != now {
			t.Errorf("%s: %s: nvlink does %q, recorded is %q (-record-nvlink)", release, line, now, answer)
			answer = now
		}
	}
	_ = os.Remove("out.cubin")
	ours := runAs("twinlink", append([]string{"link", "-toolkit", release}, job.Args...)...)
	said, _ := ownwarnings.Strip(ours.stderr)
	if image, _ = os.ReadFile("out.cubin"); ours.exit != 0 {
		image = nil
	}
	if got := fmt.Sprintf("%d\t%s\t%s", ours.exit, answers.Sum(image), strconv.Quote(said)); got != answer {
		t.Errorf("%s: %s: %q, with nvlink %q", release, line, got, answer)
	}
	return image
}

// nvlinkOf returns the tool, nil where it isn't installed and isn't needed.
func nvlinkOf(t *testing.T, release string, needed bool) *nvidia.Tool {
	t.Helper()
	if needed {
		nvidiatest.Need(t, release, nvidia.Nvlink)
	}
	set, err := nvidia.Find(t.Context(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := set.Tool(release, nvidia.Nvlink)
	if err != nil {
		return nil
	}
	return &tool
}
