// Package ownwarnings knows the warnings of a link that nvlink doesn't have, for those who
// compare what the two say.
package ownwarnings

import (
	"slices"
	"strings"
)

// mayDiffer are in warnings that the image may not be what nvlink makes.
var mayDiffer = []string{"may differ from nvlink"}

// asNvlink are in those about what nvlink does too, silently.
var asNvlink = []string{
	"is omitted, as with nvlink",
	"constants of another input displace",
	"is zero, because another input defines",
	"don't count its resources, as with nvlink",
	"is lost, because another object defines it",
	"not a multiple of the alignment",
	"becomes another operation, as with nvlink",
	"has addresses of 0, as with nvlink",
	"has no waits, as with nvlink",
	"the first is used for all, as with nvlink",
	"refers to other functions, as with",
	"refers to the last of several symbols of one name, as with nvlink",
	"it is linked as nvJitLink does",
}

// Strip takes the lines that only twinlink writes out of its messages. It reports whether
// one says that the image may differ from nvlink's.
func Strip(messages string) (rest string, warned bool) {
	var b strings.Builder
	for line := range strings.Lines(messages) {
		own, differs := judge(line)
		warned = warned || differs
		if !own {
			b.WriteString(line)
		}
	}
	return b.String(), warned
}

// Lines returns the lines that Strip takes out.
func Lines(messages string) (list []string) {
	for line := range strings.Lines(messages) {
		if own, _ := judge(line); own {
			list = append(list, line)
		}
	}
	return list
}

// judge reports whether only twinlink writes a line, and whether it says that the image may differ.
func judge(line string) (own, differs bool) {
	if !strings.HasPrefix(line, "nvlink warning : ") {
		return false, false
	}
	in := func(word string) bool { return strings.Contains(line, word) }
	differs = slices.ContainsFunc(mayDiffer, in)
	return differs || slices.ContainsFunc(asNvlink, in), differs
}
