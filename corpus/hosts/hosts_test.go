package hosts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

var record = flag.Bool("record", false, "ask nvlink and write recorded.json anew")

func TestMain(m *testing.M) { nvidiatest.Main(m) }

// outcome is what a linker made of a link.
type outcome struct {
	Exit     int    `json:"exit"`
	Stderr   string `json:"stderr,omitempty"`
	Image    string `json:"image,omitempty"`    // SHA-256
	Register string `json:"register,omitempty"` // SHA-256
}

func sum(data []byte) string {
	if data == nil {
		return ""
	}
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// folder is the place that the registration file tells of: no object here is
// registered by its path.
const folder = "/"

// ours links with the engine.
func ours(t *testing.T, l *Link) (outcome, []byte) {
	t.Helper()
	read := func(name string) ([]byte, error) {
		for _, f := range l.Files {
			if f.Name == name {
				return f.Data, nil
			}
		}
		return nil, fs.ErrNotExist
	}
	r, _ := cmdline.ParseRelease(l.Release)
	cmd, err := cmdline.Parse(r, append(append([]string(nil), l.Args...), "-o", Image), read)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	say := func(list []engine.Diagnostic) {
		for i := range list {
			if list[i].Kind == engine.Rescheduled {
				continue // twinlink's own: it isn't sure of the schedule
			}
			said.WriteString(list[i].String() + "\n")
		}
	}
	set := inputs.New(cmd, inputs.NewReader(read))
	for _, name := range cmd.Inputs {
		say(set.Add(name))
	}
	cmd.Options.HostUse = set.HostUse()
	out, err := engine.Link(set.Objects, cmd.Options)
	var refused *engine.LinkError
	if errors.As(err, &refused) {
		say(refused.Diags)
		return outcome{Exit: refused.Exit, Stderr: said.String()}, nil
	}
	say(out.Diags)
	return outcome{Stderr: said.String(), Image: sum(out.Image), Register: sum(inputs.RegisterText(folder, set.Registered))}, out.Image
}

// theirs links with nvlink; false where that release isn't installed.
func theirs(t *testing.T, tools *nvidia.Toolset, l *Link) (outcome, bool) {
	t.Helper()
	tool, err := tools.Tool(l.Release, nvidia.Nvlink)
	if err != nil {
		return outcome{}, false
	}
	job := nvidia.Job{Args: append(append([]string(nil), l.Args...), "-o", Image), Outputs: []string{Image, Register}}
	for _, f := range l.Files {
		job.Inputs = append(job.Inputs, nvidia.File{Name: f.Name, Data: f.Data})
	}
	res, err := tool.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{Exit: res.ExitCode, Stderr: string(res.Stderr), Image: sum(res.Files[Image]), Register: sum(res.Files[Register])}, true
}

// TestRecorded links every host object as nvlink was seen to: image,
// registration file, messages and status are nvlink's.
func TestRecorded(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if *record {
		writeRecord(t, all)
	}
	want := readRecord(t)
	same := 0
	for i := range all {
		l := &all[i]
		w, ok := want[l.ID]
		if !ok {
			t.Errorf("%s: not recorded: run the test with -record where nvlink is installed", l.ID)
			continue
		}
		got, _ := ours(t, l)
		if w.Exit != 0 { // what nvlink leaves of a link that failed is not compared
			w.Image, w.Register = "", ""
		}
		if diff := cmp.Diff(w, got); diff != "" {
			t.Errorf("%s (-nvlink +twinlink):\n%s", l.ID, diff)
			continue
		}
		same++
	}
	t.Logf("%d of %d links the same", same, len(all))
}

// TestRecordIsTrue asks nvlink about a part of the links again.
func TestRecordIsTrue(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := readRecord(t)
	asked := 0
	for i := 0; i < len(all); i += 5 {
		got, ok := theirs(t, tools, &all[i])
		if !ok {
			continue
		}
		asked++
		if diff := cmp.Diff(want[all[i].ID], got); diff != "" {
			t.Errorf("%s (-recorded +nvlink):\n%s", all[i].ID, diff)
		}
	}
	if asked == 0 {
		t.Skip("SKIPPED: no nvlink is installed: make witness")
	}
}

func readRecord(t *testing.T) map[string]outcome {
	t.Helper()
	data, err := os.ReadFile("recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]outcome
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func writeRecord(t *testing.T, all []Link) {
	t.Helper()
	tools, err := nvidia.Find(context.Background(), nvidia.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]outcome)
	for i := range all {
		o, ok := theirs(t, tools, &all[i])
		if !ok {
			t.Fatalf("nvlink %s is not installed", all[i].Release)
		}
		list[all[i].ID] = o
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("recorded.json", append(data, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
}
