package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// Counter counts the verdicts of a target. The processes in which "go test
// -fuzz" runs a target print nothing; where TWINLINK_FUZZ_COUNTS names a folder
// each leaves its counts there ten times a second, and scripts/fuzz.sh adds them up
// and prints them as the run goes.
type Counter struct {
	Target string

	mu     sync.Mutex
	counts map[string]uint64
	began  time.Time
	left   time.Time
}

// Add counts n more of a verdict: agree, diverge, both-refuse, one-refuses,
// inexpressible, or anything else worth a number.
func (c *Counter) Add(verdict string, n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.counts == nil {
		c.counts, c.began, c.left = map[string]uint64{}, now, now
	}
	c.counts[verdict] += n
	if now.Sub(c.left) < time.Second/10 {
		return
	}
	c.left = now
	if dir := os.Getenv("TWINLINK_FUZZ_COUNTS"); dir != "" {
		name := filepath.Join(dir, fmt.Sprintf("%s-%d", c.Target, os.Getpid()))
		_ = os.WriteFile(name, []byte(c.text()), 0o644) // a count that is lost is no fault
	}
}

// text is a line for each verdict, "verdict count", and how many milliseconds
// were counted.
func (c *Counter) text() string {
	var lines []string
	for verdict, n := range c.counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", verdict, n))
	}
	sort.Strings(lines)
	return strings.Join(lines, "") + fmt.Sprintf("milliseconds %d\n", time.Since(c.began).Milliseconds())
}
