package oracle

import "github.com/twinlink/twinlink/cuda"

// Undecided says what would decide a recipe that is known from documents alone;
// "" for one that was compared with bytes.
func (r *Recipe) Undecided() string {
	if r.Evidence != Paper {
		return ""
	}
	switch {
	case r.Resolver == cuda.ResolverNone:
		return "nothing can: the number is not a record"
	case r.Resolver == cuda.ResolverLinker:
		return "an object with such a record that nvlink accepts: 11.8 to 13.5 refuse every PC-relative one"
	case r.Number >= cuda.MercuryBase:
		return "a device of sm_100 or later: a linked module that keeps such a record, loaded by the driver, and the patched bytes read back"
	}
	return "a device: a linked module that keeps such a record, loaded by the driver, and the patched bytes read back"
}
