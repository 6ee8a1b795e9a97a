package fuzz

import (
	"fmt"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// optionValues are what options are given: words that are right for some of them, and numbers at the ends of what a
// number may be. Nothing here has a blank: questions are written down as words.
var optionValues = [...]string{"", "true", "false", "0", "1", "2", "-1", "32", "64", "010", "0x20", "0X", "0x7fffffff", "2147483647", "2147483648", "-2147483648",
	"-2147483649", "9223372036854775807", "9223372036854775808", "99999999999999999999", "08", "1k", "mid", "max", "min", "lcs-abs", "lcs-aug", "sm_75", "sm_90", "sm_100a",
	"compute_80", "lto_80", "sm_12", "X86_64", "unknown", "k,k", "k", ",", "k,", `\,`, `"k"`, "13.0", "12.4", "11.8", "12", "12.x", "13.5", "13", "x=y", "none.a", "-"}

// notAsked are options that show a release's own text, write files, or are ours.
func notAsked(id cmdline.ID) bool {
	switch id {
	case cmdline.Help, cmdline.Version, cmdline.Time, cmdline.AsNvlink, cmdline.LTOWith, cmdline.Ptxas, cmdline.Reproducible, cmdline.Toolkit, cmdline.OutputFile,
		cmdline.DotFile, cmdline.RegisterLinkBinaries:
		return true
	}
	return false
}

// optionWord is an option as it may be spelled, with its value or without, in one word or two.
func optionWord(r *Reader) []string {
	id := cmdline.ID(int(r.Byte()) % len(cmdline.Table))
	if notAsked(id) {
		id = cmdline.Arch
	}
	o := &cmdline.Table[id]
	word := "--" + o.Name
	how := r.Byte()
	if how&1 == 1 && o.Short != "" {
		word = "-" + o.Short
	} else if how&14 == 0 {
		word = word[1:] // one dash of two
	}
	value := optionValues[int(r.Byte())%len(optionValues)]
	takes := o.Arg != cmdline.Flag
	switch form := r.Byte() % 8; {
	case form == 0: // without the value that it takes, or with one that it doesn't
		if !takes {
			word += "=" + value
		}
	case !takes:
	case form < 5 || value == "":
		word += "=" + value
	case form == 5:
		word += value
	default:
		return []string{word, value}
	}
	return []string{word}
}

// readOptions makes a link of one small program of the corpus with one to three options of any kind, by any release that
// may link it.
func readOptions(r *Reader) (Question, error) {
	list, err := pools()
	if err != nil {
		return Question{}, err
	}
	p := &list[int(r.Byte())%len(list)]
	q := Question{Release: p.release}
	if later := r.Byte(); later%2 == 0 && p.release >= "12.4" && p.arch >= "sm_75" {
		q.Release = "13.5"
	}
	if r.Byte()%16 != 0 {
		q.Args = []string{"-arch=" + p.arch}
	}
	for range 1 + r.Byte()%3 {
		q.Args = append(q.Args, optionWord(r)...)
	}
	for i, m := range p.programs[int(r.Uint16())%len(p.programs)] {
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: m.data})
		q.From = append(q.From, m.from)
	}
	return q, nil
}
