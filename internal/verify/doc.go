// Package verify puts one link to the three witnesses and says whether they
// agree: the engine links, the oracle judges what came out by what went in, and
// NVIDIA's nvlink links the same where it is installed or was recorded.
//
//	tools, _ := witness.Find(ctx, witness.Options{})
//	row := verify.Ask(ctx, &verify.Question{Args: []string{"-arch=sm_90"}, Inputs: files}, tools)
//
// The answer is a [report.Row]. A link agrees where the oracle accepts the
// output and nvlink's bytes are the engine's, or where both refuse the inputs
// with the same words. An output that is given instead of made, by whatever
// linker, agrees where the oracle accepts it.
package verify
