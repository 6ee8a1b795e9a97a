// Sizes asks nvlink for the Mercury sizes of the PLAIN instructions in the cubins of folders or wheels and
// compares them with what package capsule says. The size of an instruction that
// nvlink decodes is identified by the address of the one after it: a relocation there
// hits its tag, or misses.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/gather"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// perOpcode bounds the words of an opcode that are asked for.
const perOpcode = 120

func main() {
	release := flag.String("release", "13.5", "of nvlink")
	unknown := flag.Bool("unknown", false, "only opcodes of unknown size")
	skip := flag.Int("skip", 1, "of the words, take one in so many")
	flag.Parse()
	if err := run(context.Background(), *release, flag.Args(), *unknown, *skip); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

// shape is a word without registers and immediates, but for which of the registers are RZ.
func shape(w mercury.Word) mercury.Word {
	s := mercury.Word{Lo: w.Lo & 0xffff, Hi: w.Hi &^ (mercury.Schedule | 0xff)}
	for _, at := range mercury.RegisterFields {
		half := w.Lo
		if at >= 64 {
			half = w.Hi
		}
		if half>>(at&63)&0xff == 0xff {
			s.Lo |= 1 << (16 + at/8)
		}
	}
	return s
}

func run(ctx context.Context, release string, folders []string, unknown bool, skip int) error {
	words := map[cuda.SM]map[uint16]map[mercury.Word]mercury.Word{} // by opcode and shape
	n := 0
	err := gather.EachPlain(folders, func(sm cuda.SM, w mercury.Word) {
		if n++; n%skip == 0 && (!unknown || capsule.PlainSize(w.Lo, w.Hi) == 0) {
			take(words, sm, w)
		}
	})
	if err != nil {
		return err
	}
	tools, err := probe.Tools(ctx)
	if err != nil {
		return err
	}
	for _, sm := range slices.Sorted(maps.Keys(words)) {
		r, err := probe.NewReader(ctx, tools, release, fmt.Sprintf("sm_%d", sm))
		if err != nil {
			fmt.Fprintln(os.Stderr, "sizes:", err) // an SM that this release doesn't know
			continue
		}
		for _, op := range slices.Sorted(maps.Keys(words[sm])) {
			if err := ask(ctx, r, sm, op, slices.Collect(maps.Values(words[sm][op]))); err != nil {
				return err
			}
		}
	}
	return nil
}

// take keeps a word of each shape.
func take(words map[cuda.SM]map[uint16]map[mercury.Word]mercury.Word, sm cuda.SM, w mercury.Word) {
	if words[sm] == nil {
		words[sm] = map[uint16]map[mercury.Word]mercury.Word{}
	}
	op := uint16(w.Lo & 0xfff)
	if words[sm][op] == nil {
		words[sm][op] = map[mercury.Word]mercury.Word{}
	}
	if by := words[sm][op]; len(by) < perOpcode {
		by[shape(w)] = w
	}
}

func ask(ctx context.Context, r *probe.Reader, sm cuda.SM, op uint16, list []mercury.Word) error {
	bytes := make([][]byte, len(list))
	for i, w := range list {
		bytes[i] = make([]byte, capsule.WordSize)
		w.Put(bytes[i])
	}
	got := make([]uint32, len(list))
	// Each alone: the addresses after a wrong guess are wrong too.
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
		if want := capsule.PlainSize(w.Lo, w.Hi); got[i] != 0 && got[i] != want {
			fmt.Printf("sm_%d %03x: %d bytes, the table has %d: %s\n", sm, op, got[i], want, w)
		}
	}
	if count[0] > 0 {
		fmt.Printf("sm_%d %03x: of %d shapes %d were not answered\n", sm, op, len(list), count[0])
	}
	return nil
}
