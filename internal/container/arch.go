package container

import (
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// Arch is an architecture as nvcc names it: 90, 90a, 100f. Variant is 'a', 'f'
// or 0.
type Arch struct {
	SM      uint32
	Variant byte
}

// ParseArch reads "sm_90a", "compute_90a", "lto_90a" or "90a".
func ParseArch(s string) (Arch, bool) {
	if kind, rest, ok := strings.Cut(s, "_"); ok {
		if kind != "sm" && kind != "compute" && kind != "lto" {
			return Arch{}, false
		}
		s = rest
	}
	var a Arch
	if n := len(s); n > 0 && (s[n-1] == 'a' || s[n-1] == 'f') {
		a.Variant, s = s[n-1], s[:n-1]
	}
	n, err := strconv.ParseUint(s, 10, 32)
	a.SM = uint32(n)
	return a, err == nil && n > 0 && s[0] != '+'
}

// String returns "90a".
func (a Arch) String() string {
	s := strconv.FormatUint(uint64(a.SM), 10)
	if a.Variant != 0 {
		s += string(rune(a.Variant))
	}
	return s
}

// rank orders what fits a target of the same SM: a before f before plain.
func (a Arch) rank() int {
	switch a.Variant {
	case 'a':
		return 2
	case 'f':
		return 1
	}
	return 0
}

// firstFamilies is the first SM whose 'a' code runs on that SM alone, and whose
// chips come in families.
const firstFamilies = 100

// families lists the SMs from 100 on that run code of the first of them.
var families = [...][]uint32{{100, 103}, {120, 121}}

// Links reports whether nvlink of a toolkit links a cubin of architecture a for a target.
func (a Arch) Links(target Arch, toolkit uint32) bool {
	switch {
	case a.SM == target.SM:
		return true
	case a.SM > target.SM:
		return false
	case a.SM < firstFamilies:
		return target.SM < firstFamilies && cuda.SM(a.SM).LinkedFor(cuda.SM(target.SM), toolkit)
	case a.Variant == 'a':
		return false
	}
	for _, f := range families {
		if slices.Contains(f, a.SM) && slices.Contains(f, target.SM) {
			return true
		}
	}
	return false
}
