package selfcheck

import (
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// leastTable is how many words of a jump table have to be zero for it to be one of a definition that lost.
const leastTable = 2

// lostTables returns the places of words of jump tables that belong to a definition which a link
// of 12.8 or 12.9 replaced. Such a link keeps the table and its records, whose addends are places in code
// that is gone, and leaves its words zero on both sides. No case of a switch is at the first
// instruction, so that no other table has such a word; one word alone isn't taken for a table.
//
// Source: 772 links by nvJitLink 12.8.93 and 12.9.86, of which 11 have such tables.
func (c *checker) lostTables(target int, merc []cubin.Reloc) map[uint64]bool {
	if !c.old || !c.image() {
		return nil
	}
	var lost map[uint64]bool
	for i := 0; i < len(merc); {
		n := i
		for n < len(merc) && merc[n].Symbol == merc[i].Symbol && merc[n].Off == merc[i].Off+4*uint64(n-i) && c.zeroCode(target, &merc[n]) {
			n++
		}
		if n-i >= leastTable {
			if lost == nil {
				lost = map[uint64]bool{}
			}
			for k := i; k < n; k++ {
				lost[merc[k].Off] = true
			}
		}
		i = max(n, i+1)
	}
	return lost
}

// zeroCode reports whether a record is for a word of code addresses that is zero on both sides.
func (c *checker) zeroCode(target int, r *cubin.Reloc) bool {
	if r.Type != cuda.R_MERCURY_PROG_REL32 {
		return false
	}
	for _, section := range [...]int{target, c.m.Counterpart(target)} {
		b, ok := cubin.Window(c.m.Sections[section].Content, r.Off, 4)
		if !ok || number(b) != 0 {
			return false
		}
	}
	return true
}
