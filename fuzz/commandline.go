package fuzz

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/twinlink/twinlink/internal/cmdline"
)

// CommandLine is a command line and the options files it may name.
type CommandLine struct {
	Release cmdline.Release
	Args    []string
	Files   map[string][]byte
}

var releases = [...]cmdline.Release{cmdline.R118, cmdline.R124, cmdline.R130}

// words are what options take, and what makes tokenizers stumble.
var words = [...]string{"sm_90", "sm_50", "sm_90a", "compute_80", "a.cubin", "b.o", "c.a", "out.cubin", "1", "-1", "0x", "true", "false",
	"x,y", `"a,b"`, `\"`, `"`, `\`, "", "-", "--", "=", "opts", "64", "99999999999999999999", "11.8", "13.0"}

// ReadCommandLine generates a case: options as they are spelled, wrongly at
// times, words, and bytes.
func ReadCommandLine(r *Reader) CommandLine {
	c := CommandLine{Release: releases[int(r.Byte())%len(releases)], Files: map[string][]byte{}}
	if n := r.Byte() % 64; n > 0 {
		c.Files["opts"] = r.Bytes(int(n))
	}
	for len(c.Args) < 32 && r.Left() > 0 {
		arg := ""
		switch r.Byte() % 6 {
		case 0:
			arg = string(r.Bytes(int(r.Byte() % 16)))
		case 1:
			arg = words[int(r.Byte())%len(words)]
		default:
			o := &cmdline.Table[int(r.Byte())%len(cmdline.Table)]
			arg = "--" + o.Name
			if how := r.Byte(); how&1 == 1 && o.Short != "" {
				arg = "-" + o.Short
			} else if how&2 != 0 {
				arg = arg[1:] // one dash of two
			}
			switch r.Byte() % 4 {
			case 0:
				arg += "=" + words[int(r.Byte())%len(words)]
			case 1:
				arg += words[int(r.Byte())%len(words)]
			}
		}
		c.Args = append(c.Args, arg)
	}
	return c
}

// read is the files a case has; an options file that names itself is one of the
// things to try.
func (c *CommandLine) read(name string) ([]byte, error) {
	if data, ok := c.Files[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// Judge parses. A refusal is a *cmdline.Refusal with a message and a status;
// what is accepted names no other release; and the same again gives the same.
func (c *CommandLine) Judge() *Divergence {
	size := len(strings.Join(c.Args, " ")) + len(c.Files["opts"])
	return within("commandline", size, func() *Divergence {
		cmdline.Scan(c.Args, c.read)
		cmd, err := cmdline.Parse(c.Release, c.Args, c.read)
		again, err2 := cmdline.Parse(c.Release, c.Args, c.read)
		bad := func(what string) *Divergence {
			return &Divergence{Key: "commandline", What: fmt.Sprintf("%s: %q: %v", what, c.Args, err)}
		}
		var refused *cmdline.Refusal
		switch {
		case cmd == nil:
			return bad("no command comes back")
		case err != nil && (!errors.As(err, &refused) || len(refused.Messages) == 0 || refused.Exit == 0):
			return bad("a refusal that says nothing")
		case err == nil && cmd.Release != c.Release:
			return bad("another release")
		case (err == nil) != (err2 == nil) || !reflect.DeepEqual(cmd.Messages, again.Messages) || !reflect.DeepEqual(cmd.Options, again.Options):
			return bad("the same arguments give another command")
		}
		for i := range cmd.Messages {
			if cmd.Line(&cmd.Messages[i]) == "" {
				return bad("an empty message")
			}
		}
		return nil
	})
}
