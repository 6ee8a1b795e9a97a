package linkcommand

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/usage"
)

// verbose prints what the image uses. left is how many sections were made that aren't in it.
func (l *linker) verbose(image []byte, left int) error {
	if !l.cmd.Verbose {
		return nil
	}
	f, err := cubin.Open(l.cmd.Output, image)
	if err != nil {
		return l.fatal(engine.Internal, "%s", err)
	}
	u, err := usage.Of(f, l.cmd.Options.NoReserved)
	if err != nil {
		return l.fatal(engine.Internal, "%s", err)
	}
	switch l.cmd.Release.StaleBarriers() {
	case cmdline.StaleRead:
		last, known := l.lastRead()
		if u.KeepBarriers(last) && !known && !l.cmd.NoWarnings {
			_ = l.say(engine.Diagnostic{Severity: engine.Warning, Kind: engine.Displaced,
				Text: "For kernels without barriers nvlink " + l.cmd.Release.String() + " prints what is in memory that it never set; 0 is printed here"})
		}
	case cmdline.StaleLeft:
		u.KeepBarriers(uint32(left))
	case cmdline.StaleUnfilled:
		u.KeepBarriers(u.Unfilled)
	}
	for _, line := range u.Lines() {
		_ = l.say(engine.Diagnostic{Severity: engine.Info, Text: line})
	}
	return nil
}

// compatRead is what nvlink has read last of an input's .nv.compat.
const compatRead = 0x01010100

// lastRead is what nvlink 13.1.115 read last, of which it sets the lowest byte anew: of
// .nv.compat where an input has one, or else the size of the last file, if that is a
// device object. Of others it holds an address, which is another in each run.
func (l *linker) lastRead() (value uint32, known bool) {
	for i := range l.set.Objects {
		in := &l.set.Objects[i]
		if f, err := cubin.Open(in.Name, in.Data); err == nil && f.Lookup(".nv.compat") != 0 {
			return compatRead, true
		}
	}
	if len(l.set.Objects) == 0 || len(l.cmd.Libraries) > 0 || len(l.cmd.Inputs) == 0 {
		return 0, false
	}
	name, in := l.cmd.Inputs[len(l.cmd.Inputs)-1], l.set.Objects[len(l.set.Objects)-1]
	data, err := l.reader.Read(name)
	if err != nil || in.Name != name || len(in.Data) != len(data) {
		return 0, false
	}
	return uint32(len(data)) &^ 0xff, true
}
