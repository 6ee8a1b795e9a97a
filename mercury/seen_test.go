package mercury

import (
	"strings"
	"testing"
)

// A line of the table of what was seen that has too few fields, or one that is no number of its kind, is an error.
func TestSeenRefuses(t *testing.T) {
	const sound = "plain\tabc\t100,120\t9\t0.0\t1.f0000\ntag\t01000000\tabc\t100\t9\t0.0\t1.f0000\nregs\tabc\t16,24\n" +
		"free\tplain\tabc\t100\t0.10\nfree\ttag\t01000000\tabc\t100\t0.10\n"
	if _, err := parseSeen("# text\n\n" + sound); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"plain\t1", "tag\t1\t2", "regs\t1", "nothing\t1\t2\t3", "plain", "plain\t1\t2\t3\t4\t5\t6", "free", "free\tplain", "free\tplain\tabc\t100",
		"free\tplain\tabd\t100\t0.1", "free\ttag\t01000001\tabc\t100\t0.1", "free\tplain\tabc\t100\t0.1\t2"} {
		if _, err := parseSeen(sound + line + "\n"); err == nil {
			t.Errorf("accepted %q", line)
		}
	}
	for line := range strings.Lines(sound) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i := range fields {
			if i == 0 || fields[0] == "free" && i == 1 {
				continue
			}
			for _, wrong := range []string{"", "x", "99999999999999999999"} {
				changed := append([]string(nil), fields...)
				changed[i] = wrong
				if _, err := parseSeen(sound + strings.Join(changed, "\t") + "\n"); err == nil {
					t.Errorf("accepted %q", strings.Join(changed, "\t"))
				}
			}
		}
	}
}

// Fields that nvdisasm 13.5 prints as uniform registers are not bounded by a function's number of registers: of UTCBAR the
// mask, of LDSM the second part of the address.
func TestSeenUniform(t *testing.T) {
	for op, want := range map[uint16]uint8{0x3e9: 0, 0x83b: 0b0011} {
		if got := Registers(op); got != want {
			t.Errorf("%03x: fields %04b, want %04b", op, got, want)
		}
	}
}
