// Package finalizer decides which object may be finalized for which target, as
// the finalizer inside NVIDIA's linker does, and does it where that is a copy.
//
// Finalizing turns the Mercury side of an object into SASS for one target. That
// the target may be another than the object's is the point of the format; what
// is allowed is in the object's .nv.compat, whose attributes and the two SM
// numbers decide. Two sets of rules exist. Observed is what nvlink 13.0.88 was
// seen to accept in every combination of source, target, class, level and
// accelerated flag; Document is what the document "Capsule Mercury & Finalization"
// describes, which nvlink doesn't follow. Both are tables (rules.go).
//
// The work itself needs NVIDIA's scheduler, but for one case: attribute 11
// names siblings on which the code runs as it is. Then the file is copied and
// its header names the other SM.
package finalizer
