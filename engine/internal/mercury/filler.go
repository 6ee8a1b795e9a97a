package mercury

import (
	"sync"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
	"github.com/twinlink/twinlink/engine/internal/parallel"
)

// fillParts gives every part its content, or the size of what is written later. What
// belongs to code is made side by side, and beside the rest.
func (l *Backend) fillParts(img *plan) error {
	img.first(l) // before several ask for it
	l.sayLostTables()
	l.sayForeign()
	l.findNamedLast()
	if l.Release.Marks6D {
		l.findDependents()
	}
	var faults firstFault
	rest := func() {
		for i, id := range img.Order {
			if !l.isOfCode(id) && !l.isReservedPool(id) && !faults.add(i, l.fillPart(img, id)) {
				return
			}
		}
	}
	apart := 1
	if l.IsRelocatable() {
		rest() // records of code say where lines begin
		apart = 0
	}
	parallel.Run(apart+output.PartsOf(uint64(len(img.Order)), fillAtOnce), func(next func() int) {
		own := &filler{Backend: l, img: img}
		for k := next(); k >= 0; k = next() {
			if k < apart {
				rest()
				continue
			}
			from := (k - apart) * fillAtOnce
			for i, id := range img.Order[from:min(from+fillAtOnce, len(img.Order))] {
				if l.isOfCode(id) && !faults.add(from+i, own.fill(id)) {
					break
				}
			}
		}
	})
	for i, id := range img.Order {
		if l.isReservedPool(id) { // its copy holds what the sizes of all others lead to
			faults.add(i, l.fillPart(img, id))
		}
	}
	return faults.err
}

// isReservedPool reports whether a section is .nv.shared.reserved.0.
func (l *Backend) isReservedPool(id model.SecID) bool {
	return l.Secs[id].Type == cuda.SHTCudaSharedReserved
}

// fillAtOnce is how many sections a core fills at a time.
const fillAtOnce = 1 << 10

// firstFault is the fault of the first of many parts that have one.
type firstFault struct {
	sync.Mutex
	at  int
	err error
}

// add notes a fault of part i; false where it is one.
func (f *firstFault) add(i int, err error) bool {
	if err == nil {
		return true
	}
	f.Lock()
	defer f.Unlock()
	if f.err == nil || i < f.at {
		f.at, f.err = i, err
	}
	return false
}

// isOfCode reports whether a section belongs to a function: its attributes, and records
// but for those of frames and lines, which come with them.
func (l *Backend) isOfCode(id model.SecID) bool {
	switch s := &l.Secs[id]; s.Type {
	case cuda.SHTCudaInfo:
		return s.Owner != model.Absent
	case cuda.SHTRela:
		return l.Names.Str(l.Secs[s.Target].Name) != debugFrame && !l.isLines(s.Target)
	}
	return false
}

// filler makes on one core what belongs to code.
type filler struct {
	*Backend
	img   *plan
	bytes model.Arena[byte]
	list  []cubin.Reloc // scratch
}

func (f *filler) fill(id model.SecID) (err error) {
	s, sass, merc := &f.Secs[id], &f.img.parts[f.img.sassOf[id]], &f.img.parts[f.img.mercOf[id]]
	if s.Type == cuda.SHTRela {
		merc.hdr.Size = s.Size
		f.list = f.sassRelocs(f.img, f.list[:0], id)
		f.img.setRelas(id, f.list, &f.bytes)
		return nil
	}
	merc.data = f.img.Content(id)
	sass.data, err = f.sassInfo(s.Owner, merc.data)
	setSizes(sass, merc)
	return err
}

// setSizes gives two parts the sizes of their bytes.
func setSizes(parts ...*part) {
	for _, p := range parts {
		if p.data != nil {
			p.hdr.Size = uint64(len(p.data))
		}
	}
}
