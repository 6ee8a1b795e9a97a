package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/twinlink/twinlink/internal/splitmix"
)

// assemblerOption is one way to vary an object.
type assemblerOption struct {
	weight int
	since  string
	args   []string
}

// extended makes whole programs that other objects extend. ptxas ignores it beside -c.
const extended = "-ewp"

// assemblerOptions change what the linker reads.
var assemblerOptions = []assemblerOption{
	{30, "", nil},
	{10, "", []string{"-lineinfo"}},
	{8, "", []string{"-g"}},
	{4, "", []string{"-O1"}},
	{3, "", []string{"-O0"}},
	{3, "", []string{"-maxrregcount=32"}},
	{2, "", []string{"-maxrregcount=64"}},
	{2, "", []string{"--device-function-maxrregcount=archmax"}},
	{2, "13.0", []string{"-make-errors-visible-at-exit"}},
	{4, "", []string{extended}},
	{2, "", []string{"-preserve-relocs"}},
	{2, "12.4", []string{"-pic=true"}},
	{2, "13.0", []string{"-sanitize=memcheck"}},
	{1, "13.0", []string{"-sanitize=threadsteer"}},
	{1, "", []string{"-suppress-debug-info"}},
	{1, "", []string{"-sp-bounds-check"}},
	{1, "", []string{"-dlcm=cg"}},
	{1, "", []string{"-fmad=false"}},
	{1, "13.0", []string{"-device-stack-protector=true"}},
	{1, "", []string{"-disable-optimizer-consts"}},
	{1, "", []string{"-ret-end"}},
}

// drawFlags draws what ptxas of a release is told: one option, or two.
func drawFlags(r *splitmix.Random, release string) (flags []string) {
	total := 0
	for _, o := range assemblerOptions {
		total += o.weight
	}
	for range splitmix.Pick(r, []int{1, 1, 2}) {
		k := r.Below(total)
		i := slices.IndexFunc(assemblerOptions, func(o assemblerOption) bool { k -= o.weight; return k < 0 })
		o := assemblerOptions[i]
		if o.since != "" && compareReleases(release, o.since) < 0 || len(o.args) > 0 && slices.Contains(flags, o.args[0]) {
			continue
		}
		flags = append(flags, o.args...)
	}
	return flags
}

// newestPTX is the version of PTX that ptxas of a release reads at most.
var newestPTX = map[string][2]int{
	"11.8": {7, 8}, "12.0": {8, 0}, "12.1": {8, 1}, "12.2": {8, 2}, "12.3": {8, 3}, "12.4": {8, 4}, "12.5": {8, 5}, "12.6": {8, 5},
	"12.8": {8, 7}, "12.9": {8, 8}, "13.0": {9, 0}, "13.1": {9, 1}, "13.2": {9, 2}, "13.3": {9, 3}, "13.4": {9, 4}, "13.5": {9, 5},
}

var versionLine = regexp.MustCompile(`(?m)^\.version\s+([0-9]+)\.([0-9]+)`)

// lowered returns PTX with the version that ptxas of a release reads at most,
// where it says a newer one: front ends write their own, and most code needs
// none as new.
func lowered(text []byte, release string) []byte {
	most, ok := newestPTX[release]
	m := versionLine.FindSubmatchIndex(text)
	if !ok || m == nil {
		return text
	}
	var major, minor int
	fmt.Sscan(string(text[m[2]:m[3]]), &major)
	fmt.Sscan(string(text[m[4]:m[5]]), &minor)
	if major < most[0] || major == most[0] && minor <= most[1] {
		return text
	}
	return bytes.Join([][]byte{text[:m[0]], fmt.Appendf(nil, ".version %d.%d", most[0], most[1]), text[m[1]:]}, nil)
}
