package mercury

import "github.com/twinlink/twinlink/capsule"

// copiesMap reports whether a record copies a tensor map with a fence of the system's scope.
func copiesMap(record []byte) bool {
	const scope, system = 0x38, 0x20 // of byte 8
	return len(record) == 32 && [4]byte(record) == [4]byte{0x02, 0x18, 0x00, 0x32} && record[8]&scope == system
}

// foreseeMapCopies warns of a function with such a copy by an older toolkit where the release
// makes a store and fences of it. Here it stays one word.
//
// Source: tensormap.cp_fenceproxy of four scopes by ptxas 13.0 to 13.5 and what nvlink 13.2 to
// 13.5 made of it.
func (l *Backend) foreseeMapCopies(fn *code) {
	if l.Release.SplitsMapCopies == 0 || fn.input.Toolkit >= l.Release.SplitsMapCopies {
		return
	}
	for i := range fn.words {
		if n := &fn.words[i]; n.Kind == capsule.Full && n.Span == 1 && copiesMap(fn.cap.Record(n)) {
			l.warnScheduleOnce(fn)
			return
		}
	}
}
