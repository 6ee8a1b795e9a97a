package linkcommand

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/twinlink/twinlink/internal/cputime"
	"github.com/twinlink/twinlink/internal/filemap"
)

// Options of "twinlink link" that nvlink doesn't have. They are taken out of the
// command line before it is read as nvlink's, so that no output records them;
// under the name nvlink only the environment sets them.

// saveVariable is the environment's --save-dir.
const saveVariable = "TWINLINK_SAVE_DIR"

// ownOptions is what they say.
type ownOptions struct {
	phases bool   // --phases: print time and memory of each phase
	save   string // --save-dir: keep inputs and command line of each link there
}

// takeOwn takes them out of args.
func takeOwn(args []string) (rest []string, own ownOptions) {
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--phases":
			own.phases = true
		case name == "--save-dir" && given:
			own.save = value
		case name == "--save-dir" && i+1 < len(args):
			i++
			own.save = args[i]
		default:
			rest = append(rest, args[i])
		}
	}
	return rest, own
}

// stopwatch notes what phases take.
type stopwatch struct {
	phases []phase
	name   string
	wall   time.Time
	cpu    time.Duration
}

// phase is a phase that is over.
type phase struct {
	name      string
	wall, cpu time.Duration
	heap      uint64
}

// begin ends the phase that is under way and begins the next.
func (w *stopwatch) begin(name string) {
	now, cpu := time.Now(), cputime.Now()
	if w.name != "" {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.phases = append(w.phases, phase{w.name, now.Sub(w.wall), cpu - w.cpu, m.HeapAlloc})
	}
	w.name, w.wall, w.cpu = name, time.Now(), cputime.Now()
}

// print writes the table.
func (w *stopwatch) print(out io.Writer) {
	w.begin("")
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "phase\twall ms\tCPU ms\theap MiB at its end\t")
	for _, p := range w.phases {
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.1f\t\n", p.name, ms(p.wall), ms(p.cpu), float64(p.heap)/filemap.Mebibyte)
	}
	_ = t.Flush()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// saveLink keeps what a link read, and its command line, in a new folder of dir:
// the inputs by number and name, "command" for a shell in that folder, and the
// exit status.
func (l *linkCommand) saveLink(dir string, args []string, status int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(dir, "link-")
	if err != nil {
		return err
	}
	command := "twinlink link"
	for _, arg := range args {
		if l.reader.Has(arg) {
			data, err := l.reader.Read(arg)
			if err != nil {
				continue // it couldn't be read then either
			}
			arg = fmt.Sprintf("%05d-%s", len(command), filepath.Base(arg))
			if err := os.WriteFile(filepath.Join(dir, arg), data, 0o666); err != nil {
				return err
			}
		}
		command += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	text := fmt.Sprintf("#!/bin/sh\n# ended with status %d\n%s\n", status, command)
	return os.WriteFile(filepath.Join(dir, "command"), []byte(text), 0o777)
}
