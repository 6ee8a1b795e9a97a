package sass

import (
	"encoding/binary"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var registerName = regexp.MustCompile(`\b(UR|UP|R|P)(\d+)\b`)

// listed are the registers that nvdisasm names in a line: general, uniform, predicates,
// uniform predicates.
func listed(text string) (r RegSet, first uint64, any bool) {
	for _, m := range registerName.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseUint(m[2], 10, 8)
		n += map[string]uint64{"R": 0, "UR": uniformBase, "P": predicateBase, "UP": uniformPreds}[m[1]]
		if !any {
			first, any = n, true
		}
		r.Add(n, 1)
	}
	return r, first, any
}

func numbers(r *RegSet) (list []uint64) {
	for n := range uint64(64 * len(r)) {
		if r[n/64]>>(n%64)&1 != 0 {
			list = append(list, n)
		}
	}
	return list
}

// The operands of a word are the registers that nvdisasm names, and those after them
// of an operand of several.
func TestOperands(t *testing.T) {
	text, err := os.ReadFile("testdata/operands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for line := range strings.Lines(string(text)) {
		digits, listing, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		high, err := strconv.ParseUint(digits[:16], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		low, err := strconv.ParseUint(digits[16:], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		word := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, low), high)
		o := OperandsOf(word)
		if !o.Known {
			continue
		}
		judged++
		want, _, _ := listed(listing)
		both := o.Reads
		for i := range both {
			both[i] |= o.Writes[i]
		}
		mine, theirs := numbers(&both), numbers(&want)
		for _, n := range theirs {
			if !slices.Contains(mine, n) {
				t.Errorf("%s: %s: register %d is missing in %v", digits, listing, n, mine)
			}
		}
		for _, n := range mine {
			near := n < predicateBase && slices.ContainsFunc(theirs, func(m uint64) bool { return m <= n && n < m+4 && (m < uniformBase) == (n < uniformBase) })
			if !near && !slices.Contains(theirs, n) {
				t.Errorf("%s: %s: nothing names register %d", digits, listing, n)
			}
		}
		checkResult(t, &o, listing)
	}
	if judged < 200 {
		t.Errorf("only %d words", judged)
	}
}

// checkResult wants the first operand written where it is no address, after which
// brackets stand, no descriptor and no target, and read where it is.
func checkResult(t *testing.T, o *Operands, listing string) {
	guard, rest, guarded := strings.Cut(listing, " ")
	if !guarded || guard[0] != '@' {
		rest = listing
	}
	name, operand, _ := strings.Cut(rest, " ")
	operand, _, _ = strings.Cut(operand, ",")
	base, _, _ := strings.Cut(name, ".")
	switch base {
	case "BRA", "BRX", "BRXU", "RET", "CALL", "BAR", "WARPSYNC", "BMOV", "R2P", "DEPBAR", "BREAK", "BSSY", "BSYNC", "NANOSLEEP", "BPT", "VOTE", "MATCH", "CCTL", "SYNCS", "UBLKCP", "NOP":
		return
	}
	_, first, any := listed(operand)
	if !any || strings.HasPrefix(operand, "desc") {
		return
	}
	var r RegSet
	r.Add(first, 1)
	if strings.Contains(operand, "[") {
		if !o.Reads.Meets(&r) {
			t.Errorf("%s: the address is not read", listing)
		}
	} else if !o.Writes.Meets(&r) {
		t.Errorf("%s: the result is not written", listing)
	}
}

// How many registers operands of images take, as ptxas 13.5.37 lays them out for sm_100:
// with the result in R4 and R5, the address in R4 to R6 and the data from R7 on, say.
func TestImageOperands(t *testing.T) {
	for _, x := range []struct {
		high, low     uint64
		listing       string
		reads, writes []uint64
	}{
		{0x004f6400089e01ff, 0x28ff040004057f60, "TEX.LL RZ, R5, R4, R0, UR4, 2D, 0x1", []uint64{0, 4, 5, 260, 261}, []uint64{5}},
		{0x004f6400089e0707, 0x48ff040704047f60, "TEX.LL R7, R4, R4, R7, UR4, 3D, 0x7", []uint64{4, 5, 6, 7, 260, 261}, []uint64{4, 5, 7}},
		{0x008f6400089e0f06, 0x88ff040604047f60, "TEX.LL R6, R4, R4, R6, UR4, ARRAY_1D", []uint64{4, 5, 6, 260, 261}, []uint64{4, 5, 6, 7}},
		{0x008f6400089e01ff, 0xa8ff040704057f60, "TEX.LL RZ, R5, R4, R7, UR4, ARRAY_2D, 0x1", []uint64{4, 5, 6, 7, 260, 261}, []uint64{5}},
		{0x001f6400089e0f06, 0x68ff04050c047f60, "TEX.LL R6, R4, R12, R5, UR4, CUBE", []uint64{5, 12, 13, 14, 260, 261}, []uint64{4, 5, 6, 7}},
		{0x001f6400089e01ff, 0xe8ff040804057f60, "TEX.LL RZ, R5, R4, R8, UR4, ARRAY_CUBE, 0x1", []uint64{4, 5, 6, 7, 8, 260, 261}, []uint64{5}},
		{0x004f6400081ea900, 0x10ff060000057f99, "SULD.D.BA.1D.STRONG.SM.TRAP R5, [R0], UR6", []uint64{0, 262}, []uint64{5}},
		{0x004f6400081eab00, 0x70ff060002027f99, "SULD.D.BA.2D.64.STRONG.SM.TRAP R2, [R2], UR6", []uint64{2, 3, 262}, []uint64{2, 3}},
		{0x004f6400081ead00, 0xb0ff060004047f99, "SULD.D.BA.3D.128.STRONG.SM.TRAP R4, [R4], UR6", []uint64{4, 5, 6, 262}, []uint64{4, 5, 6, 7}},
		{0x0041e4000810a900, 0x90ff060704007f9d, "SUST.D.BA.2D_ARRAY.STRONG.SM.TRAP [R4], R7, UR6", []uint64{4, 5, 6, 7, 262}, nil},
		{0x0041e4000810ab00, 0x50ff060206007f9d, "SUST.D.BA.1D_ARRAY.64.STRONG.SM.TRAP [R6], R2, UR6", []uint64{2, 3, 6, 7, 262}, nil},
	} {
		o := OperandsOf(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, x.low), x.high))
		if o.Rough || !slices.Equal(numbers(&o.Reads), x.reads) || !slices.Equal(numbers(&o.Writes), x.writes) {
			t.Errorf("%s: rough %v, reads %v, writes %v", x.listing, o.Rough, numbers(&o.Reads), numbers(&o.Writes))
		}
	}
	// A form that was not seen: a texture with an offset.
	if o := OperandsOf(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0x28ff040004057f60), 0x004f6400089e11ff)); !o.Rough {
		t.Error("a form that is not known is taken for one that is")
	}
}

// registersNamed reads names of registers.
func registersNamed(text string) []uint64 {
	r, _, _ := listed(text)
	return numbers(&r)
}

// What a word reads and writes is what nvdisasm has for the lives of registers, which
// lacks the predicates of P2R and R2P.
func TestOperandsByLives(t *testing.T) {
	text, err := os.ReadFile("testdata/operands_lives.tsv")
	if err != nil {
		t.Fatal(err)
	}
	words := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 6 {
			continue
		}
		words++
		o := OperandsOf(wordOf(t, fields[0]))
		reads, writes := registersNamed(fields[4]), registersNamed(fields[5])
		if !o.Known || o.Rough || !slices.Equal(numbers(&o.Reads), reads) || !slices.Equal(numbers(&o.Writes), writes) {
			t.Errorf("%s %s: known %v, rough %v, reads %v for %v, writes %v for %v", fields[0], fields[3], o.Known, o.Rough, numbers(&o.Reads), reads, numbers(&o.Writes), writes)
		}
	}
	if words < 250 {
		t.Errorf("only %d words", words)
	}
}

func wordOf(t *testing.T, digits string) []byte {
	t.Helper()
	var halves [2]uint64
	for i := range halves {
		n, err := strconv.ParseUint(digits[16*i:16*i+16], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		halves[1-i] = n
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, halves[0]), halves[1])
}

// Predicates that a mask names: P2R R14, PR, RZ, 0x2 and R2P PR, R3, 0x41.
func TestOperandsMask(t *testing.T) {
	o := OperandsOf(wordOf(t, "000fe4000000000000000002ff0e7803"))
	if !o.Known || !slices.Equal(numbers(&o.Reads), []uint64{predicateBase + 1}) || !slices.Equal(numbers(&o.Writes), []uint64{14}) {
		t.Errorf("P2R reads %v, writes %v", numbers(&o.Reads), numbers(&o.Writes))
	}
	o = OperandsOf(wordOf(t, "000fda00000000000000004103007804"))
	if !o.Known || !slices.Equal(numbers(&o.Reads), []uint64{3}) || !slices.Equal(numbers(&o.Writes), []uint64{predicateBase, predicateBase + 6}) {
		t.Errorf("R2P reads %v, writes %v", numbers(&o.Reads), numbers(&o.Writes))
	}
}

// A word of a form that the table lacks is unknown: HMMA of a shape that was not seen, a
// UBLKCP with a byte mask, an opcode that nobody has.
func TestOperandsUnknown(t *testing.T) {
	for _, digits := range []string{"000fe2000000f8080000008a8408723c", "0003e2000810042000000006180073ba", "000fe2000000000000000000000073ff"} {
		if o := OperandsOf(wordOf(t, digits)); o.Known {
			t.Errorf("%s is known", digits)
		}
	}
}
