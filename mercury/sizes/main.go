// Sizes asks nvlink for the Mercury sizes of the PLAIN instructions in the cubins of folders or wheels and
// compares them with what package capsule says. The size of an instruction that
// nvlink decodes is told by the address of the one behind it: a relocation there
// hits its tag, or misses.
package main

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/internal/families"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// perOpcode bounds the words of an opcode that are asked for.
const perOpcode = 120

func main() {
	release := flag.String("release", "13.5", "of nvlink")
	unknown := flag.Bool("unknown", false, "only opcodes of unknown size")
	skip := flag.Int("skip", 1, "of the files, take one in so many")
	flag.Parse()
	if err := run(context.Background(), *release, flag.Args(), *unknown, *skip); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

type word = [2]uint64

// shape is a word without registers and immediates, but for which of the
// registers are RZ.
func shape(w word) word {
	lo, hi := w[0]&0xffff, w[1]&^(1<<62-1<<41)
	for _, at := range []int{64, 24, 32, 16} {
		b := w[at>>6] >> (at & 63) & 0xff
		if at == 64 {
			hi &^= 0xff
		}
		if b == 0xff {
			lo |= 1 << (16 + at/8)
		}
	}
	return word{lo, hi}
}

func run(ctx context.Context, release string, folders []string, unknown bool, skip int) error {
	words := map[int]map[uint16]map[word]word{} // SM, opcode, shape
	for _, folder := range folders {
		i := 0
		err := families.Each(folder, func(name string, data []byte) {
			if i++; (i-1)%skip != 0 {
				return
			}
			if err := collect(name, data, words, unknown); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
		if err != nil {
			return err
		}
	}
	tools, err := nvidia.Find(ctx, nvidia.Options{Limits: nvidia.Limits{Time: 2 * time.Second}})
	if err != nil {
		return err
	}
	for _, sm := range slices.Sorted(maps.Keys(words)) {
		r, err := probe.NewReader(ctx, tools, release, fmt.Sprintf("sm_%d", sm))
		if err != nil {
			return err
		}
		for _, op := range slices.Sorted(maps.Keys(words[sm])) {
			if err := ask(ctx, r, sm, op, slices.Collect(maps.Values(words[sm][op]))); err != nil {
				return err
			}
		}
	}
	return nil
}

func collect(file string, data []byte, words map[int]map[uint16]map[word]word, unknown bool) error {
	sm, pairs, err := probe.Pairs(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if words[sm] == nil {
		words[sm] = map[uint16]map[word]word{}
	}
	for i := range pairs {
		p := &pairs[i]
		if p.Kind != 'P' {
			continue
		}
		w := word{binary.LittleEndian.Uint64(p.Words), binary.LittleEndian.Uint64(p.Words[8:])}
		op := uint16(w[0] & 0xfff)
		if unknown && capsule.PlainSize(w[0], w[1]) != 0 {
			continue
		}
		by := words[sm][op]
		if by == nil {
			by = map[word]word{}
			words[sm][op] = by
		}
		if s := shape(w); len(by) < perOpcode {
			by[s] = w
		}
	}
	return nil
}

func ask(ctx context.Context, r *probe.Reader, sm int, op uint16, list []word) error {
	bytes := make([][]byte, len(list))
	for i, w := range list {
		bytes[i] = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, w[0]), w[1])
	}
	got := make([]uint32, len(list))
	// Each alone: the addresses behind a wrong guess are wrong too.
	for _, size := range []int{16, 32} {
		var open [][]byte
		var at []int
		for i := range list {
			if got[i] == 0 {
				open, at = append(open, bytes[i]), append(at, i)
			}
		}
		if len(open) == 0 {
			continue
		}
		sizes := make([]int, len(open))
		for i := range sizes {
			sizes[i] = size
		}
		records, err := r.Records(ctx, open, sizes)
		if err != nil {
			return err
		}
		for k, rec := range records {
			if rec != nil {
				got[at[k]] = uint32(len(rec))
			}
		}
	}
	count := map[uint32]int{}
	for i, w := range list {
		count[got[i]]++
		if want := capsule.PlainSize(w[0], w[1]); got[i] != 0 && got[i] != want {
			fmt.Printf("sm_%d %03x: %d bytes, the table has %d: %016x.%016x\n", sm, op, got[i], want, w[1], w[0])
		}
	}
	if count[0] > 0 {
		fmt.Printf("sm_%d %03x: of %d shapes %d were not answered\n", sm, op, len(list), count[0])
	}
	return nil
}
