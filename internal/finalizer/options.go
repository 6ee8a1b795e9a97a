package finalizer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Options is the finalizer's option string.
//
// No command line of ptxas or nvlink takes these options: they go from tool to
// finalizer. Their names and texts are in the document; what conflicts with
// what is identified by it and by the result codes.
type Options struct {
	Kind      Kind // of the output
	CapMerc   bool // --cap-merc
	SelfCheck bool // --self-check
	OutSASS   bool // --out-sass
	Level     int  // --opportunistic-finalization-lvl, 0 to 4
	LevelSet  bool // the level is given
	Fastpath  bool // off with --fastpath-off

	OptLevel       int  // --opt-level
	LineInfo       bool // --generate-line-info
	VerboseTkinfo  bool // --verbose-tkinfo
	NoSmemReserve  bool // --disable-smem-reservation
	AtEntryPatch   bool // --compile-as-at-entry-patch
	TrapToDebugger bool // --trap-into-debugger
}

// OptionError is an option string that can't be followed.
type OptionError struct {
	Code   Code
	Option string
	Detail string
}

// Error returns one line.
func (e *OptionError) Error() string { return fmt.Sprintf("--%s: %s", e.Option, e.Detail) }

// defaultOptLevel is the level that code is made at unless an option says else.
const defaultOptLevel = 3

// DefaultOptions are the options for a target: Mercury with its capsule from
// sm_100 on. For sm_75 to sm_99 the document says Mercury; the tools write SASS.
func DefaultOptions(target cuda.SM, rules Rules) Options {
	o := Options{Fastpath: true, OptLevel: defaultOptLevel}
	switch {
	case target >= cuda.MercuryMin:
		o.Kind = Capmerc
	case rules == Document && target >= 75:
		o.Kind = Mercury
	}
	return o
}

// option is an entry of the table of options.
type option struct {
	value bool // takes one
	set   func(o *Options, value string) error
}

func boolean(field func(*Options) *bool) option {
	return option{set: func(o *Options, _ string) error {
		*field(o) = true
		return nil
	}}
}

func numeric(limit int, field func(*Options) *int) option {
	return option{value: true, set: func(o *Options, value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > limit {
			return fmt.Errorf("'%s' is not a number from 0 to %d", value, limit)
		}
		*field(o) = n
		return nil
	}}
}

var optionTable = map[string]option{
	"binary-kind": {value: true, set: func(o *Options, value string) error {
		for k, name := range kindNames {
			if name == value {
				// The last word counts: sass after --cap-merc is SASS.
				o.Kind, o.CapMerc = Kind(k), false
				return nil
			}
		}
		return fmt.Errorf("'%s' is not mercury, capmerc or sass", value)
	}},
	"cap-merc": {set: func(o *Options, _ string) error {
		o.Kind, o.CapMerc = Capmerc, true
		return nil
	}},
	"self-check": boolean(func(o *Options) *bool { return &o.SelfCheck }),
	"out-sass":   boolean(func(o *Options) *bool { return &o.OutSASS }),
	"opportunistic-finalization-lvl": numeric(4, func(o *Options) *int {
		o.LevelSet = true
		return &o.Level
	}),
	"fastpath-off": {set: func(o *Options, _ string) error {
		o.Fastpath = false
		return nil
	}},
	"opt-level":                 numeric(3, func(o *Options) *int { return &o.OptLevel }),
	"generate-line-info":        boolean(func(o *Options) *bool { return &o.LineInfo }),
	"verbose-tkinfo":            boolean(func(o *Options) *bool { return &o.VerboseTkinfo }),
	"disable-smem-reservation":  boolean(func(o *Options) *bool { return &o.NoSmemReserve }),
	"compile-as-at-entry-patch": boolean(func(o *Options) *bool { return &o.AtEntryPatch }),
	"trap-into-debugger":        boolean(func(o *Options) *bool { return &o.TrapToDebugger }),
}

// IsOption reports whether a word is an option of the finalizer, and whether it
// takes the next word as its value.
func IsOption(word string) (known, takesNext bool) {
	name, _, inline := strings.Cut(strings.TrimLeft(word, "-"), "=")
	e, ok := optionTable[name]
	return ok && strings.HasPrefix(word, "-"), ok && e.value && !inline
}

// ParseOptions reads an option string on top of o.
func (o *Options) ParseOptions(words []string) error {
	for i := 0; i < len(words); i++ {
		name, value, inline := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		e, ok := optionTable[name]
		switch {
		case !ok || !strings.HasPrefix(words[i], "-"):
			return &OptionError{OptionConflict, name, "no option of the finalizer"}
		case e.value && !inline:
			if i++; i == len(words) {
				return &OptionError{OptionConflict, name, "needs a value"}
			}
			value = words[i]
		case !e.value && inline:
			return &OptionError{OptionConflict, name, "takes no value"}
		}
		if err := e.set(o, value); err != nil {
			return &OptionError{OptionConflict, name, err.Error()}
		}
	}
	return nil
}

// Check finds conflicts among options and with the input.
func (o *Options) Check(x *Facts) error {
	switch {
	case o.OutSASS && !o.SelfCheck:
		return &OptionError{OptionConflict, "out-sass", "the reconstituted SASS is a by-product of --self-check"}
	case o.SelfCheck && o.Kind != Capmerc:
		return &OptionError{OptionConflict, "self-check", "there is no capsule in an output of kind " + o.Kind.String()}
	case o.CapMerc && x.Kind != Capmerc:
		return &OptionError{OptionConflict, "cap-merc", "the input has no capsule"}
	case o.Kind == Capmerc && x.Kind != Capmerc:
		return &OptionError{KindMismatch, "binary-kind", "the input has no capsule"}
	}
	return nil
}

// Possible says why an output can't be made here: everything but a copy needs
// NVIDIA's scheduler.
func (o *Options) Possible(x *Facts, target cuda.SM) error {
	switch {
	case o.Kind == Mercury:
		return &OptionError{SASSFailed, "binary-kind", "no tool writes only Mercury; its encoding of PLAIN instructions isn't fully known"}
	case o.Kind != x.Kind:
		return &OptionError{SASSFailed, "binary-kind", fmt.Sprintf("no tool is known to write %s from a file with %s", o.Kind, x.Kind)}
	case o.OptLevel != defaultOptLevel:
		return &OptionError{SASSFailed, "opt-level", "other code needs NVIDIA's scheduler"}
	case o.LineInfo:
		return &OptionError{SASSFailed, "generate-line-info", "a copy has the lines of its file"}
	case o.VerboseTkinfo:
		return &OptionError{SASSFailed, "verbose-tkinfo", "a copy has the notes of its file"}
	case o.NoSmemReserve:
		return &OptionError{SASSFailed, "disable-smem-reservation", "the reservation is in the code"}
	case o.AtEntryPatch:
		return &OptionError{SASSFailed, "compile-as-at-entry-patch", "new code needs NVIDIA's scheduler"}
	case o.TrapToDebugger:
		return &OptionError{SASSFailed, "trap-into-debugger", "new code needs NVIDIA's scheduler"}
	case !o.Fastpath && x.SM != target:
		return &OptionError{SASSFailed, "fastpath-off", "anything but a copy needs NVIDIA's scheduler"}
	case !Copyable(x, target):
		return &OptionError{SASSFailed, "opportunistic-finalization-lvl",
			fmt.Sprintf("attribute 11 (%#x) has no bit for sm_%d: other code would be needed, and NVIDIA's scheduler for it", x.Fastpath, target)}
	}
	return nil
}
