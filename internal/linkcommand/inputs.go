package linkcommand

import (
	"errors"
	"slices"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/inputs"
)

// inputs adds the input files in order, and then the libraries that -l found.
// nvlink checks each one wholly before it opens the next, so a fault of one is
// told only after the earlier ones fit the target.
func (l *linkCommand) inputs() error {
	l.mapInputs(l.cmd.Inputs)
	l.set = inputs.New(l.cmd, l.reader)
	tools, err := l.compilers()
	if err != nil {
		return err
	}
	if tools != nil {
		defer tools.Close()
		l.set.Compiler = tools
	}
	paths, err := l.libraries()
	if err != nil {
		return err
	}
	if err := l.special(); err != nil {
		return err
	}
	for _, name := range append(append([]string(nil), l.cmd.Inputs...), paths...) {
		if err := l.add(name); err != nil {
			return err
		}
	}
	said := l.set.Finish()
	if err := l.say(l.set.Lost...); err != nil {
		return err
	}
	if err := l.say(said...); err != nil {
		return err
	}
	if l.cmd.Failed {
		if err := l.checkFit(len(l.set.Objects)); err != nil {
			return err
		}
		return exitStatus(undefinedExit)
	}
	if _, virtual := l.cmd.Virtual(); virtual {
		if err := l.write(nil, nil); err != nil {
			return err
		}
		return exitStatus(exitOK)
	}
	return nil
}

// add adds one file and prints what there is to say of it, after what there is to say of how those so far
// fit the target.
func (l *linkCommand) add(name string) error {
	unlinked, before := len(l.set.Unlinked), len(l.set.Objects)
	said := l.set.Add(name)
	if len(l.set.Unlinked) > unlinked || slices.ContainsFunc(said, isFatal) {
		if err := l.checkFit(len(l.set.Objects)); err != nil {
			return err
		}
	} else if len(said) > 0 { // a warning comes before what is wrong with the file's own objects
		if err := l.checkFit(before); err != nil {
			return err
		}
	}
	return l.say(said...)
}

func isFatal(d engine.Diagnostic) bool { return d.Severity == engine.Fatal }

// checkFit tells the first of so many objects, and of the inputs that aren't linked, that doesn't fit the target.
// The engine has no check alone, so this links them and listens for that one
// sort of fault. What was checked before isn't linked again.
func (l *linkCommand) checkFit(objects int) error {
	if err := l.fits(l.set.Objects[l.checked:objects]); err != nil {
		return err
	}
	l.checked = objects
	for ; l.checkedUnlinked < len(l.set.Unlinked); l.checkedUnlinked++ {
		if err := l.fits(l.set.Unlinked[l.checkedUnlinked : l.checkedUnlinked+1]); err != nil {
			return err
		}
	}
	return nil
}

func (l *linkCommand) fits(objects []engine.Input) error {
	if len(objects) == 0 {
		return nil
	}
	_, err := engine.Link(objects, l.cmd.Options)
	var refused *engine.LinkError
	if !errors.As(err, &refused) {
		return nil
	}
	for i := range refused.Diags {
		switch d := &refused.Diags[i]; d.Kind {
		case engine.Malformed, engine.WrongArch, engine.WrongToolkit:
			if d.Severity == engine.Fatal {
				l.report(refused.Diags[:i])
				return l.say(*d)
			}
		}
	}
	return nil
}

// libraries looks for each -l.
func (l *linkCommand) libraries() ([]string, error) {
	var paths []string
	for _, name := range l.cmd.Libraries {
		path, said := l.set.Library(name)
		if err := l.say(said...); err != nil {
			return nil, err
		}
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}
