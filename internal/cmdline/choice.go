package cmdline

import (
	"strconv"
	"strings"
)

// SMs of -arch by release; each is allowed as sm_NN, compute_NN and lto_NN.
var (
	sms118 = [...]string{"35", "37", "50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "89", "90"}
	sms124 = [...]string{"50", "52", "53", "60", "61", "62", "70", "72", "75", "80", "86", "87", "89", "90", "90a"}
	sms128 = append(sms124[:len(sms124):len(sms124)], "100", "100a", "101", "101a", "120", "120a")
	sms129 = append(sms128[:len(sms128):len(sms128)], "100f", "101f", "103", "103a", "103f", "120f", "121", "121a", "121f")
	sms130 = [...]string{"75", "80", "86", "87", "88", "89", "90", "90a",
		"100", "100a", "100f", "103", "103a", "103f", "110", "110a", "110f", "120", "120a", "120f", "121", "121a", "121f"}

	sms134 = [...]string{"75", "80", "86", "87", "88", "89", "90", "90a",
		"100", "100a", "100f", "103", "103a", "103f", "107", "107a", "107f", "110", "110a", "110f", "120", "120a", "120f", "121", "121a", "121f"}

	cpus    = [...]string{"AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64", "unknown"}
	scripts = [...]string{"lcs-abs", "lcs-aug"}
)

// SMs returns the architectures a release links for, without the "sm_".
func SMs(r Release) []string {
	switch {
	case r == R118:
		return sms118[:]
	case r == R128:
		return sms128
	case r == R129:
		return sms129
	case r&since134 != 0:
		return sms134[:]
	case r.Cuda13():
		return sms130[:]
	}
	return sms124[:]
}

// LinksMercury reports whether the release links for sm_100 and up, whose objects
// have a Mercury side.
func (r Release) LinksMercury() bool { return contains(SMs(r), "100") }

// allowed reports whether value is one of those an option of restricted
// values takes.
func allowed(id ID, r Release, value string) bool {
	switch id {
	case Arch:
		kind, sm, ok := strings.Cut(value, "_")
		return ok && (kind == "sm" || kind == "compute" || kind == "lto") && contains(SMs(r), sm)
	case CPUArch:
		return contains(cpus[:], value) || value == "RISCV64" && r&since132 != 0
	case GenHostLinkerScript:
		return contains(scripts[:], value)
	case Toolkit:
		_, known := ParseRelease(value)
		return known
	}
	return true
}

// allowedNumber is allowed for options that take a number: nvlink 11.8 still
// reads -m32, and then refuses every object.
func allowedNumber(id ID, r Release, n int32) bool {
	return id != Machine || n == 64 || n == 32 && r == R118
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// number reads an integer as C's strtol does with base 0: leading white space
// and a sign, 0x for hexadecimal, 0 for octal; the empty string is 0.
func number(s string) (n int32, isNumber, inRange bool) {
	if s == "" {
		return 0, true, true
	}
	digits := strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	base := 10
	switch {
	case len(digits) > 2 && (digits[:2] == "0x" || digits[:2] == "0X"):
		base, digits = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	for _, c := range []byte(digits) {
		if d := digit(c); d >= base {
			return 0, false, false
		}
	}
	if digits == "" {
		return 0, false, false
	}
	v, err := strconv.ParseUint(digits, base, 63)
	if err != nil {
		return 0, true, false
	}
	wide := int64(v)
	if negative {
		wide = -wide
	}
	return int32(wide), true, wide == int64(int32(wide))
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return 99
}
