// Package fuzz sets the witnesses against each other on inputs nobody wrote.
//
// Three roles, three names. A generator turns bytes into a case; a judge turns a
// case into a *[Divergence] or nil; a target, in targets_test.go, is the few
// lines between the two and "go test -fuzz". Generators and judges are ordinary
// code, outside the test files, so that other builds (OSS-Fuzz) find them.
//
//	target             a case is                              judged by
//	FuzzRelocation     one record, by all 181 types           engine/descriptor, oracle, internal/documents
//	FuzzDescriptor     any 64 bytes as a descriptor           engine/descriptor, internal/documents
//	FuzzContainer      any bytes as a file                    cubin and dump on themselves
//	FuzzLink           a real link, its inputs changed        engine on itself
//	FuzzMix            real programs linked together          engine, oracle/check, and nvlink at times
//	FuzzObjects        a link of objects made from bytes      engine, oracle/check
//	FuzzPrograms       recorded programs, any options         engine, oracle/check
//	FuzzEdits          a recorded link, fields changed        engine and oracle/check on themselves
//	FuzzMetamorphic    a link, and changes that mean nothing  engine on itself
//	FuzzInfo           any bytes as .nv.info                  cubin on itself
//	FuzzCapsule        a real capsule, changed                capsule on itself
//	FuzzSelfcheck      a real object, changed                 selfcheck on itself
//	FuzzLive           objects, programs, PTX                 engine and nvJitLink or nvlink
//	FuzzCommandLine    words and options                      cmdline on itself
//
// What is new to a fuzzer of this kind is in two places. The inputs are
// short: a real cubin of some kilobytes as input starves the fuzzing engine,
// which spends its time on shrinking it, so a case names a link of the corpus and
// the changes to it (mutate.go). And an execution judges many cases at once,
// since starting one costs a hundred times what comparing a field does.
//
// What a target finds is saved under testdata (save.go), made smaller by "twinlink
// reduce" and put into the corpus by "twinlink promote".
//
// [Writer] is the counterpart of [Reader], so that what is known can become a seed.
package fuzz
