package resources

import (
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/model"
)

// mostConstants is how many bytes of constants a program may have, for every target (nvlink 11.8.89 to 13.5.37).
const mostConstants = 0x10000

// CheckLimits reports what is used up: slots of textures, the program's constants, and in a final link the shared memory of
// kernels. nvlink goes through the sections as they were made, a kernel's shared memory with its code.
func (l *Usage) CheckLimits() error {
	if err := l.checkImages(); err != nil {
		return err
	}
	bank, pool := l.UserBank(), l.Unowned(l.Names.ID(".nv_debug.shared"))
	kernels := make(map[model.SecID]model.FunID)
	if !l.IsRelocatable() {
		for _, k := range l.AllKernels() {
			kernels[l.Funs[k].Text] = k
		}
	}
	for i := range l.Secs {
		id := model.SecID(i)
		if k, ok := kernels[id]; ok {
			l.checkShared(l.Funs[k].Shared, l.SymName(l.Funs[k].Sym))
		}
		switch {
		case id == bank:
			if err := l.checkConstants(id); err != nil {
				return err
			}
		case id == pool && !l.IsRelocatable():
			l.checkShared(id, poolName)
		}
	}
	return nil
}

// checkConstants reports more constants than a bank holds. Such a bank nvlink 12.4 and later pack anew, and count then
// (12.4.131, 13.0.88, 13.3.73, 13.5.37); where that might make them fit, the image isn't known.
func (l *Usage) checkConstants(bank model.SecID) error {
	n := l.Secs[bank].Size
	if n <= mostConstants {
		return nil
	}
	if l.Release.PacksConstants && !l.IsRelocatable() {
		if n = l.packedSize(bank); n <= mostConstants || l.HasFilter() {
			return diag.Refuse(diag.Unsupported, "", "constants of 0x%x bytes, which nvlink %s packs or leaves out, are not supported by twinlink", l.Secs[bank].Size, l.Release.Name)
		}
	}
	l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.ConstantLimit, Value: n,
		Text: fmt.Sprintf("File uses too much global constant data (0x%x bytes, 0x%x max)", n, mostConstants)})
	return nil
}

// packedAlign is the alignment of constants that are packed anew, whatever they ask for; words stand behind the others.
const packedAlign = 8

// packedSize is how long a bank is whose variables are put one behind the other, the smallest first. Those of less than
// 8 bytes that aren't words may make it a few bytes longer.
func (l *Usage) packedSize(bank model.SecID) (end uint64) {
	var sizes []uint64
	for i := range l.Syms {
		if s := &l.Syms[i]; s.Sec == bank && s.Type() != cuda.STTSection {
			sizes = append(sizes, s.Size)
		}
	}
	slices.Sort(sizes)
	small, _ := slices.BinarySearch(sizes, packedAlign)
	for _, n := range sizes[small:] {
		end = model.AlignUp(end, packedAlign) + n
	}
	for _, n := range slices.Backward(sizes[:small]) {
		if n == 4 {
			end = model.AlignUp(end, n)
		}
		end += n
	}
	return end
}

// poolName is what nvlink takes for the name of a kernel where .nv_debug.shared is too large: it
// leaves out as many letters as .nv.shared. has.
const poolName = "hared"

// checkShared reports a section of more shared memory than nvlink lets a kernel use.
// Of a made-up size it takes 32 bits with a sign.
func (l *Usage) checkShared(id model.SecID, name string) {
	most := l.Release.MostShared(l.Arch)
	if n := int32(l.UsedShared(id)); n > most {
		l.Say(diag.Diagnostic{Severity: diag.Error, Kind: diag.SharedLimit, Symbol: name, Value: uint64(n),
			Text: fmt.Sprintf("Entry function '%s' uses too much shared data (0x%x bytes, 0x%x max)", name, n, most)})
	}
}
