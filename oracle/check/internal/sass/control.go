package sass

import "github.com/twinlink/twinlink/oracle/check/internal/image"

// NoBoard is where a word counts in no scoreboard.
const NoBoard = 7

// Always is the guard of a word that is executed by all.
const Always = 7

// Control is the scheduling field of a word.
type Control struct {
	Stall, Write, Read, Wait uint64
}

// ControlOf reads the field of a word.
func ControlOf(word []byte) Control {
	high := image.Number(word, 8, 8) >> (ControlFirst - 64)
	return Control{Stall: high % 16, Write: high >> 5 % 8, Read: high >> 8 % 8, Wait: high >> 11 % 64}
}

// Soundness is whether a word may be where it does.
type Soundness uint8

const (
	Sound Soundness = iota
	Unsound
	Unknown
)
