package ptxgen

import "fmt"

// Target is the PTX version and the architecture a program is written for.
type Target struct {
	Major, Minor int    // PTX ISA version
	SM           int    // number of the .target, e.g. 52
	Suffix       string // "" or "a"
}

// Old is a target that every ptxas from CUDA 11.8 up can compile for all its architectures from sm_50 on.
var Old = Target{Major: 6, Minor: 5, SM: 50}

// Lanes is Old with byte-lane initialisers.
var Lanes = Target{Major: 7, Minor: 1, SM: 50}

// Stack adds stack allocation of unknown size.
var Stack = Target{Major: 7, Minor: 3, SM: 52}

// Hopper11 has what CUDA 11.8 knows of sm_90.
var Hopper11 = Target{Major: 7, Minor: 8, SM: 90}

// Hopper12 has what CUDA 12.0 and later know of sm_90.
var Hopper12 = Target{Major: 8, Minor: 0, SM: 90}

// has reports whether a program for t may use what appeared with need.
func (t Target) has(need Target) bool {
	if t.Major != need.Major {
		return t.Major > need.Major && t.SM >= need.SM
	}
	return t.Minor >= need.Minor && t.SM >= need.SM
}

func (t Target) header(mode string) string {
	return fmt.Sprintf(".version %d.%d\n.target sm_%d%s%s\n.address_size 64\n", t.Major, t.Minor, t.SM, t.Suffix, mode)
}
