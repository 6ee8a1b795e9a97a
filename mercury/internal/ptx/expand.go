// Package ptx makes kernels of lines of PTX: one kernel for each line, so that
// ptxas can't fold one into another.
//
// In a line, <a/b/c> stands for one of its parts; a line is written out for
// every choice. Names of registers say what they are:
//
//	%a0..%a7  32 bits, different in each thread     %u0..%u3  32 bits, the same in a warp
//	%A0..%A7  64 bits                               %U0..%U3  64 bits
//	%h0..%h7  16 bits                               %p0..%p3  predicates
//	%x0..%x7  32-bit results, %X 64, %z 16, %q predicates
//	%s0       an address of shared memory, %g0, %g1 generic addresses, %l0 of local memory
//
// A line needs no loads and stores of its own: the kernel reads what the line
// names and writes its results to memory.
package ptx

import (
	"hash/fnv"
	"strings"
)

// Most is the number of choices up to which a line is written out for all of
// them. Of more, so many are taken that each part occurs in several.
const Most = 16

// Expand writes a line out.
func Expand(line string) []string {
	all := []string{line}
	for range strings.Count(line, "<") {
		var next []string
		for _, l := range all {
			before, parts, after, ok := last(l)
			if !ok {
				next = append(next, l)
				continue
			}
			for _, p := range parts {
				next = append(next, before+p+after)
			}
		}
		if all = next; len(all) > Most {
			return some(line)
		}
	}
	return all
}

func some(line string) []string {
	longest := Most
	var out []string
	for k := 0; k < longest; k++ {
		l := line
		for j := 1; ; j += 2 {
			before, parts, after, ok := last(l)
			if !ok {
				break
			}
			n := len(parts)
			longest = max(longest, n)
			l = before + parts[(k+k/n*j+j)%n] + after
		}
		out = append(out, l)
	}
	return out
}

// last takes the last <a/b> of a line apart: no other is in it.
func last(line string) (before string, parts []string, after string, ok bool) {
	open := strings.LastIndexByte(line, '<')
	if open < 0 {
		return "", nil, "", false
	}
	inner, after, ok := strings.Cut(line[open+1:], ">")
	parts = strings.Split(inner, "/")
	if len(parts) > 1 && parts[0] == "" && parts[1] == "" {
		parts = parts[1:]
	}
	return line[:open], parts, after, ok
}

// Lines returns the lines of a file, written out: what is after "#" is a
// remark, and a line that begins with a tab goes on the one before.
func Lines(text string) []string {
	var joined []string
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(strings.TrimRight(l, "\n"), "#")
		if strings.TrimSpace(l) == "" {
			continue
		}
		if l[0] == '\t' && len(joined) > 0 {
			joined[len(joined)-1] += " " + strings.TrimSpace(l)
			continue
		}
		joined = append(joined, strings.TrimSpace(l))
	}
	var out []string
	seen := map[string]bool{}
	for _, l := range joined {
		for _, e := range Expand(l) {
			if !seen[e] {
				seen[e] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// HeldBack reports whether a line is one of the quarter, chosen by hash, from
// which nothing is learned: the table has to predict what comes out of it.
func HeldBack(line string) bool {
	h := fnv.New32a()
	h.Write([]byte(line))
	return h.Sum32()%4 == 0
}
