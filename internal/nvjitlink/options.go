package nvjitlink

import "strings"

// option is one of nvlink's options and what becomes of it.
type option struct {
	names string // without dashes
	value bool   // takes one
	to    string // of nvJitLink; a value goes after it. "": see does
	split bool   // one option for each name of the list
	since string // first release of nvJitLink that knows it
	does  string // why it can't be asked; "" with to == "": it changes no image and is omitted
}

// options are nvlink's, asked of nvJitLink 12.0 to 13.5 one by one. What is not
// here can't be asked: nvJitLink takes "-reserve-null-pointer" for "-r", and
// "-verbose-tkinfo=true" for "-verbose".
var options = []option{
	{names: "arch", value: true, to: "-arch"},
	{names: "g debug", to: "-g"},
	{names: "r relocatable-link", to: "-r", since: "13.0"},
	{names: "kernels-used", value: true, to: "-kernels-used", split: true},
	{names: "variables-used", value: true, to: "-variables-used", split: true},
	{names: "maxrregcount", value: true, to: "-maxrregcount"},
	{names: "dlto lto link-time-opt", to: "-lto"},
	{names: "Xptxas", value: true, to: "-Xptxas", split: true},
	{names: "Ofast-compile Ofc", value: true, to: "-Ofc", since: "13.0"},
	{names: "split-compile", value: true, to: "-split-compile", since: "12.3"},
	{names: "split-compile-extended", value: true, to: "-split-compile-extended", since: "12.4"},
	{names: "nvvm-latest", to: "-nvvm-latest", since: "13.5"},

	{names: "v verbose", to: "-verbose"},
	{names: "w disable-warnings"},
	{names: "disable-infos"},
	{names: "extrawarn extra-warnings"},
	{names: "suppress-arch-warning"},
	{names: "suppress-stack-size-warning"},
	{names: "m64"},
	{names: "m machine", value: true},
	{names: "cpu-arch", value: true},
	{names: "report-arch"},
	{names: "keep-system-libraries"},
	{names: "ignore-host-info"},
	{names: "dump-callgraph"},
	{names: "dump-callgraph-no-demangle"},
	{names: "shared"},

	{names: "Werror warning-as-error", does: "warnings remain warnings"},
	{names: "preserve-relocs", does: "there is no such option"},
	{names: "force-rela", does: "there is no such option"},
	{names: "reserve-null-pointer", does: "there is no such option; one that begins with -r is taken for -r"},
	{names: "dont-reserve-null-pointer", does: "there is no such option"},
	{names: "disable-smem-reservation", does: "there is no such option"},
	{names: "suppress-debug-info", does: "there is no such option"},
	{names: "use-host-info", does: "host information is not read"},
	{names: "verbose-tkinfo", does: "there is no such option; it is taken for -verbose"},
	{names: "allow-undefined-globals", does: "there is no such option"},
	{names: "uumn", does: "there is no such option"},
	{names: "uidx uidx-file", does: "an index file must be an input of kind Index"},
	{names: "optf options-file", does: "its options must be given themselves"},
	{names: "emit-ptx", does: "use field PTX of the question and the option -ptx"},
	{names: "astoolspatch link-as-tools-patch", does: "there is no such option"},
	{names: "device-stack-protector", does: "there is no such option"},
}

// FromNvlink makes nvlink's options into nvJitLink's, for a library of a
// release. args hold options alone: -arch among them, neither inputs nor -o.
// What only changes messages is omitted. The error is a *CannotAskError.
func FromNvlink(release string, args []string) ([]string, error) {
	var out []string
	for i := 0; i < len(args); i++ {
		text := args[i]
		name, value, given := strings.Cut(strings.TrimLeft(text, "-"), "=")
		o := lookUp(name)
		if o == nil || !strings.HasPrefix(text, "-") {
			return nil, &CannotAskError{text, "not among the options that were tried"}
		}
		if o.value && !given {
			if i++; i >= len(args) {
				return nil, &CannotAskError{text, "its value is missing"}
			}
			value = args[i]
		}
		switch {
		case o.does != "":
			return nil, &CannotAskError{text, o.does}
		case o.since != "" && older(release, o.since):
			return nil, &CannotAskError{text, "nvJitLink knows it from " + o.since + " on"}
		case o.to == "":
		case !o.value:
			if given && value != "true" {
				return nil, &CannotAskError{text, "a switch with a value"}
			}
			out = append(out, o.to)
		case o.split:
			for one := range strings.SplitSeq(value, ",") {
				out = append(out, o.to+"="+one)
			}
		default:
			out = append(out, o.to+"="+value)
		}
	}
	return out, nil
}

func lookUp(name string) *option {
	for i := range options {
		for n := range strings.FieldsSeq(options[i].names) {
			if n == name {
				return &options[i]
			}
		}
	}
	return nil
}

func older(release, than string) bool {
	a, b := releaseNumbers(release)
	c, d := releaseNumbers(than)
	return a < c || a == c && b < d
}
