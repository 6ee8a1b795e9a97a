// Package trial makes the conditions of a program built by "twinlink power --conditions" fail, one after the other, and
// asks cases of which the outcome is known whether it still is. Only tests import it.
package trial

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twinlink/twinlink/fuzz/power/condition"
)

var (
	file = flag.String("conditions", "", "file for the result of each condition; a run continues where it ends")
	size = flag.Int("conditions-count", 0, "how many conditions there are")
	most = flag.Int("conditions-try", 80, "how many cases are tried on a condition that fails")
	from = flag.Uint64("conditions-from", 0, "with -conditions-to: fresh cases of these numbers, not recorded ones")
	to   = flag.Uint64("conditions-to", 0, "number behind the last")
)

// Asked reports whether the program is to try conditions.
func Asked() bool { return *file != "" }

// Fresh are the first number of the fresh cases that are to be tried in place of recorded ones, and the number
// after the last; both are the same where none are.
func Fresh() (first, behind uint64) { return *from, max(*from, *to) }

// Case is something of which the outcome is known.
type Case struct {
	Name string
	Dir  string      // working folder; "" for any
	Same func() bool // whether the outcome is what it has to be

	seen  []byte
	asked bool // without a fault, by this program
}

// Run tries each fault on cases that come to its condition, and writes which are told: "NUMBER told CASE", "NUMBER lives
// COUNT", "NUMBER unseen". A case that isn't what it has to be without a fault is omitted.
func Run(list []Case) error {
	done := map[int]bool{}
	if text, err := os.ReadFile(*file); err == nil {
		for line := range strings.Lines(string(text)) {
			number, _, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				return err
			}
			done[n] = true
		}
	}
	out, err := os.OpenFile(*file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := see(list); err != nil {
		return err
	}
	count := make([]int, 3**size)
	for i := range list {
		for n, bits := range list[i].seen {
			for kind, bit := range condition.Infects {
				if bits&bit != 0 {
					count[3*n+kind]++
				}
			}
		}
	}
	for f, cases := range count {
		if done[f] {
			continue
		}
		if cases == 0 {
			fmt.Fprintf(out, "%d unseen\n", f)
			continue
		}
		fmt.Fprintf(out, "%d ", f)
		fmt.Fprintln(out, tell(f, cases, list))
	}
	return nil
}

// see finds the conditions that each case comes to. It keeps them in a file, since a fault may end the program, and one
// that goes on then would take long to ask all cases again.
func see(list []Case) error {
	kept, err := os.ReadFile(*file + ".seen")
	condition.Seen = make([]byte, *size)
	if err == nil && len(kept) == len(list)*(*size+1) {
		for i := range list {
			one := kept[i*(*size+1):][:*size+1]
			if one[*size] != 0 {
				list[i].seen = one[:*size]
			}
		}
		return nil
	}
	kept = kept[:0]
	for i := range list {
		clear(condition.Seen)
		right := byte(0)
		if list[i].unharmed() {
			list[i].seen, list[i].asked = slices.Clone(condition.Seen), true
			right = 1
		}
		kept = append(append(kept, condition.Seen...), right)
	}
	return os.WriteFile(*file+".seen", kept, 0o644)
}

// tell tries the first cases that come to the fault, which are recorded as a whole, and as many of all, until one tells it.
func tell(fault, cases int, list []Case) string {
	condition.Fault = fault + 1
	defer func() { condition.Fault = 0 }()
	n := *most
	k, tried := 0, 0
	for i := range list {
		c := &list[i]
		if c.seen == nil || c.seen[fault/3]&condition.Infects[fault%3] == 0 {
			continue
		}
		if k++; k > n && (k-n)*n < (tried-n)*cases {
			continue
		}
		if !c.asked {
			condition.Fault, c.asked = 0, true
			c.unharmed()
			condition.Fault = fault + 1
		}
		if tried++; !c.unharmed() {
			return "told " + c.Name
		}
	}
	return fmt.Sprintf("lives %d", cases)
}

func (c *Case) unharmed() (same bool) {
	condition.Left = 10_000_000
	late := time.AfterFunc(8*time.Second, func() { os.Exit(3) })
	defer late.Stop()
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	if c.Dir != "" {
		if err := os.Chdir(c.Dir); err != nil {
			panic(err)
		}
	}
	return c.Same()
}

// AsAtFirst asks whether something gives what it gave when it was first asked.
func AsAtFirst(gives func() string) (same func() bool) {
	first := ""
	return func() bool {
		now := gives()
		if first == "" {
			first = now
		}
		return now == first
	}
}
