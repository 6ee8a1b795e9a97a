package main

import (
	"errors"
	"os"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// inputs judges the input files in order. nvlink checks each one wholly
// before it opens the next, so a fault of one is told only after the earlier
// ones fit the target.
func (l *linker) inputs() error {
	l.mapInputs(l.cmd.Inputs)
	for _, name := range l.cmd.Inputs {
		data, err := l.read(name)
		var j cmdline.Judgement
		if err != nil {
			j = cmdline.CannotOpen(name)
		} else {
			j = cmdline.Judge(l.cmd.Release, name, data)
		}
		switch j.Use {
		case cmdline.Rejected:
			if err := l.checkFit(); err != nil {
				return err
			}
			return l.say(j.Messages...)
		case cmdline.Linked:
			if err := l.checkTarget(name, data); err != nil {
				return err
			}
			l.names = append(l.names, name)
			l.in = append(l.in, engine.Input{Name: name, Data: data})
		}
	}
	if _, virtual := l.cmd.Virtual(); virtual {
		return l.say(cmdline.Unsupported("-arch=%s, a virtual target,", l.cmd.Options.Arch))
	}
	if l.cmd.Failed {
		if err := l.checkFit(); err != nil {
			return err
		}
		return exitStatus(undefinedExit)
	}
	return nil
}

// checkTarget refuses an object for targets the engine doesn't know.
func (l *linker) checkTarget(name string, data []byte) error {
	if l.cmd.Machine32 {
		return l.fatal(engine.WrongArch, "Input file '%s' size does not match target '-m32'", name)
	}
	target, virtual := l.cmd.Virtual()
	if !virtual {
		return nil
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		return l.fatal(engine.Malformed, "%s", err)
	}
	if int(f.Header.SM()) > target {
		return l.fatal(engine.WrongArch, "Input file '%s' arch does not match target '%s'", name, l.cmd.Options.Arch)
	}
	return nil
}

// checkFit tells the first of the inputs so far that doesn't fit the target.
// The engine has no check alone, so this links them and listens for that one
// sort of fault.
func (l *linker) checkFit() error {
	if len(l.in) == 0 {
		return nil
	}
	_, err := engine.Link(l.in, l.cmd.Options)
	var refused *engine.LinkError
	if !errors.As(err, &refused) {
		return nil
	}
	for i := range refused.Diags {
		switch d := &refused.Diags[i]; d.Kind {
		case engine.Malformed, engine.WrongArch, engine.WrongToolkit:
			if d.Severity == engine.Fatal {
				return l.say(refused.Diags[:i+1]...)
			}
		}
	}
	return nil
}

// libraries searches for each -l in each -L, as nvlink does: one that isn't
// there is no fault, and one without host objects is skipped with a warning.
func (l *linker) libraries() error {
	for _, lib := range l.cmd.Libraries {
		for _, folder := range l.cmd.LibraryPaths {
			path := strings.TrimSuffix(folder, "/") + "/lib" + lib + ".a"
			data, err := os.ReadFile(path)
			if err != nil {
				continue
			}
			j, compatible := cmdline.JudgeLibrary(l.cmd.Release, path, data)
			if j.Use == cmdline.Rejected {
				return l.say(j.Messages...)
			}
			if compatible {
				break
			}
			d, said := l.cmd.Warn(engine.BadOption, "Skipping incompatible '%s' when searching for -l%s", path, lib)
			if said {
				_ = l.say(d)
				l.cmd.Failed = l.cmd.Failed || d.Severity == engine.Error
			}
		}
	}
	return nil
}
