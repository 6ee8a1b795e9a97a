package sass

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/output"
)

// plan plans the image.
func (l *Backend) plan() (*output.Plan, error) {
	img := output.NewPlan(len(l.Secs), len(l.Funs))
	l.CountResolved()
	l.ChooseSymbols(img)
	l.extendIndices(img)
	l.BuildStrings(img)
	l.BuildAttributes(img)
	l.BuildNotes(img, nil)
	l.OrderSections(img)
	l.NumberSections(img)
	if err := l.placeSections(img); err != nil {
		return nil, err
	}
	return img, nil
}

// placeSections gives sections and tables their offsets.
func (l *Backend) placeSections(img *output.Plan) error {
	l.Secs[l.Symtab].Size = uint64(len(img.Symbols)+1) * cubin.SymbolSize
	l.Secs[l.Strtab].Size = uint64(img.Str.Size)
	l.Secs[l.Shstrtab].Size = uint64(img.Shstr.Size)
	at := uint64(cubin.HeaderSize)
	for _, id := range img.Order {
		s := &l.Secs[id]
		at = model.AlignUp(at, s.Align)
		s.Off = at
		if l.HasBits(id) {
			at += s.Size
		}
		if at > l.MaxOutput() {
			return &diag.LinkError{Exit: 1, Diags: []diag.Diagnostic{{Severity: diag.Fatal, Kind: diag.Budget,
				Text: "the image would be too large", Section: l.Names.Str(s.Name), Value: at}}}
		}
	}
	img.Shoff = model.AlignUp(at, 8)
	l.placeProgs(img)
	img.Size = img.Shoff + uint64(len(img.Order)+1)*cubin.SectionSize + uint64(len(img.Progs))*cubin.ProgSize
	return nil
}

// placeProgs makes the program headers of a final image: the table itself,
// code and constants, data, the table again.
func (l *Backend) placeProgs(img *output.Plan) {
	if l.IsRelocatable() {
		return
	}
	read, write := l.segment(img, 5, 6), l.segment(img, 7, 8)
	n := 2
	for _, p := range []*cubin.Prog{read, write} {
		if p != nil {
			n++
		}
	}
	table := cubin.Prog{Type: cubin.PTPhdr, Flags: cubin.PFRead | cubin.PFExec, Align: 8,
		Off:    img.Shoff + uint64(len(img.Order)+1)*cubin.SectionSize,
		FileSz: uint64(n) * cubin.ProgSize, MemSz: uint64(n) * cubin.ProgSize}
	img.Progs = append(img.Progs, table)
	if read != nil {
		read.Flags = cubin.PFRead | cubin.PFExec
		img.Progs = append(img.Progs, *read)
	}
	if write != nil {
		write.Flags = cubin.PFRead | cubin.PFWrite
		img.Progs = append(img.Progs, *write)
	}
	table.Type = cubin.PTLoad
	img.Progs = append(img.Progs, table)
}

// segment covers the sections of two buckets; nil where there are none. What
// a segment adds in memory is counted from 0, not from its start.
func (l *Backend) segment(img *output.Plan, from, to int) *cubin.Prog {
	var p *cubin.Prog
	extra := uint64(0)
	for _, id := range img.Order {
		if b := l.Bucket(id); b < from || b > to {
			continue
		}
		s := &l.Secs[id]
		if p == nil {
			p = &cubin.Prog{Type: cubin.PTLoad, Off: s.Off, Align: 8}
		}
		p.FileSz = s.Off - p.Off
		if l.HasBits(id) {
			p.FileSz += s.Size
		} else {
			extra = model.AlignUp(extra, s.Align) + s.Size
		}
	}
	if p != nil {
		p.MemSz = p.FileSz + extra
	}
	return p
}
