package finalizer

import (
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

// Decision is whether a file may be finalized for a target.
type Decision struct {
	Accepted bool
	Code     Code
	Reason   string
}

func accept(format string, args ...any) Decision {
	return Decision{Accepted: true, Reason: fmt.Sprintf(format, args...)}
}

func refuse(code Code, format string, args ...any) Decision {
	return Decision{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// maxISA is the newest Mercury ISA that 13.0 reads, major and minor.
const maxISA = 0x0101

// Decide decides by a set of rules.
func Decide(x *Facts, target cuda.SM, rules Rules) Decision {
	if rules == Document {
		return decideSeed(x, target)
	}
	d := decideObserved(x, target)
	if d.Accepted && x.SM >= cuda.MercuryMin && x.ISA > maxISA {
		return refuse(ISATooNew, "Mercury ISA %d.%d is newer than 1.1", x.ISA>>8, x.ISA&0xff)
	}
	return d
}

// decideObserved is nvlink 13.0.88. The tool has one text for all refusals of
// compatibility; the codes say which rule it was.
func decideObserved(x *Facts, target cuda.SM) Decision {
	switch {
	case x.SM == target:
		return accept("the target is the object's")
	case x.SM < cuda.MercuryMin || target < cuda.MercuryMin:
		if x.SM.LinkedFor(target, 130) {
			return accept("sm_%d runs code made for sm_%d", target, x.SM)
		}
		return refuse(ArchMismatch, "sm_%d doesn't run code made for sm_%d", target, x.SM)
	case !x.Compat:
		return refuse(NoCompat, "the file has no .nv.compat")
	}
	for i := range observedRules {
		if observedRules[i].fits(x, target) {
			return accept("class %d at level %d allows sm_%d for sm_%d", x.Class, x.Level, x.SM, target)
		}
	}
	return refuse(refusalCode(x, target), "class %d at level %d does not allow sm_%d for sm_%d", x.Class, x.Level, x.SM, target)
}

// refusalCode names the rule that a refusal is by.
func refusalCode(x *Facts, target cuda.SM) Code {
	const lastLevel, lastClass = 4, 4
	switch {
	case x.Level > lastLevel, x.Class == 0, x.Class > lastClass:
		return ClassUnknown
	case x.SM > target, x.Class == 1:
		return ArchMismatch
	case x.Class == 2:
		return ClassFamily
	case x.Class == 3:
		return ClassRestricted
	}
	return ClassSingle
}

// decideSeed is the document's checker: families by SM number after
// remapping, the level, and then the bit of attribute 11.
func decideSeed(x *Facts, target cuda.SM) Decision {
	from, to := remap(x.SM), remap(target)
	if from == to {
		return accept("the target is the object's")
	}
	if int(x.Level) >= len(seedLevels) {
		return refuse(ClassUnknown, "level %d is not one of the four", x.Level)
	}
	level := seedLevels[x.Level]
	allowed := level.across || level.intra && from.Family() == to.Family()
	if !allowed {
		return refuse(ArchMismatch, "level %d (%s) does not go from sm_%d to sm_%d", x.Level, level.name, x.SM, target)
	}
	if !x.Compat || x.Kind != Capmerc {
		return refuse(NoCompat, "the file has no capability word")
	}
	bit, ok := fastpathBits[to]
	if !ok {
		return refuse(ArchMismatch, "sm_%d has no capability bit", target)
	}
	if x.Fastpath&bit != bit {
		return refuse(ArchMismatch, "capability word %#x lacks bit %#x of sm_%d", x.Fastpath, bit, target)
	}
	return accept("fastpath: capability word %#x has bit %#x of sm_%d", x.Fastpath, bit, target)
}

func remap(s cuda.SM) cuda.SM {
	if t, ok := remapped[s]; ok {
		return t
	}
	return s
}
