package documents

// The tables of the masked shift.
//
// The dispatcher takes action_type minus 22 as an index and so asks for the
// entries 0..7 and 25..32. The documents give eight entries of each table and
// two stories for the rest: the engine document has the second group "access
// into the same 64-byte memory region at a higher offset", which a region of
// eight entries cannot serve; the glossary has the local copy "extend to 33
// entries" with masks and shifts that "mirror the global-table 8-bit patches
// byte-for-byte". The glossary's is followed, because UNIFIED_8_k is known to
// give byte k. (The tool cannot be asked: since 12.4 it turns UNIFIED_8_k into
// R_CUDA_8_k before it patches, and 11.8 leaves the record to the driver.)
//
// The entries 8..24 belong to action codes that have no arm, so no run asks
// for them; they are zero.

// tableEntries is how far the index action_type minus 22 reaches.
const tableEntries = 33

const (
	firstLane       = 22 // action of index 0
	secondLaneIndex = 25 // index of byte lane 0 in the second group
)

var maskTable, shiftTable = func() (mask [tableEntries]uint64, shift [tableEntries]uint32) {
	for lane := 0; lane < 8; lane++ {
		for _, group := range []int{0, secondLaneIndex} {
			mask[group+lane] = 0xff << (8 * lane)
			shift[group+lane] = uint32(8 * lane)
		}
	}
	return mask, shift
}()
