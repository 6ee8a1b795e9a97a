package cuda

import "slices"

// SM numbers of the releases this project knows, and their families.
//
// A relocatable object of one SM may be linked for a higher one of the same
// family, which is its decade (70, 75; 80, 86, 89; 100, 103; 120, 121), but
// for those of integrated chips, which are alone. From 13.2 on sm_87 and sm_88
// are of their family too.
// Source: links of every pair of SMs by nvlink 11.8.89, 12.4.131, 13.0.88, 13.1.115,
// 13.2.86, 13.3.73, 13.4.92 and 13.5.37.

// SM is a compute capability times ten: 75, 90, 120.
type SM uint16

// Family returns the SM's decade: 8 for 80..89.
func (s SM) Family() int { return int(s) / 10 }

// alone lists the SMs of integrated chips, which are alone up to 13.1.
var alone = []SM{53, 62, 72, 87, 88}

// joinsFamilies is the first toolkit whose linker links all SMs that it knows with those of their family.
const joinsFamilies = 132

// LinkedFor reports whether the linker of a toolkit, 130 for 13.0, links an object of one SM
// for another of its family.
func (s SM) LinkedFor(target SM, toolkit uint32) bool {
	return s.Family() == target.Family() && s <= target &&
		(s == target || toolkit >= joinsFamilies || !slices.Contains(alone, s) && !slices.Contains(alone, target))
}

// MercuryMin is the first SM whose objects carry a Mercury capsule.
const MercuryMin SM = 100
