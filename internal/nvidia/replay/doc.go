// Package replay puts recorded answers of NVIDIA's tools in the tools' place, so
// that a test of a program that asks them runs where there are none.
//
// A package whose tests call [Use] has
//
//	func TestMain(m *testing.M) { replay.Main(m) }
//
// An answer belongs to a tool, its release, its arguments and the bytes of the
// files that they name: a question that differs in anything has none, and fails
// the test, as does an answer that nobody asked for. So what is asked is held
// exact, and what comes of the answers is for the test to judge.
//
// [Both] asks the tools as well, where they are installed.
//
// With "go test -args -record" the tools themselves answer, and what they say is
// kept. They are looked for as everywhere in the project.
package replay
