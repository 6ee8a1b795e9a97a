package corpus

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

type fieldAt struct{ at, width uint64 }

var (
	sectionFields = map[string]fieldAt{"name": {0, 4}, "type": {4, 4}, "flags": {8, 8}, "addr": {16, 8}, "offset": {24, 8}, "size": {32, 8},
		"link": {40, 4}, "info": {44, 4}, "align": {48, 8}, "entsize": {56, 8}}
	symbolFields = map[string]fieldAt{"name": {0, 4}, "info": {4, 1}, "other": {5, 1}, "shndx": {6, 2}, "value": {8, 8}, "size": {16, 8}}
)

const mercurySymtab = 0x70000085

// Edit changes an object in place by a line of text, so that a list of wrong objects is data: a recorded object, an edit,
// and what a check has to say to it. Several edits are divided by semicolons.
//
//	section 5 size + 16        a field of a section header: + adds, ^ is exclusive or, = sets
//	symbol 7 shndx = 65522     a field of an entry of .symtab
//	mercury 7 size ^ 16        of .nv.merc.symtab
//	byte 5 32 ^ 1              a byte of a section
//	word 5 32 + 1              four bytes of one
//	file 48 ^ 1                four bytes of the file
func Edit(out []byte, text string) error {
	for one := range strings.SplitSeq(text, ";") {
		if err := editOnce(out, strings.Fields(one)); err != nil {
			return err
		}
	}
	return nil
}

func editOnce(out []byte, w []string) error {
	if len(w) < 4 {
		return fmt.Errorf("corpus: an edit: %q is none", w)
	}
	n, err := strconv.ParseUint(w[1], 0, 64)
	if err != nil {
		return err
	}
	header := func(i, field, width uint64) uint64 {
		return little(out, little(out, 40, 8)+64*i+field, width)
	}
	table := func(kind uint64) uint64 {
		for i := range little(out, 60, 2) {
			if header(i, 4, 4) == kind {
				return header(i, 24, 8)
			}
		}
		return 1 << 62
	}
	var at, width uint64
	switch w[0] {
	case "section":
		f := sectionFields[w[2]]
		at, width = little(out, 40, 8)+64*n+f.at, f.width
	case "symbol", "mercury":
		f := symbolFields[w[2]]
		at, width = table(map[string]uint64{"symbol": 2, "mercury": mercurySymtab}[w[0]])+24*n+f.at, f.width
	case "byte", "word":
		off, err := strconv.ParseUint(w[2], 0, 64)
		if err != nil {
			return err
		}
		at, width = header(n, 24, 8)+off, map[string]uint64{"byte": 1, "word": 4}[w[0]]
	case "file":
		at, width = n, 4
	}
	value, err := strconv.ParseUint(w[len(w)-1], 0, 64)
	if err != nil || width == 0 || at > uint64(len(out)) || at+width > uint64(len(out)) {
		return fmt.Errorf("corpus: an edit: %q has no place", w)
	}
	switch old := little(out, at, width); w[len(w)-2] {
	case "+":
		value += old
	case "^":
		value ^= old
	case "=":
	default:
		return fmt.Errorf("corpus: an edit: %q does nothing", w)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	copy(out[at:], b[:width])
	return nil
}

// little is a number of a file, 0 after its end.
func little(b []byte, at, width uint64) uint64 {
	if at > uint64(len(b)) || width > uint64(len(b))-at {
		return 0
	}
	var v uint64
	for i := range width {
		v |= uint64(b[at+i]) << (8 * i)
	}
	return v
}

// RandomEdit returns an edit of an object.
func RandomEdit(out []byte, r *rand.Rand) string {
	shoff, shnum := little(out, 40, 8), little(out, 60, 2)
	section := 1 + r.Uint64N(max(shnum, 2)-1)
	size := little(out, shoff+64*section+32, 8)
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	change := func() string {
		return pick("+ 1", "+ 4", "+ 8", "+ 16", "+ 18446744073709551608", "+ 18446744073709551600", "^ 1", "^ 2", "^ 4", "^ 16", "^ 32", "^ 128", "= 0", "= 1")
	}
	other := fmt.Sprint("= ", 1+r.Uint64N(max(shnum, 2)-1))
	symbols := uint64(1)
	for i := range shnum {
		if t := little(out, shoff+64*i+4, 4); t == 2 || t == mercurySymtab && r.IntN(2) == 0 {
			symbols = max(little(out, shoff+64*i+32, 8)/24, 1)
		}
	}
	symbol := r.Uint64N(symbols)
	table := pick("symbol", "symbol", "mercury")
	switch n := r.IntN(32); {
	case n < 2:
		return fmt.Sprintf("section %d type %s", section, pick("= 0", "= 1", "= 2", "= 3", "= 8", "= 0x70000000", "= 0x70000001", "= 0x70000007", "= 0x70000008", "= 0x70000064", "^ 1", "= 0x7000000a", "= 7"))
	case n < 4: // another's name
		return fmt.Sprintf("section %d name = %d", section, little(out, shoff+64*(1+r.Uint64N(max(shnum, 2)-1)), 4)+r.Uint64N(2)*r.Uint64N(6))
	case n < 9:
		return fmt.Sprintf("section %d %s %s", section, pick("flags", "addr", "size", "size", "info", "align", "entsize", "link"), change())
	case n < 10:
		return fmt.Sprintf("section %d %s %s", section, pick("link", "info"), other)
	case n < 11:
		return fmt.Sprintf("section %d size = %d", section, r.Uint64N(size+1))
	case n < 16:
		return fmt.Sprintf("%s %d %s %s", table, symbol, pick("name", "info", "other", "shndx", "value", "size"), change())
	case n < 17:
		return fmt.Sprintf("%s %d shndx %s", table, symbol, other)
	case n < 18:
		return fmt.Sprintf("file %d %s", r.Uint64N(16)*4, change())
	case n < 26 && size > 0:
		return fmt.Sprintf("byte %d %d ^ %d", section, r.Uint64N(size), 1<<r.IntN(8))
	case size > 4:
		return fmt.Sprintf("word %d %d %s", section, r.Uint64N(size/4)*4, change())
	}
	return fmt.Sprintf("section %d size %s", section, change())
}
