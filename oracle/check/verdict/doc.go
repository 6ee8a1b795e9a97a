// Package verdict has what a check is asked and what it answers: [Input] and [Options],
// and [Verdict] with its [Finding]s. Package check has all of it under the same names.
package verdict
