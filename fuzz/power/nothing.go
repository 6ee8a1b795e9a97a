package power

import (
	_ "embed"
	"fmt"
	"strings"
)

// Many conditions decide only how much room is asked for, or whether a short way is taken beside the long one. No link
// can tell a fault of one, so nothing.tsv lists them:
//
//	file function fault condition reason
//
// The fault is false, true or equal, or several with commas; the condition is * for all of the function. A listed fault
// that a link tells is an error, as is a line without a condition.
//
//go:embed nothing.tsv
var nothingText string

// excused is a line: faults that change nothing.
type excused struct {
	file, function, condition, reason string
	faults                            [failings]bool
	met                               bool
}

func readNothing(text string) (list []excused, err error) {
	words := map[string]Failing{"false": AlwaysFalse, "true": AlwaysTrue, "equal": TurnedWhereEqual}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 5 || f[4] == "" {
			return nil, fmt.Errorf("nothing.tsv: %q has no five fields", line)
		}
		n := excused{file: f[0], function: f[1], condition: f[3], reason: f[4]}
		for w := range strings.SplitSeq(f[2], ",") {
			k, ok := words[w]
			if !ok {
				return nil, fmt.Errorf("nothing.tsv: no fault %q", w)
			}
			n.faults[k] = true
		}
		list = append(list, n)
	}
	return list, nil
}

// excuse gives reasons to those that are listed. Below a folder only its lines can be met.
func excuse(judged []Judged, list []excused, under string) error {
	for i := range judged {
		j := &judged[i]
		for k := range list {
			n := &list[k]
			if n.file != j.File || n.function != j.Func || !n.faults[j.Failing] || n.condition != "*" && n.condition != j.Text {
				continue
			}
			if j.FoundBy != "" {
				return fmt.Errorf("%s:%d: %s: %q is listed as changing nothing (%s), but %s detects it", j.File, j.Line, j.Failing, j.Text, n.reason, j.FoundBy)
			}
			n.met, j.Nothing = true, n.reason
		}
	}
	for k := range list {
		if n := &list[k]; !n.met && strings.HasPrefix(n.file, under) {
			return fmt.Errorf("nothing.tsv: %s has no condition %q in %s", n.file, n.condition, n.function)
		}
	}
	return nil
}
