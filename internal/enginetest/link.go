// Package enginetest puts recorded links to the engine, so that who changes one of its packages learns from that
// package's own tests what nvlink did of the links that come there.
package enginetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/cufilt"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// link is what the engine is given of a command line.
type link struct {
	cmd    *cmdline.Command
	inputs []engine.Input
}

// reply is what a link makes. What -v prints isn't in the text: the command line reads it from the image.
type reply struct {
	exit   int
	image  []byte
	text   string
	own    []string // lines that nvlink doesn't have
	warned bool     // that the image may not be nvlink's
}

// sum is the image's SHA-256 in hex, "" without one.
func (a *reply) sum() string {
	if a.image == nil {
		return ""
	}
	s := sha256.Sum256(a.image)
	return hex.EncodeToString(s[:])
}

// parse returns the link of a command line; nil where the engine alone doesn't decide what comes of it, as where an input
// is a host object or an archive, or where warnings are errors.
func parse(release string, args []string, data func(name string) []byte) *link {
	r, ok := cmdline.ParseRelease(release)
	if !ok {
		return nil
	}
	cmd, err := cmdline.Parse(r, args, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err != nil || cmd.Mode != cmdline.Link || cmd.Options.WarningsAsErrors || len(cmd.Libraries) > 0 || cmd.Given(cmdline.NVHost) {
		return nil
	}
	if _, virtual := cmd.Virtual(); virtual {
		return nil
	}
	l := &link{cmd: cmd}
	for _, name := range cmd.Inputs {
		d := data(name)
		if cmdline.Judge(r, name, d).Use != cmdline.Linked {
			return nil
		}
		l.inputs = append(l.inputs, engine.Input{Name: name, Data: d})
	}
	cmd.Options.Demangle = func(name string) string { return cufilt.Demangle(name, r.Major()) }
	cmd.Options.Empty = true
	return l
}

// ask runs the engine.
func (l *link) ask() (a reply, err error) {
	out, err := engine.Link(l.inputs, l.cmd.Options)
	var refused *engine.LinkError
	switch {
	case errors.As(err, &refused):
		a.exit, a.text = refused.Exit, l.said(refused.Diags)
	case err != nil:
		return a, err
	default:
		a.image, a.text = out.Image, l.said(out.Diags)
	}
	a.own = ownwarnings.Lines(a.text)
	a.text, a.warned = ownwarnings.Strip(a.text)
	return a, nil
}

// said are the lines of messages, the command line's first; a warning that it has given isn't given again.
func (l *link) said(diags []engine.Diagnostic) string {
	var first []string
	for i := range l.cmd.Messages {
		first = append(first, l.cmd.Line(&l.cmd.Messages[i])+"\n")
	}
	text := strings.Join(first, "")
	for i := range diags {
		line := l.cmd.MessageFormat.Line(&diags[i]) + "\n"
		if diags[i].Severity == engine.Warning && (l.cmd.NoWarnings || slices.Contains(first, line)) {
			continue
		}
		text += line
	}
	return withoutInfo(text)
}

func withoutInfo(text string) (rest string) {
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "nvlink info ") {
			rest += line
		}
	}
	return rest
}
