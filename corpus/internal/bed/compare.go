package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// verdict is how a link came out.
type verdict struct {
	class  string // same, refused alike, differ, skipped
	bucket string // differ, skipped: the cause
	key    string // the key as it was, with its values
	warned bool   // twinlink gave a warning of its own
	silent bool   // differ: it gave none
	among  string // where NVIDIA's linkers differ among themselves
}

// judge compares twinlink's answer with the others'. The first of NVIDIA's that
// answers decides: nvlink where there is one, else nvJitLink.
func judge(l *link) verdict {
	v := verdict{class: "skipped", bucket: "no linker of NVIDIA's answered"}
	if l.ours.died != "" {
		return verdict{class: "differ", bucket: "twinlink " + l.ours.died, silent: true}
	}
	if strings.Contains(l.ours.stderr, "is not supported by twinlink") {
		return verdict{class: "skipped", bucket: "twinlink: " + generalText(l, firstLine(l.ours.stderr))}
	}
	for _, a := range l.asked {
		if v = compare(l, a); v.class != "skipped" {
			break
		}
	}
	v.warned = l.ours.warned
	v.silent = v.class == "differ" && !v.warned
	v.among = disagreement(l)
	return v
}

// disagreement is where NVIDIA's own linkers of one release part.
func disagreement(l *link) string {
	if len(l.asked) < 2 || l.asked[0].died != "" || l.asked[1].died != "" {
		return ""
	}
	a, b := l.asked[0], l.asked[1]
	linked := func(x *answer) bool { return x.exit == 0 && x.output != nil }
	switch {
	case linked(a) && linked(b):
		if d := nvjitlink.Same(b.output, a.output); d != "" {
			return "images of " + a.who + " and " + b.who + ": " + generalText(l, d)
		}
	case linked(a) != linked(b):
		complains := ""
		if b.jit != nil && b.jit.Complained() {
			complains = ", and reports an error"
		}
		words := map[bool]string{true: "links", false: "refuses"}
		return a.who + " " + words[linked(a)] + ", " + b.who + " " + words[linked(b)] + complains
	}
	return ""
}

// compare compares twinlink with one other.
func compare(l *link, a *answer) verdict {
	ours := l.ours
	if a.died != "" {
		return verdict{class: "skipped", bucket: a.who + " " + a.died}
	}
	if a.jit != nil {
		return compareJIT(l, a)
	}
	switch {
	case ours.exit != a.exit:
		return verdict{class: "differ", bucket: fmt.Sprintf("exit %d, not %d: %s", ours.exit, a.exit, generalText(l, firstDifferingLine(ours.stderr, a.stderr))), key: "exit"}
	case ours.stderr != a.stderr:
		return verdict{class: "differ", bucket: "stderr: " + generalText(l, firstDifferingLine(ours.stderr, a.stderr)), key: "stderr"}
	case ours.stdout != a.stdout:
		return verdict{class: "differ", bucket: "stdout: " + generalText(l, firstDifferingLine(ours.stdout, a.stdout)), key: "stdout"}
	case ours.output == nil && a.output == nil:
		return verdict{class: "refused alike"}
	case bytes.Equal(ours.output, a.output):
		return verdict{class: "same"}
	}
	return images(l, ours.output, a.output, false)
}

// refusedByNvlink is what each nvlink from 12.4 to 13.5 that was asked (12.4, 13.0 to 13.5) says of objects of
// 11.8 for sm_90. nvJitLink of 12.x links them: its answer tells nothing of nvlink's.
const refusedByNvlink = "must be recompiled with toolkit >= Cuda 12.0"

// compareJIT compares images; a status only as linked or refused, since
// nvJitLink from 12.6 on links what nvlink refuses, and says so in a message.
func compareJIT(l *link, a *answer) verdict {
	ours := l.ours
	switch {
	case a.exit == 0 && a.jit.Complained():
		if ours.output == nil || ours.exit != 0 {
			return verdict{class: "refused alike"}
		}
		return verdict{class: "differ", bucket: "linked, but nvJitLink reports: " + generalText(l, firstLine(a.messages())), key: "outcome"}
	case a.exit == 0 && ours.exit != 0 && strings.Contains(ours.stderr, refusedByNvlink):
		return verdict{class: "skipped", bucket: "nvJitLink links what nvlink refuses: objects of 11.8 for sm_90"}
	case a.exit == 0 && (ours.output == nil || ours.exit != 0):
		return verdict{class: "differ", bucket: "refused, but nvJitLink links: " + generalText(l, firstLine(ours.stderr)), key: "outcome"}
	case a.exit != 0 && ours.output != nil && ours.exit == 0:
		return verdict{class: "differ", bucket: "linked, but nvJitLink refuses: " + generalText(l, a.jit.String()+" "+firstLine(a.messages())), key: "outcome"}
	case a.exit != 0:
		return verdict{class: "refused alike"}
	}
	if nvjitlink.Same(a.output, ours.output) == "" {
		return verdict{class: "same"}
	}
	return images(l, ours.output, a.output, true)
}

// derived are keys that follow from others: places that a size moves, sums.
var derived = []string{
	"header.phoff", "header.shoff", "file.size", "program.*", "section.*.offset", "section.*.size", "strtab", "shstrtab",
	"symbol.order", "section.order", "*.order", "section.*.info", "section.*.link",
}

// images finds the first difference that is no consequence of another.
func images(l *link, ours, theirs []byte, jit bool) verdict {
	list, err := diff.Compare(diff.Input{Name: "twinlink", Data: ours}, diff.Input{Name: "nvlink", Data: theirs})
	if err != nil || len(list) == 0 {
		return verdict{class: "differ", bucket: "file.bytes", key: fmt.Sprint(err)}
	}
	filter := diff.Filter{}
	if jit { // they name the tool, and what its name moves
		filter.Ignore = []string{"note.tkinfo.*", "section.note.nv.tkinfo.size", "section.*.offset", "program.*", "header.shoff", "header.phoff", "file.size", "file.bytes"}
	}
	list, _ = filter.Apply(list)
	if len(list) == 0 {
		return verdict{class: "same"}
	}
	first := &list[0]
	for i := range list {
		if !matches(derived, list[i].Key) {
			first = &list[i]
			break
		}
	}
	text := func(s *string) string {
		if s == nil {
			return "nothing"
		}
		return *s
	}
	a, b := text(first.A), text(first.B)
	return verdict{
		class: "differ", bucket: general(l, first.Key) + surroundings(l, first.Key, a, b),
		key: fmt.Sprintf("%s: %.200s -> %.200s (and %d more)", first.Key, a, b, len(list)-1),
	}
}

func matches(patterns []string, key string) bool {
	for _, p := range patterns {
		if diff.Match(p, key) {
			return true
		}
	}
	return false
}

var (
	hexNumber = regexp.MustCompile(`0x[0-9a-f]+`)
	decimal   = regexp.MustCompile(`\b[0-9]+\b`)
	quoted    = regexp.MustCompile(`'[^']*'`)
	edge      = regexp.MustCompile(`[0-9]+: \^?[^|]*\[[0-9]+\] ->( [0-9]+)*`) // of --dump-callgraph
	again     = regexp.MustCompile(`#[0-9]+`)
)

// general takes names and places out of a key: "info.k.REGCOUNT" becomes
// "info.*.REGCOUNT".
func general(l *link, key string) string {
	key = again.ReplaceAllString(key, "")
	for _, name := range l.names() {
		if i := strings.Index(key, name); i > 0 && key[i-1] == '.' {
			key = key[:i] + "*" + key[i+len(name):]
			break
		}
	}
	return hexNumber.ReplaceAllString(key, "N")
}

// generalText takes names and numbers out of a message.
func generalText(_ *link, text string) string {
	text = edge.ReplaceAllString(text, "N: *")
	return decimal.ReplaceAllString(hexNumber.ReplaceAllString(quoted.ReplaceAllString(text, "'*'"), "N"), "N")
}

// surroundings is what the two sides have there, as far as it tells causes
// apart: an attribute that one side lacks, the operation of an instruction.
func surroundings(_ *link, key, a, b string) string {
	switch {
	case a == "nothing":
		return ": missing"
	case b == "nothing":
		return ": too many"
	case strings.HasPrefix(key, "text."):
		return ": " + instruction(a, b)
	case strings.HasPrefix(key, "section.") || strings.HasPrefix(key, "program."):
		return ""
	case key == "header.shnum" || key == "header.shstrndx":
		return ""
	case strings.HasPrefix(key, "header.") || strings.HasPrefix(key, "compat.") || strings.HasPrefix(key, "note."):
		return fmt.Sprintf(": %.40s -> %.40s", a, b)
	}
	return ""
}

// instruction names the operation at the place, the low 12 bits of its word, and
// whether what differs is operands or scheduling, the bits from 105 on.
func instruction(a, b string) string {
	x, y := strings.Join(strings.Fields(a), ""), strings.Join(strings.Fields(b), "")
	low, err := strconv.ParseUint(x[:min(len(x), 4)], 16, 16)
	if err != nil || len(x) < 4 {
		return "?"
	}
	operation := fmt.Sprintf("operation 0x%03x", (low>>8|low<<8)&0xfff)
	if other, err := strconv.ParseUint(y[:min(len(y), 4)], 16, 16); err != nil || (other>>8|other<<8)&0xfff != (low>>8|low<<8)&0xfff {
		return operation + ", and another"
	}
	if len(x) >= 32 && len(y) >= 32 && x[:26] == y[:26] {
		return operation + ", scheduling"
	}
	return operation + ", operands"
}

// names are the symbols of the inputs, the longest first.
func (l *link) names() []string {
	var list []string
	for _, o := range l.plan.objects {
		list = append(list, o.defined...)
		list = append(list, o.undefined...)
		list = append(list, o.local...)
	}
	sortByLength(list)
	return list
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// firstDifferingLine tells the first lines in which two texts differ.
func firstDifferingLine(a, b string) string {
	x, y := strings.Split(strings.TrimRight(a, "\n"), "\n"), strings.Split(strings.TrimRight(b, "\n"), "\n")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	head := func(list []string) string {
		if len(list) == 0 || list[0] == "" {
			return "nothing"
		}
		return list[0]
	}
	return head(x) + " | not | " + head(y)
}
