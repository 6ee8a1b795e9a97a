package link

import (
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
)

// The first releases that link for sm_100 and up, 12.8 and 12.9, write the header of 13.0 there and
// a note of their own, .note.nv.cuver, in the place of .note.nv.cuinfo. They write nothing of
// themselves into .nv.compat and into attributes. For older targets they write files of 12.x.
//
// Source: 756 links by nvJitLink 12.8.93 and 12.9.86, 202 of which were looked at.
const firstMercury oracle.Release = 128

// FirstMercury reports whether the link is one of those for sm_100 and up.
func (c *Link) FirstMercury() bool {
	return c.Release >= firstMercury && c.Release < 130 && c.SM >= int(cuda.MercuryMin)
}

// NewForm reports whether the output has the header, the notes and the attributes of 13.0.
func (c *Link) NewForm() bool { return c.Release >= 130 || c.FirstMercury() }

// VersionNote is the section that says what the file was made for, and whose index is in e_flags.
func (c *Link) VersionNote() string {
	if c.FirstMercury() {
		return image.FirstVersionNote
	}
	return image.VersionNote
}

// OldestSM is the lowest SM that the target and the inputs' PTX name.
func (c *Link) OldestSM() uint64 {
	sm := uint64(c.SM)
	for _, m := range c.Modules {
		sm = min(sm, m.ObjectSM())
	}
	return sm
}

// Accelerator is the bit of e_flags by which the first releases mark a target with an a.
func (c *Link) Accelerator() uint32 {
	if c.FirstMercury() {
		return cuda.EFAccelerator
	}
	return 0
}
