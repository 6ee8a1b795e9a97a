package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// perForm is the number of records that a form's rules are tried on.
const perForm = 96

// extend tries the rules of a table on an SM that they were not learned for, and
// returns the table with the SM added to the forms for which nvlink gives what
// they say.
func extend(ctx context.Context, text string, sm int, samples map[uint32][]learn.Sample) (string, error) {
	tools, err := probe.Tools(ctx)
	if err != nil {
		return "", err
	}
	o, err := newOracle(ctx, tools, sm)
	if err != nil {
		return "", err
	}
	blocks := blocksOf(text)
	have := map[uint32]bool{}
	for _, b := range blocks {
		if slices.Contains(b.sms, sm) {
			have[b.tag] = true
		}
	}
	for i := range blocks {
		b := &blocks[i]
		if b.tag == 0 || have[b.tag] {
			continue
		}
		one, err := mercury.Parse(strings.Join(b.lines, ""))
		if err != nil {
			return "", err
		}
		r, err := ask(ctx, o, one, b, samples[b.tag])
		if err != nil {
			return "", err
		}
		if r.holds() {
			have[b.tag] = true
			b.add(sm)
		}
		fmt.Fprintf(os.Stderr, "%08x of %v on sm_%d: %t, %d records\n", b.tag, b.sms, sm, r.holds(), r.answered)
	}
	var out strings.Builder
	for _, b := range blocks {
		out.WriteString(strings.Join(b.lines, ""))
	}
	return out.String(), nil
}

// verify tries the rules of some tags, or of one form in so many, on the SMs that
// they are for, and reports those for which nvlink gives something else.
func verify(ctx context.Context, text string, only []uint32, every int, samples map[uint32][]learn.Sample, drop string) error {
	tools, err := probe.Tools(ctx)
	if err != nil {
		return err
	}
	oracles := map[int]*probe.Oracle{}
	for _, sm := range asked {
		if oracles[sm], err = newOracle(ctx, tools, sm); err != nil {
			return err
		}
	}
	bad, good, silent := 0, 0, 0
	blocks := blocksOf(text)
	for i := range blocks {
		b := &blocks[i]
		if b.tag == 0 || b.release != nvlinkRelease || len(only) > 0 && !slices.Contains(only, b.tag) || every > 1 && i%every != 0 {
			continue
		}
		one, err := mercury.Parse(strings.Join(b.lines, ""))
		if err != nil {
			return err
		}
		for _, sm := range b.sms {
			own := *b
			own.sms = []int{sm}
			r, err := ask(ctx, oracles[sm], one, &own, samples[b.tag])
			if err != nil {
				return err
			}
			switch {
			case r.other != nil:
				bad++
				b.wrong = append(b.wrong, sm)
				fmt.Fprintf(os.Stderr, "%08x on sm_%d: other words of %x\n", b.tag, sm, r.other)
			case r.answered > 0:
				good++
			default:
				silent++
				fmt.Fprintf(os.Stderr, "%08x on sm_%d: no answer to %d records\n", b.tag, sm, r.asked)
			}
		}
	}
	fmt.Fprintf(os.Stderr, "of %d forms on an SM %d hold, %d don't, %d weren't answered\n", good+bad+silent, good, bad, silent)
	switch {
	case bad > 0 && drop != "":
		return os.WriteFile(drop, []byte(withoutWrong(blocks)), 0o644)
	case bad > 0:
		return fmt.Errorf("%d forms differ on an SM", bad)
	}
	return nil
}

// withoutWrong is a table without the SMs on which forms are wrong.
func withoutWrong(blocks []block) string {
	var out strings.Builder
	for i := range blocks {
		b := &blocks[i]
		left := slices.DeleteFunc(slices.Clone(b.sms), func(sm int) bool { return slices.Contains(b.wrong, sm) })
		if len(b.wrong) > 0 && len(left) == 0 {
			continue
		}
		if len(b.wrong) > 0 {
			b.setSMs(left)
		}
		out.WriteString(strings.Join(b.lines, ""))
	}
	return out.String()
}

// block is the lines of a form in a table; tag is 0 for other lines.
type block struct {
	tag     uint32
	sms     []int
	release string // of which the words are
	wrong   []int  // SMs on which nvlink has them otherwise
	lines   []string
}

func blocksOf(text string) []block {
	var blocks []block
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(blocks) == 0 || f[0] == "form" || f[0] == "plain" {
			blocks = append(blocks, block{})
		}
		b := &blocks[len(blocks)-1]
		b.lines = append(b.lines, line)
		if f[0] == "form" {
			tag, _ := strconv.ParseUint(f[1], 16, 32)
			b.tag, b.release = uint32(tag), f[3]
			for s := range strings.SplitSeq(f[2], ",") {
				n, _ := strconv.Atoi(s)
				b.sms = append(b.sms, n)
			}
		}
	}
	return blocks
}

func (b *block) add(sm int) {
	b.sms = append(b.sms, sm)
	slices.Sort(b.sms)
	b.setSMs(b.sms)
}

func (b *block) setSMs(sms []int) {
	b.sms = sms
	var list []string
	for _, s := range b.sms {
		list = append(list, strconv.Itoa(s))
	}
	f := strings.Split(b.lines[0], "\t")
	f[2] = strings.Join(list, ",")
	b.lines[0] = strings.Join(f, "\t")
}

// trial is what nvlink answered about the rules of a form.
type trial struct {
	asked, answered int
	other           []byte // the first record that represents other words
}

// holds reports whether enough was answered, and all as the rules say.
func (t trial) holds() bool { return t.other == nil && t.answered >= min(t.asked, 8) && t.answered > 0 }

// ask asks nvlink about records that the rules of a form know.
func ask(ctx context.Context, o *probe.Oracle, t *mercury.Table, b *block, samples []learn.Sample) (trial, error) {
	sm := cuda.SM(b.sms[0])
	rng := rand.New(rand.NewPCG(uint64(b.tag), 7))
	var records [][]byte
	seen := map[string]bool{}
	try := func(r []byte) {
		if !seen[string(r)] && t.Words(sm, r) > 0 && len(records) < perForm {
			seen[string(r)] = true
			records = append(records, r)
		}
	}
	for _, k := range rng.Perm(len(samples)) {
		if len(records) < perForm/3 {
			try(samples[k].Record)
		}
	}
	own := len(records)
	for n := 0; own > 0 && n < 4000 && len(records) < perForm; n++ {
		r := slices.Clone(records[rng.IntN(own)])
		for range 1 + rng.IntN(12) {
			was := slices.Clone(r)
			if n%2 == 0 {
				bit := 32 + rng.IntN(8*len(r)-32)
				r[bit/8] ^= 1 << (bit % 8)
			} else {
				otherRegister(r, rng)
			}
			if t.Words(sm, r) == 0 {
				copy(r, was)
			}
		}
		try(r)
	}
	if k := slices.IndexFunc(records, ofKernel); k >= 0 {
		return trial{asked: len(records), other: records[k]}, nil
	}
	nodes := make([]probe.Node, len(records))
	for i, r := range records {
		nodes[i].Record = r
	}
	answers, err := o.Ask(ctx, nodes)
	if err != nil {
		return trial{}, err
	}
	result := trial{asked: len(records)}
	for i, a := range answers {
		if a.Kind != 'R' && a.Kind != 'M' && a.Kind != 'P' || a.Kind == 'R' && !bytes.Equal(a.Record, records[i]) {
			continue // nvlink would not write such a record
		}
		if nothing(a.Words) {
			continue
		}
		result.answered++
		if as(t, sm, records[i], a.Words) && (a.Other == nil || as(t, sm, records[i], a.Other)) {
			continue
		}
		// After many calls of the driver nvlink cuts one at other words than its own.
		alone, err := o.Ask(ctx, nodes[i:i+1])
		if err != nil {
			return trial{}, err
		}
		if !as(t, sm, records[i], alone[0].Words) || alone[0].Other != nil && !as(t, sm, records[i], alone[0].Other) {
			result.other = records[i]
			break
		}
	}
	return result, nil
}

// nothing reports whether one of the words is none: opcode 0 is what nvlink makes of modifiers that
// mean nothing.
func nothing(words []byte) bool {
	for at := 0; at+16 <= len(words); at += 16 {
		if binary.LittleEndian.Uint16(words[at:]) == 0 {
			return true
		}
	}
	return false
}

// otherRegister gives what may be an operand RZ, the register of another one, or any.
func otherRegister(r []byte, rng *rand.Rand) {
	const first, width, RZ = 86, 10, 0x3ff
	operand := func() int { return first + 8*rng.IntN((8*len(r)-first-width)/8+1) }
	value := rng.IntN(0xff)
	switch rng.IntN(3) {
	case 0:
		value = RZ
	case 1:
		from := operand()
		value = int(binary.LittleEndian.Uint16(r[from/8:]) >> 6)
	}
	at := operand() / 8
	v := binary.LittleEndian.Uint16(r[at:])
	binary.LittleEndian.PutUint16(r[at:], v&0x3f|uint16(value)<<6)
}

// as reports whether a record stands for words, by the rules.
func as(t *mercury.Table, sm cuda.SM, record, sass []byte) bool {
	got := learn.Out(sass)
	n := t.Words(sm, record)
	if len(got.Bits) != 2*n {
		return false
	}
	words, want, mask := make([]mercury.Word, n), make([]mercury.Word, n), make([]mercury.Word, n)
	for k := range words {
		words[k] = mercury.Word{Lo: got.Bits[2*k], Hi: got.Bits[2*k+1]}
	}
	if t.Decode(sm, record, words, want, mask) != mercury.Known {
		return false
	}
	for k := range words {
		if (words[k].Lo^want[k].Lo)&mask[k].Lo != 0 || (words[k].Hi^want[k].Hi)&mask[k].Hi != 0 {
			return false
		}
	}
	return true
}
