package linkcommand

import (
	"errors"
	"fmt"
	"os"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// TimeHeader is the first line of the table of --time. nvlink's table has no
// other line for a link of cubins.
const TimeHeader = "source file name , phase name , phase input files , phase output file , arch , tool, metric , unit\n"

// openTime begins the table of --time, unless the file is there already.
func (l *linkCommand) openTime() error {
	name := l.cmd.TimeFile
	if !l.cmd.Given(cmdline.Time) {
		return nil
	}
	if name == "-" {
		fmt.Fprint(l.Out, TimeHeader)
		return nil
	}
	_, statErr := os.Stat(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return l.fatal(engine.BadOption, "Cannot open file '%s'", name)
	}
	if statErr != nil {
		_, err = f.WriteString(TimeHeader)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return l.fatal(engine.BadOption, "Cannot open file '%s'", name)
	}
	return nil
}
