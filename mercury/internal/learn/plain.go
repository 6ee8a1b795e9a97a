package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/mercury/internal/fit"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// Whole is the fields of a SASS word that Mercury widens: registers, in which
// all ones is RZ, and predicates, in which it is PT. mercury.Encode has the same.
var Whole = []fit.Slot{
	{At: 16, Width: 8}, {At: 24, Width: 8}, {At: 32, Width: 8}, {At: 64, Width: 8},
	{At: 12, Width: 3}, {At: 68, Width: 3}, {At: 77, Width: 3}, {At: 81, Width: 3}, {At: 84, Width: 3}, {At: 87, Width: 3},
}

const (
	firstPlain, endPlain = 12, 105 // bits of a word that say more than its opcode
	perOpcode            = 40      // words of one opcode that learning begins with
)

// PlainAsker asks for the Mercury of words of one opcode. The size of each, on
// which the address of what follows it depends, is guessed and put right
// by what comes back.
func PlainAsker(r *probe.Reader) fit.Asker {
	guess := 16
	return func(ctx context.Context, in []fit.Vec) ([]fit.Out, error) {
		out := make([]fit.Out, len(in))
		for _, chunk := range slices.Collect(slices.Chunk(index(len(in)), 512)) {
			open := chunk
			for try := 0; try < 4 && len(open) > 0; try++ {
				size := guess
				if try%2 == 1 {
					size = 48 - guess
				}
				words, sizes := make([][]byte, len(open)), make([]int, len(open))
				for k, i := range open {
					words[k], sizes[k] = in[i].Bytes(16), size
				}
				got, err := r.Records(ctx, words, sizes)
				if err != nil {
					return nil, err
				}
				var rest []int
				other := 0
				for k, i := range open {
					if got[k] == nil {
						rest = append(rest, i)
						continue
					}
					if len(got[k]) != guess {
						other++
					}
					out[i] = record(got[k])
				}
				if 2*other > len(open) {
					guess = 48 - guess
				}
				open = rest
			}
		}
		return out, nil
	}
}

func index(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func record(b []byte) fit.Out {
	v := fit.FromBytes(b)
	return fit.Out{Sig: fmt.Sprintf("%x", b[:4]), Bits: v[:]}
}

// PlainForm learns the Mercury of the PLAIN words of one opcode.
func PlainForm(ctx context.Context, op uint64, words [][]byte, readers map[int]*probe.Reader, trace func(string, ...any)) (string, error) {
	var text string
	var open []int
	for sm := range readers {
		open = append(open, sm)
	}
	slices.Sort(open)
	var start []fit.Vec
	for _, w := range spread(words) {
		v := fit.FromBytes(w)
		start = append(start, fit.Normal(Whole, v.WithField(endPlain, 128-endPlain, 0)))
	}
	// RZ and PT have to be met in each place.
	for _, v := range start[:min(3, len(start))] {
		for _, f := range Whole {
			start = append(start, fit.Normal(Whole, v.WithField(f.At, f.Width, 1<<f.Width-1)))
		}
	}
	for len(open) > 0 {
		sm := open[0]
		open = open[1:]
		models, err := fit.Learn(ctx, fit.Config{First: firstPlain, Bits: endPlain, Whole: Whole, Seed: op, Trace: trace}, PlainAsker(readers[sm]), slices.Clone(start))
		if errors.Is(err, probe.ErrBudget) && text != "" {
			return text, nil
		}
		if err != nil {
			return "", err
		}
		if len(models) == 0 {
			continue
		}
		var probes []fit.Vec
		for _, m := range models {
			probes = append(probes, m.Proven...)
		}
		sms := []int{sm}
		var rest []int
		for _, o := range open {
			same, err := agree(ctx, models, PlainAsker(readers[o]), probes)
			if err != nil && !errors.Is(err, probe.ErrBudget) {
				return "", err
			}
			if same {
				sms = append(sms, o)
			} else {
				rest = append(rest, o)
			}
		}
		open = rest
		text += WritePlain(op, sms, readers[sm].Release, models)
	}
	return text, nil
}

// WritePlain writes models of words as lines of the table.
func WritePlain(op uint64, sms []int, release string, models []*fit.Model) string {
	var b strings.Builder
	var list []string
	for _, s := range sms {
		list = append(list, strconv.Itoa(s))
	}
	fmt.Fprintf(&b, "plain\t%03x\t%s\t%s\n", op, strings.Join(list, ","), release)
	for _, m := range models {
		model(&b, m, nil)
	}
	return b.String()
}

// spread takes words that differ much: by what they have beside registers.
func spread(words [][]byte) [][]byte {
	if len(words) <= perOpcode {
		return words
	}
	seen := map[[2]uint64]bool{}
	var first, rest [][]byte
	for _, w := range words {
		hi := binary.LittleEndian.Uint64(w[8:]) &^ Schedule &^ 0xff
		lo := binary.LittleEndian.Uint64(w) & 0xffff
		if k := [2]uint64{lo, hi}; !seen[k] {
			seen[k] = true
			first = append(first, w)
		} else {
			rest = append(rest, w)
		}
	}
	return append(first, rest...)[:perOpcode]
}
