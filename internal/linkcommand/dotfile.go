package linkcommand

import (
	"errors"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/outfile"
)

// graphLine is a function of the call graph as --dump-callgraph prints it:
// number, name, and the numbers of those it may call.
var graphLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+): ([&^]*)(\S*).* ?->((?: \d+)*)$`)
})

// dotFile writes the call graph of --dot-file: an edge for each call, in the
// order of --dump-callgraph, by the names in the objects.
func (l *linker) dotFile() error {
	if !l.cmd.Given(cmdline.DotFile) {
		return nil
	}
	name := l.cmd.Value(cmdline.DotFile)
	o := l.cmd.Options
	o.DumpCallgraph, o.Demangle, o.OnPhase = true, nil, nil
	out, err := engine.Link(l.set.Objects, o)
	if err != nil {
		return l.fatal(engine.Internal, "%s", err)
	}
	var bad *fs.PathError
	if err := outfile.Write([]outfile.File{{Path: name, Data: dotText(out.Diags)}}); errors.As(err, &bad) {
		return l.fatal(engine.BadOption, "Could not open output file '%s'", name)
	}
	return nil
}

// dotText makes the file of the printed graph.
func dotText(diags []engine.Diagnostic) []byte {
	names := make(map[int]string)
	type edges struct {
		from string
		to   []string
	}
	var list []edges
	for i := range diags {
		for line := range strings.Lines(diags[i].Text) {
			m := graphLine().FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				continue
			}
			n, err := strconv.Atoi(m[1])
			if err != nil {
				continue
			}
			names[n] = m[3]
			list = append(list, edges{m[3], strings.Fields(m[4])})
		}
	}
	var b strings.Builder
	b.WriteString("digraph callgraph {\n")
	for _, e := range list {
		for _, to := range e.to {
			if n, err := strconv.Atoi(to); err == nil {
				b.WriteString(e.from + " -> " + names[n] + ";\n")
			}
		}
	}
	b.WriteString("}\n")
	return []byte(b.String())
}
