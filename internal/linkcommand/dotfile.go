package linkcommand

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/outfile"
)

// callFile is the file of --dot-file: an edge for each call, in the order of --dump-callgraph, by the
// names in the objects.
type callFile struct{ text bytes.Buffer }

// collectCalls has the engine tell of the calls where --dot-file is given.
func (l *linkCommand) collectCalls(o *engine.Options) *callFile {
	if !l.cmd.Given(cmdline.DotFile) {
		return nil
	}
	f := &callFile{}
	f.text.WriteString("digraph callgraph {\n")
	o.Calls = f.add
	return f
}

func (f *callFile) add(caller, callee string) {
	f.text.WriteString(caller + " -> " + callee + ";\n")
}

// writeCalls writes the file. nvlink does so where functions are undefined too.
func (l *linkCommand) writeCalls(f *callFile) error {
	if f == nil {
		return nil
	}
	f.text.WriteString("}\n")
	name := l.cmd.Value(cmdline.DotFile)
	var bad *fs.PathError
	if err := outfile.Write([]outfile.File{{Path: name, Data: f.text.Bytes()}}); errors.As(err, &bad) {
		return l.fatal(engine.BadOption, "Could not open output file '%s'", name)
	}
	return nil
}
