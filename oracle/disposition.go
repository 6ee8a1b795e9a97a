package oracle

import "github.com/twinlink/twinlink/cuda"

// What becomes of a record in a final link.
//
// The resolver class that the field's tables give a type (LINKER, DRIVER,
// EITHER) is not the rule by which nvlink acts. The symbol decides first: a
// record against a global variable or a function is kept whatever its type,
// even one that clears its place or closes the table. Against a symbol whose
// address the linker knows, LINKER and EITHER types are patched, DRIVER types
// kept, and where the symbol does not reach the output (shared variables,
// kernel parameters) the record that should be kept ends the link.
//
// Source: one-record links, every type against every kind of symbol below,
// nvlink 11.8.89 (sm_52, 75, 90), 12.4.131 (the same), 13.0.88 and 13.5.37
// (sm_75, 90; R_MERCURY in the data sections of sm_100). In a capsule the
// finalizer has a word as well; that is not told here.

// SymbolKind is what decides over a record besides its type.
type SymbolKind uint8

const (
	Constant SymbolKind = iota + 1 // in a constant bank; also a section symbol of anything but global memory
	Hidden                         // known but not in the output: shared variable, kernel parameter
	Global                         // in .nv.global or .nv.global.init, section symbols too
	Function                       // defined and live, kernel or not
	Texture                        // texture, sampler or surface
	// SharedSection is the section symbol of shared memory.
	SharedSection
	// Dead is a function that has no place in the output unless the record gives
	// it one: nothing that is reached calls it, whether it is defined or not.
	Dead
)

// Action is what the tool does with a record.
type Action uint8

const (
	Patches   Action = iota + 1 // by the recipe of Disposition.As; the record is removed
	Keeps                       // the record stays, with the type Disposition.As; the place is untouched
	Drops                       // the record is removed, the place is untouched
	Refuses                     // the link ends with a message
	Crashes                     // the link ends with a signal
	Finalizes                   // the record stays, and the finalizer patches the place by the recipe of Disposition.As
)

var actionNames = [...]string{"?", "patches", "keeps", "drops", "refuses", "crashes", "finalizes"}

// String returns the action as a verb.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return "?"
}

// Disposition is the end of a record.
type Disposition struct {
	Action Action
	As     uint32 // Patches, Keeps: the number that counts; Keeps with 0: the record is blanked
	Why    Reason // Refuses
}

// Release is a toolkit release as e_version counts: 118 for 11.8, 124, 130, 135.
type Release uint32

const (
	// The unified types are renamed since some release after 11.8.
	renamesUnified Release = 119
	// ABS56_16_34 and CONST_FIELD22_37 came with the release that has 116
	// types; before it the table ended at 114.
	hasSplit56 Release = 119
	// From 13.5 on a number is checked before its symbol is looked at.
	checksNumber Release = 135
	// From 13.5 on the finalizer patches data as well as code.
	finalizesData Release = 135
)

// forwardProgress is the first architecture whose threads always go on, where
// the records that turn YIELD into NOP are dropped.
const forwardProgress = 70

// DispositionOf says what becomes of a record of a type against a kind of symbol, in
// a final link for an architecture (its SM number) by a release of nvlink. The
// error is a *[Refusal] of kind [UnknownType].
func DispositionOf(number uint32, kind SymbolKind, release Release, sm int) (Disposition, error) {
	r, err := RecipeOf(number)
	if err != nil {
		return Disposition{}, err
	}
	if release >= renamesUnified {
		r, _ = RecipeOf(rename(number))
	}
	if r.Sentinel && release >= checksNumber {
		return Disposition{Action: Refuses, Why: UnexpectedType}, nil
	}
	if number == cuda.R_MERCURY_NONE && release < checksNumber {
		return Disposition{Action: Refuses, Why: UnexpectedNone}, nil
	}
	if describesFunction(r.Number) && kind != Function && kind != Dead {
		return Disposition{Action: Crashes}, nil
	}
	if release >= finalizesData && r.Resolver == cuda.ResolverFinalizer && kind != Hidden {
		return Disposition{Action: Finalizes, As: r.Number}, nil
	}
	switch kind {
	case Function:
		if len(r.steps) == 0 && !r.Sentinel && r.Number < cuda.MercuryBase || clearsUnused(r.Number) {
			return Disposition{Action: Drops}, nil
		}
		return Disposition{Action: Keeps, As: r.Number}, nil
	case Dead:
		return deadDisposition(r), nil
	case Global:
		return Disposition{Action: Keeps, As: r.Number}, nil
	case Texture:
		if r.Number != number {
			return Disposition{Action: Keeps, As: r.Number}, nil
		}
		return textureDisposition(r, release, sm), nil
	}
	return knownDisposition(r, kind, release, sm), nil
}

// knownDisposition is the rule for symbols whose address the linker knows.
func knownDisposition(r *Recipe, kind SymbolKind, release Release, sm int) Disposition {
	switch {
	case r.Sentinel || isLate(r.Number) && release < hasSplit56:
		return Disposition{Action: Refuses, Why: UnexpectedType}
	case pcRelative(r.Number):
		return Disposition{Action: Refuses, Why: OtherSection}
	case len(r.steps) == 0 || yields(r.Number) && sm >= forwardProgress:
		return Disposition{Action: Drops}
	case clearsUnused(r.Number) && kind != Hidden:
		return Disposition{Action: Drops}
	case r.Resolver != cuda.ResolverLinker && r.Resolver != cuda.ResolverEither:
		if kind != Constant {
			return Disposition{Action: Refuses, Why: DeletedSymbol}
		}
		return Disposition{Action: Keeps, As: r.Number}
	}
	return Disposition{Action: Patches, As: r.Number}
}

// deadDisposition is the rule for functions that nothing reaches. A descriptor counts
// as taking the address, and the function lives; its byte lanes don't.
func deadDisposition(r *Recipe) Disposition {
	switch {
	case describesFunction(r.Number):
		return Disposition{Action: Keeps, As: r.Number}
	case clearsUnused(r.Number):
		return Disposition{Action: Patches, As: r.Number}
	}
	return Disposition{Action: Drops}
}

// textureDisposition is the rule for textures: the offset of the bindless slot goes
// into instruction fields, and the driver is left what looks like data.
func textureDisposition(r *Recipe, release Release, sm int) Disposition {
	switch {
	case isLate(r.Number) && release < hasSplit56:
		return Disposition{Action: Keeps, As: r.Number}
	case clearsUnused(r.Number):
		return Disposition{Action: Keeps}
	case pcRelative(r.Number):
		return Disposition{Action: Refuses, Why: OtherSection}
	case yields(r.Number) && sm >= forwardProgress:
		return Disposition{Action: Drops}
	case r.Resolver == cuda.ResolverLinker || wholeWordInstruction(r.Number):
		return Disposition{Action: Patches, As: r.Number}
	}
	return Disposition{Action: Keeps, As: r.Number}
}

// rename returns the type that a unified type is turned into, or the number.
func rename(number uint32) uint32 {
	switch {
	case number == cuda.R_CUDA_UNIFIED:
		return cuda.R_CUDA_64
	case number == cuda.R_CUDA_UNIFIED_32:
		return cuda.R_CUDA_32
	case number >= cuda.R_CUDA_UNIFIED_8_0 && number <= cuda.R_CUDA_UNIFIED_8_56:
		return number - cuda.R_CUDA_UNIFIED_8_0 + cuda.R_CUDA_8_0
	case number == cuda.R_CUDA_UNIFIED32_LO_32:
		return cuda.R_CUDA_ABS32_LO_32
	case number == cuda.R_CUDA_UNIFIED32_HI_32:
		return cuda.R_CUDA_ABS32_HI_32
	case number == cuda.R_MERCURY_UNIFIED:
		return cuda.R_MERCURY_ABS64
	case number == cuda.R_MERCURY_UNIFIED_32:
		return cuda.R_MERCURY_ABS32
	case number >= cuda.R_MERCURY_UNIFIED_8_0 && number <= cuda.R_MERCURY_UNIFIED_8_56:
		return number - cuda.R_MERCURY_UNIFIED_8_0 + cuda.R_MERCURY_8_0
	case number == cuda.R_MERCURY_UNIFIED32_LO:
		return cuda.R_MERCURY_ABS32_LO
	case number == cuda.R_MERCURY_UNIFIED32_HI:
		return cuda.R_MERCURY_ABS32_HI
	}
	return number
}

// isLate names the types that 11.8 does not know.
func isLate(n uint32) bool {
	return n == cuda.R_CUDA_ABS56_16_34 || n == cuda.R_CUDA_CONST_FIELD22_37
}

func clearsUnused(n uint32) bool {
	return n == cuda.R_CUDA_UNUSED_CLEAR32 || n == cuda.R_CUDA_UNUSED_CLEAR64 || n == cuda.R_MERCURY_UNUSED_CLEAR64
}

func yields(n uint32) bool {
	return n == cuda.R_CUDA_YIELD_OPCODE9_0 || n == cuda.R_CUDA_YIELD_CLEAR_PRED4_87
}

func pcRelative(n uint32) bool {
	return n == cuda.R_CUDA_PCREL_IMM24_26 || n == cuda.R_CUDA_PCREL_IMM24_23
}

// describesFunction names the types that kill the tool where their symbol is
// not a function; the byte lanes of a descriptor are not among them.
func describesFunction(n uint32) bool {
	switch n {
	case cuda.R_CUDA_FUNC_DESC32_23, cuda.R_CUDA_FUNC_DESC32_LO_23, cuda.R_CUDA_FUNC_DESC32_HI_23,
		cuda.R_CUDA_FUNC_DESC_32, cuda.R_CUDA_FUNC_DESC_64,
		cuda.R_CUDA_FUNC_DESC32_20, cuda.R_CUDA_FUNC_DESC32_LO_20, cuda.R_CUDA_FUNC_DESC32_HI_20,
		cuda.R_CUDA_FUNC_DESC32_32, cuda.R_CUDA_FUNC_DESC32_LO_32, cuda.R_CUDA_FUNC_DESC32_HI_32,
		cuda.R_MERCURY_FUNC_DESC_64:
		return true
	}
	return false
}

// wholeWordInstruction names the EITHER types that are patched against a
// texture: 32 bits (Mercury: 16 and 32) that can only be an instruction's.
func wholeWordInstruction(n uint32) bool {
	switch n {
	case cuda.R_CUDA_ABS32_26, cuda.R_CUDA_ABS32_23, cuda.R_CUDA_ABS32_20, cuda.R_CUDA_ABS32_32,
		cuda.R_MERCURY_ABS32, cuda.R_MERCURY_ABS16:
		return true
	}
	return false
}

// TakesBindlessSlot reports whether a record of this type, patched against a
// texture, sampler or surface, gets the offset of its bindless slot in constant
// bank 0. The other types that are patched find the symbol undefined: S is 0
// and the section type 0, which makes 28 of a bank field.
//
// Seen for every type that is patched, nvlink 11.8.89 to 13.5.37.
func TakesBindlessSlot(number uint32) bool {
	switch number {
	case cuda.R_CUDA_TEX_BINDLESSOFF13_32, cuda.R_CUDA_TEX_BINDLESSOFF13_47,
		cuda.R_CUDA_TEX_BINDLESSOFF13_41, cuda.R_CUDA_TEX_BINDLESSOFF13_45,
		cuda.R_CUDA_BINDLESSOFF13_36, cuda.R_CUDA_BINDLESSOFF14_40,
		cuda.R_CUDA_CONST_FIELD19_28, cuda.R_CUDA_CONST_FIELD19_23, cuda.R_CUDA_CONST_FIELD19_26,
		cuda.R_CUDA_CONST_FIELD19_20, cuda.R_CUDA_CONST_FIELD19_40, cuda.R_CUDA_CONST_FIELD22_37,
		cuda.R_CUDA_CONST_FIELD21_23, cuda.R_CUDA_CONST_FIELD21_20, cuda.R_CUDA_CONST_FIELD21_38,
		cuda.R_CUDA_ABS16_26, cuda.R_CUDA_ABS16_23, cuda.R_CUDA_ABS16_20, cuda.R_CUDA_ABS16_32:
		return true
	}
	return wholeWordInstruction(number)
}
