package learn

import (
	"context"
	"errors"
	"maps"
	"math/bits"
	"slices"

	"github.com/twinlink/twinlink/mercury/internal/fit"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// Sample is a record with the words that ptxas wrote for it.
type Sample struct {
	SM     int
	Record []byte
	Words  []byte
}

// recordSize returns the size of the records of a tag, which the low nibble of its first
// byte tells: 11 begins records of 16 bytes, as 01 does.
func recordSize(tag uint32) int { return 16 * int(tag>>24&0xf) }

// Form learns the rules of one tag and returns them as lines of the table.
// oracles are by SM.
func Form(ctx context.Context, tag uint32, samples []Sample, oracles map[int]*probe.Oracle, trace func(string, ...any)) (string, error) {
	size := recordSize(tag)
	var open []int
	for sm := range oracles {
		open = append(open, sm)
	}
	slices.Sort(open)
	var text string
	for len(open) > 0 {
		sm := open[0]
		open = open[1:]
		models, err := fit.Learn(ctx, fit.Config{First: 32, Bits: 8 * size, Slots: true, Seed: uint64(tag), Trace: trace}, Asker(oracles[sm], size), seeds(samples, sm))
		if errors.Is(err, probe.ErrBudget) && text != "" {
			return text, nil // what is known of other SMs holds
		}
		if err != nil {
			return "", err
		}
		if len(models) == 0 {
			continue // a form that this SM doesn't have
		}
		sms := []int{sm}
		var probes []fit.Vec
		for _, m := range models {
			probes = append(probes, m.Proven...)
		}
		var rest []int
		for _, other := range open {
			same, err := agree(ctx, models, Asker(oracles[other], size), probes)
			if err != nil && !errors.Is(err, probe.ErrBudget) {
				return "", err
			}
			if same {
				sms = append(sms, other)
			} else {
				rest = append(rest, other)
			}
		}
		open = rest
		lock(models, samples)
		text += Write(tag, sms, oracles[sm].Release, models, freeBits(models, samples, sms, trace))
	}
	return text, nil
}

// immediates is the first bit of those that only hold numbers.
const immediates = 192

// lock makes bits that no SASS depends on, and that no tool sets otherwise, such
// that another value is unknown: nvlink takes it, but nothing writes it.
func lock(models []*fit.Model, samples []Sample) {
	for _, m := range models {
		for _, i := range m.Dead {
			if i >= immediates {
				continue
			}
			first := fit.FromBytes(samples[0].Record).Bit(i)
			if !slices.ContainsFunc(samples, func(s Sample) bool { return fit.FromBytes(s.Record).Bit(i) != first }) {
				m.Locked = append(m.Locked, fit.Lock{At: i, Value: first})
			}
		}
		slices.SortFunc(m.Locked, func(a, b fit.Lock) int { return a.At - b.At })
	}
}

// seeds returns records of the form, those of the SM first.
func seeds(samples []Sample, sm int) []fit.Vec {
	var out []fit.Vec
	seen := map[fit.Vec]bool{}
	for _, own := range []bool{true, false} {
		for _, s := range samples {
			if v := fit.FromBytes(s.Record); (s.SM == sm) == own && !seen[v] && len(out) < 700 {
				seen[v] = true
				out = append(out, v)
			}
		}
	}
	return out
}

// agree reports whether an SM gives what the models say.
func agree(ctx context.Context, models []*fit.Model, ask fit.Asker, in []fit.Vec) (bool, error) {
	if len(in) > 600 {
		in = in[:600]
	}
	outs, err := ask(ctx, in)
	if err != nil {
		return false, err
	}
	for i, o := range outs {
		p, why := Predict(models, in[i])
		if why == "" && (p.Sig != o.Sig || !slices.Equal(p.Bits, o.Bits)) {
			return false, nil
		}
	}
	return true, nil
}

// Predict asks the models in order.
func Predict(models []*fit.Model, v fit.Vec) (fit.Out, string) {
	why := "form"
	for _, m := range models {
		p, w := m.Predict(v)
		if w == "" {
			return p, ""
		}
		why = w
	}
	return fit.Out{}, why
}

// register reports whether a bit of a sequence of words belongs to a register.
func register(bit int) bool { return bit&127 >= 16 && bit&127 < 40 || bit&127 >= 64 && bit&127 < 72 }

// bitSet is a set of bits of a sequence of words.
type bitSet map[int]bool

// freeBits compares the models with what ptxas wrote. Registers of a sequence of
// words in which ptxas has other numbers are such that no record says: they are
// free. Elsewhere it is an address that a relocation is still to fill in.
func freeBits(models []*fit.Model, samples []Sample, sms []int, trace func(string, ...any)) map[string]bitSet {
	free := map[string]bitSet{}
	for _, s := range samples {
		if !slices.Contains(sms, s.SM) {
			continue
		}
		p, why := Predict(models, fit.FromBytes(s.Record))
		if why != "" {
			continue
		}
		o := Out(s.Words)
		if p.Sig != o.Sig {
			trace("ptxas has %s for %x, nvlink %s", o.Sig, s.Record, p.Sig)
			continue
		}
		for _, bit := range differing(p.Bits, o.Bits) {
			if len(p.Bits) == 2 || !register(bit) {
				trace("ptxas writes bit %d of %x differently", bit, s.Record)
				continue
			}
			if free[p.Sig] == nil {
				free[p.Sig] = bitSet{}
			}
			free[p.Sig][bit] = true
		}
	}
	for sig, set := range free {
		set.fillRegisters()
		trace("free in %s: %d", sig, len(set))
	}
	return free
}

// differing returns the bits in which two sequences of words differ.
func differing(a, b []uint64) (list []int) {
	for i := range a {
		for x := a[i] ^ b[i]; x != 0; x &= x - 1 {
			list = append(list, 64*i+bits.TrailingZeros64(x))
		}
	}
	return list
}

// fillRegisters adds the other bits of registers of which some are there: a register is
// free as a whole.
func (s bitSet) fillRegisters() {
	for _, bit := range slices.Collect(maps.Keys(s)) {
		word := bit &^ 127
		for _, first := range []int{16, 24, 32, 64} {
			if k := bit&127 - first; 0 <= k && k < 8 {
				for j := range 8 {
					s[word+first+j] = true
				}
			}
		}
	}
}
