package linkcommand

import (
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/usage"
)

// verbose prints what the image uses. left is how many sections were made that aren't in it.
func (l *linkCommand) verbose(image []byte, left int) error {
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
				Text: "For kernels without barriers nvlink " + l.cmd.Release.String() + " prints uninitialized memory; 0 is printed here"})
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

// lastRead is what nvlink 13.1.115 read last. Of .nv.compat it notes which attributes the last input
// has that has any, a byte for each: the bytes of attributes 5 to 7 are read here. Where no input has it,
// it is the last letter of an accelerated target; or the size of the last file without the lowest byte, if
// that is a device object. Of others it is an address, which is another in each run.
func (l *linkCommand) lastRead() (value uint32, known bool) {
	for i := len(l.set.Objects) - 1; i >= 0; i-- {
		if value, known = compatRead(&l.set.Objects[i]); known {
			return value, true
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
	if strings.HasSuffix(l.cmd.Options.Arch, "a") {
		return 'a', true
	}
	return uint32(len(data)) &^ 0xff, true
}

// compatRead says which of the attributes 5 to 7 an input's .nv.compat has.
func compatRead(in *engine.Input) (value uint32, known bool) {
	f, err := cubin.Open(in.Name, in.Data)
	if err != nil {
		return 0, false
	}
	for i := range f.OfType(cuda.SHTCudaCompat) {
		s := f.Section(i)
		known = true
		for r := f.Info(&s); ; {
			rec, ok := r.Next()
			if !ok {
				break
			}
			if attr := cuda.CompatAttr(rec.Attr); attr >= cuda.CompatInstTcgen05MMA && attr <= cuda.CompatMercuryISAMajorMinor {
				value |= 1 << (8 * (attr - cuda.CompatInstTcgen05MMA + 1))
			}
		}
	}
	return value, known
}
