// Package said has what a check found in words, for tests.
package said

import (
	"strings"

	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Lines is what a check found, a line each: findings, after "?" what could not be judged, after "!" remarks.
func Lines(b *verdict.Book) string {
	var list []string
	for _, x := range []struct {
		mark string
		told []verdict.Finding
	}{{"", b.Findings}, {"? ", b.Unjudged}, {"! ", b.Remarks}} {
		for _, f := range x.told {
			list = append(list, x.mark+f.String())
		}
	}
	return strings.Join(list, "\n")
}
