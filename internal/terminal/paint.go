package terminal

import (
	"bytes"
	"regexp"

	"github.com/fatih/color"
)

// A paint colours the first group of each match. Colour only repeats what the
// words say: who can't see it loses nothing.
type paint struct {
	match *regexp.Regexp
	with  *color.Color
}

// The places of a verdict: a cell of a table, the end of a row's heading, the
// start of a line. What a finding tells of names and values is left as it is.
const (
	good = `agree|pass|accepted|same|found`
	bad  = `differ|differs|findings|rejected|refused|lived`
	open = `not judged|incomplete|refused alike|skipped`
)

func paints() []paint {
	of := func(attribute color.Attribute) *color.Color {
		c := color.New(attribute)
		c.EnableColor() // the caller has asked whether the writer is a terminal
		return c
	}
	var list []paint
	for _, p := range []struct {
		words string
		with  color.Attribute
	}{{good, color.FgGreen}, {bad, color.FgRed}, {open, color.FgYellow}} {
		list = append(list, paint{regexp.MustCompile(`(?m)(?:  |^\S[^\n]*: )(` + p.words + `)(?:  |, \d+ findings?$|$)`), of(p.with)})
	}
	return append(list,
		paint{regexp.MustCompile(`(?m)^ *(error|finding): `), of(color.FgRed)},
		paint{regexp.MustCompile(`(?m)^ *(warning|not judged): `), of(color.FgYellow)},
	)
}

// Paint colours the words that decide a report's text.
func Paint(text []byte) []byte {
	for _, p := range paints() {
		text = p.apply(text)
	}
	return text
}

// The blanks between two cells end the one match and begin the next.
func (p paint) apply(text []byte) []byte {
	var b bytes.Buffer
	for {
		m := p.match.FindSubmatchIndex(text)
		if m == nil {
			b.Write(text)
			return b.Bytes()
		}
		b.Write(text[:m[2]])
		b.WriteString(p.with.Sprint(string(text[m[2]:m[3]])))
		text = text[m[3]:]
	}
}
