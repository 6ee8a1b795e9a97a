package cubin_test

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// What a section's type says of it is the same for each of its kind: the eighteen banks, what has no bytes, and what belongs
// to a function though no flag says so.
func TestSectionTypes(t *testing.T) {
	banks, hollow, owned := 0, 0, 0
	for i := range cuda.SectionType(0x120) {
		typ := i
		if i >= 0x20 {
			typ += 0x70000000 - 0x20
		}
		name := typ.String()
		n, ok := cubin.ConstantBank(typ)
		if want := name == fmt.Sprint("CUDA_CONSTANT_", n); ok != want || ok && n != banks {
			t.Errorf("%s: bank %d, %v", name, n, ok)
		}
		if ok {
			banks++
		}
		space := name == "CUDA_GLOBAL" || name == "CUDA_LOCAL" || name == "CUDA_SHARED" || name == "CUDA_SHARED_RESERVED"
		plain, clone := cubin.Section{Type: typ, Info: 7}, cubin.Section{Type: typ, Flags: cuda.SHFMercury, Info: 7}
		none := name == "NOBITS" || name == "NULL"
		if cubin.NoBitsSpace(typ) != space || plain.NoBits() != (space || none) || clone.NoBits() != none {
			t.Errorf("%s: space %v, no bits %v, as a clone %v", name, cubin.NoBitsSpace(typ), plain.NoBits(), clone.NoBits())
		}
		if plain.NoBits() {
			hollow++
		}
		mine := ok || name == "CUDA_SHARED" || name == "CUDA_LOCAL" || name == "CUDA_INFO"
		if got := plain.Owner() == 7; got != mine {
			t.Errorf("%s: has an owner: %v", name, got)
		}
		if mine {
			owned++
		}
		if linked := (cubin.Section{Type: typ, Flags: cuda.SHFInfoLink, Info: 7}); linked.Owner() != 7 {
			t.Errorf("%s: the flag is passed over", name)
		}
	}
	if banks != 18 || hollow != 6 || owned != 21 {
		t.Errorf("%d banks, %d without bytes, %d owned", banks, hollow, owned)
	}
}
