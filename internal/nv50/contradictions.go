package nv50

// Contradiction is a place where the page's formulas and sentences part.
type Contradiction struct {
	ID      string
	Formula string   // what the formula says
	Prose   string   // what the sentence says
	Claims  []string // rows of the ledger
}

// Contradictions are all that were found. Each has a test that shows it with
// values from both sides.
var Contradictions = []Contradiction{
	{
		"local-precedence",
		"the last line of local_address is `… + (laneid >> 4) * 0x100 + (addr & 0xc) << 4 | (laneid & 0xf) << 2 | (addr & 3)`: in C + comes before <<, so the whole sum is shifted by 4",
		"the bits inside a block are joined first: with parentheses around the three terms joined by |, the line and the list of bits agree everywhere",
		[]string{"NV-059", "NV-060"},
	},
	{
		"grouping-alignment",
		"below NVA0 the functions round the number of TPs alone up to a power of two",
		"\"Pre-NVA0 cards align each such grouping to POT size\": the MPs of a warp too, which shows where a TP has three",
		[]string{"NV-053", "NV-054"},
	},
	{
		"lanes-of-a-block",
		"local_address takes the size of a block from WARP_HALVES alone",
		"32 lanes need method 0x2b8 set to 1 as well, and bit 8 is there \"only if 32 lanes/warp enabled\"",
		[]string{"NV-057", "NV-062", "NV-091"},
	},
	{
		"warp-bits",
		"any number of bits for the warp id but 7 is taken as it is",
		"5 and 6 are invalid",
		[]string{"NV-052", "NV-068"},
	},
	{
		"clamp",
		"the functions mask the warp's id always",
		"with NO_CLAMP 0 a warp whose id doesn't fit isn't run: it has no address",
		[]string{"NV-052", "NV-069"},
	},
	{
		"inactive",
		"the functions give the context of an inactive TP or MP the address of the next active one",
		"space is carved out for active ones: an inactive one has none",
		[]string{"NV-048", "NV-049"},
	},
	{
		"through",
		"the example and $r0's fields take the coordinates 0 to blockdim-1",
		"\"in range (0,0,0) through (blockdim.z, blockdim.y, blockdim.x)\" has one more in each direction",
		[]string{"NV-095", "NV-097"},
	},
	{
		"pitch",
		"GLOBAL_PITCH is multiplied by Y >> TILE_SHIFT, and the text says \"distance between start of consecutive rows of tiles\"",
		"the table of methods says \"Surface pitch for 2D surface\": from a line to the next",
		[]string{"NV-106", "NV-110"},
	},
}

func contradiction(id string) []string { return []string{id} }
