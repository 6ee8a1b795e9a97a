package power

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Questions are those that a surviving fault is tried on: the numbers that a package's TestSeek has for them.
type Questions struct{ From, To uint64 }

// seekLimit is how long one program may take over the questions.
const seekLimit = 20 * time.Minute

// seekers are packages with a TestSeek, by area; the others' is cmd/twinlink.
var seekers = map[string]string{"oracle-check": "./oracle/check", "selfcheck": "./selfcheck"}

// seek returns the first questions of which the program makes something else with a fault than without.
func (b *bench) seek(ctx context.Context, f *Fault, q Questions) (string, error) {
	d := &Detector{Name: "seek", Packages: []string{cmp.Or(seekers[f.Area], "./cmd/twinlink")}, Args: []string{"-run", "^TestSeek$"}}
	suites, err := b.suites(ctx, d)
	if err != nil {
		return "", err
	}
	args := []string{"-test.run", "^TestSeek$", "-test.v", "-seek-from", strconv.FormatUint(q.From, 10), "-seek-to", strconv.FormatUint(q.To, 10)}
	s := &suites[0].sought
	s.once.Do(func() {
		_, out, err := b.start(ctx, suites[0], args, "", seekLimit)
		s.lines, s.err = questions(out), err
	})
	if s.err != nil {
		return "", s.err
	}
	failed, out, err := b.start(ctx, suites[0], args, strconv.Itoa(b.program.numbers[f]+1), seekLimit)
	if err != nil {
		return "", err
	}
	got := questions(out)
	var list []string
	for i, line := range s.lines {
		name, _, _ := strings.Cut(line, ";")
		if i >= len(got) && failed {
			return "it ends at " + name, nil
		}
		if i < len(got) && line != got[i] && len(list) < 4 {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("none of %d links detects it", len(got)), nil
	}
	return "found by " + strings.Join(list, ", "), nil
}

func questions(out string) []string {
	var list []string
	for line := range strings.Lines(out) {
		if q, ok := strings.CutPrefix(line, "question "); ok {
			list = append(list, strings.TrimSpace(q))
		}
	}
	return list
}

// sought is what the questions give without a fault.
type sought struct {
	once  sync.Once
	lines []string
	err   error
}
