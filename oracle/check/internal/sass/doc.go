// Package sass knows words of code, 16 bytes each: opcode, guard, the scheduling field, which
// registers a word reads and writes, and which words a finalizer may put in or omit. It
// knows no files.
package sass
