package finalizer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// What is said of each decision names the numbers that decided, each in its place.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		x      Facts
		target cuda.SM
		rules  Rules
		code   Code
		reason string
	}{
		{Facts{SM: 100, Compat: true, ISA: 0x0203}, 100, Observed, ISATooNew, "Mercury ISA 2.3 is newer than 1.1"},
		{Facts{SM: 100, Compat: true, ISA: 0x1234}, 100, Observed, ISATooNew, "Mercury ISA 18.52 is newer than 1.1"},
		{Facts{SM: 90, ISA: 0x0203}, 90, Observed, OK, "the target is the object's"},
		{Facts{SM: 80, ISA: 0x101}, 86, Observed, OK, "sm_86 runs code made for sm_80"},
		{Facts{SM: 80, ISA: 0x101}, 90, Observed, ArchMismatch, "sm_90 doesn't run code made for sm_80"},
		{Facts{SM: 86, ISA: 0x101}, 80, Observed, ArchMismatch, "sm_80 doesn't run code made for sm_86"},
		{Facts{SM: 90, ISA: 0x101, Compat: true, Class: 1, Level: 4}, 100, Observed, ArchMismatch, "sm_100 doesn't run code made for sm_90"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 1, Level: 4}, 90, Observed, ArchMismatch, "sm_90 doesn't run code made for sm_100"},
		{Facts{SM: 100, ISA: 0x101, Class: 1, Level: 4}, 103, Observed, NoCompat, "the file has no .nv.compat"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 2, Level: 4}, 103, Observed, OK, "class 2 at level 4 allows sm_100 for sm_103"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 2, Level: 3}, 120, Observed, ClassFamily, "class 2 at level 3 does not allow sm_100 for sm_120"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 3, Level: 2, Accelerator: 1, MMA: 5}, 103, Observed, OK, "class 3 at level 2 allows sm_100 for sm_103"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 3, Level: 2, Accelerator: 1, MMA: 0x15}, 103, Observed, OK, "class 3 at level 2 allows sm_100 for sm_103"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 3, Level: 2, Accelerator: 1, MMA: 4}, 103, Observed, ClassRestricted, "class 3 at level 2 does not allow sm_100 for sm_103"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 4, Level: 4}, 103, Observed, ClassSingle, "class 4 at level 4 does not allow sm_100 for sm_103"},
		{Facts{SM: 103, ISA: 0x101, Compat: true, Class: 4, Level: 4}, 100, Observed, ArchMismatch, "class 4 at level 4 does not allow sm_103 for sm_100"},
		{Facts{SM: 100, ISA: 0x101, Compat: true, Class: 1, Level: 1}, 120, Observed, ArchMismatch, "class 1 at level 1 does not allow sm_100 for sm_120"},
		{Facts{SM: 103, ISA: 0x101, Compat: true, Class: 0, Level: 1}, 100, Observed, ClassUnknown, "class 0 at level 1 does not allow sm_103 for sm_100"},
		{Facts{SM: 103, ISA: 0x101, Compat: true, Class: 5, Level: 1}, 100, Observed, ClassUnknown, "class 5 at level 1 does not allow sm_103 for sm_100"},
		{Facts{SM: 103, ISA: 0x101, Compat: true, Class: 1, Level: 5}, 100, Observed, ClassUnknown, "class 1 at level 5 does not allow sm_103 for sm_100"},

		{Facts{SM: 101}, 110, Document, OK, "the target is the object's"},
		{Facts{SM: 100, Level: 4}, 103, Document, ClassUnknown, "level 4 is not one of the four"},
		{Facts{SM: 100, Level: 2}, 120, Document, ArchMismatch, "level 2 (intra-family) does not go from sm_100 to sm_120"},
		{Facts{SM: 100, Level: 0}, 103, Document, ArchMismatch, "level 0 (default) does not go from sm_100 to sm_103"},
		{Facts{SM: 100, Level: 1, Kind: Capmerc, Compat: true}, 103, Document, ArchMismatch, "level 1 (none) does not go from sm_100 to sm_103"},
		{Facts{SM: 100, Level: 2, Kind: Capmerc}, 103, Document, NoCompat, "the file has no capability word"},
		{Facts{SM: 100, Level: 2, Compat: true}, 103, Document, NoCompat, "the file has no capability word"},
		{Facts{SM: 100, Level: 3, Kind: Capmerc, Compat: true, Fastpath: 0xff}, 120, Document, ArchMismatch, "sm_120 has no capability bit"},
		{Facts{SM: 103, Level: 3, Kind: Capmerc, Compat: true, Fastpath: 0xfd}, 110, Document, ArchMismatch, "capability word 0xfd lacks bit 0x2 of sm_110"},
		{Facts{SM: 100, Level: 2, Kind: Capmerc, Compat: true, Fastpath: 0x4a}, 103, Document, OK, "fastpath: capability word 0x4a has bit 0x8 of sm_103"},
		{Facts{SM: 110, Level: 3, Kind: Capmerc, Compat: true, Fastpath: 0xfe}, 100, Document, ArchMismatch, "capability word 0xfe lacks bit 0x1 of sm_100"},
		{Facts{SM: 120, Level: 2, Kind: Capmerc, Compat: true, Fastpath: 0x40}, 121, Document, OK, "fastpath: capability word 0x40 has bit 0x40 of sm_121"},
	} {
		d := Decide(&c.x, c.target, c.rules)
		if d.Accepted != (c.code == OK) || d.Code != c.code || d.Reason != c.reason {
			t.Errorf("%+v for sm_%d: %v, %d, %q; want %d, %q", c.x, c.target, d.Accepted, d.Code, d.Reason, c.code, c.reason)
		}
	}
}

// Each option that can't be followed is named, with what is wrong.
func TestOptionErrors(t *testing.T) {
	capsule, sass := Facts{SM: 100, Kind: Capmerc, Fastpath: 0x09}, Facts{SM: 100}
	for words, want := range map[string]string{
		"--nosuch=1":                             "4 --nosuch: no option of the finalizer",
		"--opt-level":                            "4 --opt-level: needs a value",
		"--self-check=1":                         "4 --self-check: takes no value",
		"--opt-level=4":                          "4 --opt-level: '4' is not a number from 0 to 3",
		"--binary-kind=elf":                      "4 --binary-kind: 'elf' is not mercury, capmerc or sass",
		"--out-sass":                             "4 --out-sass: the reconstituted SASS is a by-product of --self-check",
		"--self-check --out-sass":                "",
		"--self-check":                           "",
		"--opt-level=3":                          "",
		"--cap-merc":                             "",
		"--binary-kind=capmerc":                  "",
		"--opt-level=2":                          "14 --opt-level: other code needs NVIDIA's scheduler",
		"--generate-line-info":                   "14 --generate-line-info: a copy has the lines of its file",
		"--verbose-tkinfo":                       "14 --verbose-tkinfo: a copy has the notes of its file",
		"--disable-smem-reservation":             "14 --disable-smem-reservation: the reservation is in the code",
		"--trap-into-debugger":                   "14 --trap-into-debugger: new code needs NVIDIA's scheduler",
		"--fastpath-off":                         "14 --fastpath-off: anything but a copy needs NVIDIA's scheduler",
		"--self-check --binary-kind=sass":        "4 --self-check: there is no capsule in an output of kind sass",
		"--compile-as-at-entry-patch":            "14 --compile-as-at-entry-patch: new code needs NVIDIA's scheduler",
		"--binary-kind=sass":                     "14 --binary-kind: no tool is known to write sass from a file with capmerc",
		"--binary-kind=mercury":                  "14 --binary-kind: no tool writes only Mercury; its encoding of PLAIN instructions isn't fully known",
		"sass --self-check":                      "5 --binary-kind: the input has no capsule",
		"sass --cap-merc":                        "4 --cap-merc: the input has no capsule",
		"sass --binary-kind=capmerc":             "5 --binary-kind: the input has no capsule",
		"sass --cap-merc --binary-kind=capmerc":  "5 --binary-kind: the input has no capsule",
		"sass":                                   "5 --binary-kind: the input has no capsule",
		"sass --binary-kind=sass":                "14 --opportunistic-finalization-lvl: attribute 11 (0x0) has no bit for sm_103: other code would be needed, and NVIDIA's scheduler for it",
		"sass --cap-merc --binary-kind=sass":     "14 --opportunistic-finalization-lvl: attribute 11 (0x0) has no bit for sm_103: other code would be needed, and NVIDIA's scheduler for it",
		"own --fastpath-off":                     "",
		"own --fastpath-off --binary-kind=sass":  "14 --binary-kind: no tool is known to write sass from a file with capmerc",
		"own --fastpath-off --opt-level=1":       "14 --opt-level: other code needs NVIDIA's scheduler",
		"own --opportunistic-finalization-lvl=0": "",
	} {
		list, x, target := strings.Fields(words), &capsule, cuda.SM(103)
		if len(list) > 0 && list[0] == "sass" {
			list, x = list[1:], &sass
		} else if len(list) > 0 && list[0] == "own" {
			list, target = list[1:], 100
		}
		o := DefaultOptions(target, Observed)
		err := o.ParseOptions(list)
		if err == nil {
			err = o.Check(x)
		}
		if err == nil {
			err = o.Possible(x, target)
		}
		got := ""
		var fault *OptionError
		if errors.As(err, &fault) {
			got = fmt.Sprint(int(fault.Code), " ", fault)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
}
