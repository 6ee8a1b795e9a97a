// Package condition is what the conditions of a program become while package power counts them: each says what it
// came to, and one of them may be made to fail. No production code imports it but by an overlay of the go command.
package condition

import (
	"cmp"
	"os"
	"strconv"
)

// What a condition did, as bits of Seen.
const (
	False = 1 << iota
	True
	Equal // both sides of a comparison of order were equal
)

// Seen has what each condition did since it was cleared. Writes from several goroutines write the same.
var Seen []byte

// log is a file with a byte for each condition, which gets what Seen does.
var log = func() *os.File {
	f, err := os.OpenFile(os.Getenv("TWINLINK_CONDITIONS"), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	if info, err := f.Stat(); err == nil {
		Seen = make([]byte, info.Size())
		_, _ = f.ReadAt(Seen, 0)
	}
	return f
}()

// Fault is 3*number+kind+1 of the condition that fails, 0 for none. Kinds: 0 it is always false, 1 it is always true,
// 2 it is turned around where both sides are equal.
var Fault, _ = strconv.Atoi(os.Getenv("TWINLINK_CONDITION"))

// Infects has, by kind of fault, what a condition has to come to for the fault to change it.
var Infects = [3]byte{True, False, Equal}

// Left is how many conditions a program with a fault may come to before it is taken for endless, which is a panic.
var Left int

func saw(n int, what byte) {
	if Fault != 0 {
		if Left--; Left == 0 {
			panic("endless")
		}
	}
	if n < len(Seen) && Seen[n]&what == 0 {
		Seen[n] |= what
		if log != nil {
			_, _ = log.WriteAt(Seen[n:n+1], int64(n))
		}
	}
}

// Is is a condition.
func Is[B ~bool](n int, v B) B {
	if v {
		saw(n, True)
	} else {
		saw(n, False)
	}
	switch Fault - 1 - 3*n {
	case 0:
		return false
	case 1:
		return true
	}
	return v
}

func edge(n int, equal, v bool) bool {
	if !equal {
		return v
	}
	saw(n, Equal)
	return v != (Fault-1-3*n == 2)
}

// Less is a < b, and so on.
func Less[T cmp.Ordered](n int, a, b T) bool { return edge(n, a == b, a < b) }

// LessEqual is a <= b.
func LessEqual[T cmp.Ordered](n int, a, b T) bool { return edge(n, a == b, a <= b) }

// Greater is a > b.
func Greater[T cmp.Ordered](n int, a, b T) bool { return edge(n, a == b, a > b) }

// GreaterEqual is a >= b.
func GreaterEqual[T cmp.Ordered](n int, a, b T) bool { return edge(n, a == b, a >= b) }
