// Package oracle is the second opinion on what a relocation does.
//
// It is the slow reading: every type is a recipe in a notation that a person
// can check against a manual, a field is read and written one bit after the
// other, and values are whole numbers of any length. It is written apart from
// the engine and shares with it nothing but package cuda (numbers and names);
// where the two agree, they agree because the facts do.
//
//	out, err := oracle.Apply(cuda.R_CUDA_CONST_FIELD19_28, place, oracle.Inputs{
//		Rela: true, S: 0x38, A: 8, SectionType: 0x70000064 + 3,
//	})
//
// [RecipeOf] gives a type's recipe, [Apply] carries it out, [Trace] does so
// step by step, and [DispositionOf] says whether the device linker carries it out at
// all or leaves the record to the driver. Package internal/documents is the other
// half: the 64-byte descriptors of the seed documents, followed to the letter.
//
// Whatever the arguments, nothing here panics, and the work done is bounded by
// the width of the fields of one type (128 bits).
package oracle
