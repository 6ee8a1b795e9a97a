// Describe writes docs/mercury-forms.md: the forms of mercury/table.tsv by
// family, one line each.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	table := flag.String("table", "mercury/table.tsv", "")
	out := flag.String("o", "docs/mercury-forms.md", "")
	flag.Parse()
	b, err := os.ReadFile(*table)
	if err == nil {
		err = os.WriteFile(*out, []byte(describe(string(b))), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "describe:", err)
		os.Exit(1)
	}
}

// form is what one tag's rules come to.
type form struct {
	sms, words, operands, modifiers map[string]bool
}

// families names the second byte of a tag, where all members seen do similar.
var families = map[string]string{
	"09": "BSYNC", "0b": "moves, constants, special registers", "10": "comparisons, predicate logic", "11": "EXIT", "1b": "SYNCS, barriers in shared memory",
	"1d": "integer addition", "22": "loads", "23": "bulk and tensor copies", "32": "REDUX", "38": "stores", "47": "barriers, warp synchronisation", "49": "fences",
	"4a": "MATCH", "4b": "SHFL", "4c": "VOTE", "4d": "RED", "4e": "atomics", "5a": "matrix multiply-add", "63": "tensor memory and tcgen05",
}

func describe(table string) string {
	forms := map[string]*form{}
	var f *form
	for line := range strings.Lines(table) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch c[0] {
		case "plain":
			f = nil
		case "form":
			if forms[c[1]] == nil {
				forms[c[1]] = &form{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
			}
			f = forms[c[1]]
			for s := range strings.SplitSeq(c[2], ",") {
				f.sms[s] = true
			}
		case "model":
			if f != nil {
				for s := range strings.FieldsSeq(c[1]) {
					f.operands[s] = true
				}
			}
		case "shape":
			if f != nil {
				f.words[c[1]] = true
			}
		case "call": // the word above is a part of it
			delete(f.words, "802")
			f.words["call"] = true
		case "key":
			f.modify(c[1])
		case "bit", "not":
			f.modify(c[2])
		case "table":
			f.modify(c[2])
		}
	}
	var b strings.Builder
	b.WriteString(heading)
	family := ""
	for _, tag := range slices.SortedFunc(maps.Keys(forms), func(x, y string) int {
		return strings.Compare(x[2:4]+x[:2]+x[4:], y[2:4]+y[:2]+y[4:])
	}) {
		if now := tag[2:4]; now != family {
			family = now
			title := family
			if name := families[family]; name != "" {
				title += ": " + name
			}
			fmt.Fprintf(&b, "\n## %s\n\n| tag | SMs | words | operands | modifiers |\n|---|---|---|---|---|\n", title)
		}
		f := forms[tag]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d |\n", tag, join(f.sms, " "), join(f.words, ", "), operands(f.operands), len(f.modifiers))
	}
	return b.String()
}

const heading = `# Forms of Mercury records

Made by ` + "`go run ./mercury/describe`" + ` from mercury/table.tsv; mercury.md says how to read a record.

A form is named by its tag, the first four bytes. Words are the opcodes, bits 0 to 11, of its SASS words;
if there are several lists its modifiers select one; "call": on sm_107 a call of the driver. Operands are given by the first bit of their field: R86 a register in bits 86 to 95, P35 a
predicate in bits 35 to 39, which is the guard. Modifiers is the number of bits from 40 to 79 that rules ask for.
`

func (f *form) modify(list string) {
	if f == nil {
		return
	}
	for s := range strings.SplitSeq(list, ",") {
		if len(s) == 2 && s >= "40" && s < "80" {
			f.modifiers[s] = true
		}
	}
}

func operands(set map[string]bool) string {
	var out []string
	for s := range set {
		at, width, _ := strings.Cut(s, "+")
		kind := "R"
		if width == "5" {
			kind = "P"
		}
		out = append(out, fmt.Sprintf("%s%03s", kind, at))
	}
	slices.SortFunc(out, func(x, y string) int { return strings.Compare(x[1:], y[1:]) })
	for i, s := range out {
		out[i] = s[:1] + strings.TrimLeft(s[1:], "0")
	}
	return strings.Join(out, " ")
}

func join(set map[string]bool, by string) string {
	return strings.Join(slices.Sorted(maps.Keys(set)), by)
}
