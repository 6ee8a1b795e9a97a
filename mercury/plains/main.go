// Plains asks nvlink for the Mercury of the PLAIN words in the cubins of folders or wheels and compares it
// with what the rules of a table make of them, by opcode. With -drop it takes away rules: of an
// opcode on an SM where nvlink has another record once, or where it told nothing. With -extend it tries
// rules that were learned on some SMs on all of them; where they hold for a few words, they stay.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury"
	"github.com/twinlink/twinlink/mercury/internal/gather"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// perOpcode bounds the words of an opcode on an SM that are asked for.
const perOpcode = 64

// show prints what nvlink told.
var show bool

func main() {
	table := flag.String("table", "mercury/table.tsv", "")
	drop := flag.Bool("drop", false, "write the table without rules that nvlink doesn't agree with")
	extend := flag.Bool("extend", false, "with -drop: try rules of opcodes that have one set of rules on all SMs")
	flag.BoolVar(&show, "show", false, "print SM, record and word of nvlink's answers, in the format of mercury/testdata/plain.txt")
	release := flag.String("release", "13.5", "of nvlink")
	flag.Parse()
	if err := run(context.Background(), *table, *release, *drop, *extend, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "plains:", err)
		os.Exit(1)
	}
}

// key is an opcode on an SM.
type key struct {
	sm cuda.SM
	op uint16
}

// answer is what came of the words of a key.
type answer struct{ words, unknown, silent, right, wrong int }

// few is how many words must bear out rules on an SM on which they were not learned.
const few = 8

func run(ctx context.Context, file, release string, drop, extend bool, places []string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, tried := string(b), map[key]bool{}
	if extend {
		text = extended(text, tried)
	}
	t, err := mercury.Parse(text)
	if err != nil {
		return err
	}
	words, err := collect(places)
	if err != nil {
		return err
	}
	tools, err := probe.Tools(ctx)
	if err != nil {
		return err
	}
	answers := map[key]*answer{}
	for _, sm := range slices.Sorted(maps.Keys(words)) {
		if err := ask(ctx, t, tools, sm, release, words[sm], answers); err != nil {
			return err
		}
	}
	var sum answer
	for _, k := range slices.SortedFunc(maps.Keys(answers), func(a, b key) int { return (int(a.op)-int(b.op))<<8 + int(a.sm) - int(b.sm) }) {
		a := answers[k]
		fmt.Printf("%03x sm_%d: %d words, %d unknown, %d without an answer, %d right, %d wrong\n", k.op, k.sm, a.words, a.unknown, a.silent, a.right, a.wrong)
		sum = answer{sum.words + a.words, sum.unknown + a.unknown, sum.silent + a.silent, sum.right + a.right, sum.wrong + a.wrong}
	}
	fmt.Printf("together: %d words, %d unknown, %d without an answer, %d right, %d wrong\n", sum.words, sum.unknown, sum.silent, sum.right, sum.wrong)
	if !drop {
		return nil
	}
	for k := range tried {
		if a := answers[k]; a != nil && a.right < few {
			a.right = 0
		}
	}
	return os.WriteFile(file, []byte(without(text, answers)), 0o644)
}

// extended gives opcodes that have one set of rules all SMs, and notes which are new.
func extended(text string, tried map[key]bool) string {
	sets := map[string]int{}
	for line := range strings.Lines(text) {
		if f := strings.Split(line, "\t"); f[0] == "plain" {
			sets[f[1]]++
		}
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		if f := strings.Split(line, "\t"); f[0] == "plain" && sets[f[1]] == 1 {
			op, _ := strconv.ParseUint(f[1], 16, 16)
			for _, sm := range [...]cuda.SM{100, 103, 107, 110, 120, 121} {
				if s := strconv.Itoa(int(sm)); !slices.Contains(strings.Split(f[2], ","), s) {
					tried[key{sm, uint16(op)}] = true
					f[2] += "," + s
				}
			}
			line = strings.Join(f, "\t")
		}
		out.WriteString(line)
	}
	return out.String()
}

// collect takes words by SM and opcode that differ outside of registers and immediates.
func collect(places []string) (map[cuda.SM]map[uint16][]mercury.Word, error) {
	words, seen := map[cuda.SM]map[uint16][]mercury.Word{}, map[string]bool{}
	err := gather.EachPlain(places, func(sm cuda.SM, w mercury.Word) {
		w.Hi &^= mercury.Schedule
		take(words, seen, sm, w)
	})
	return words, err
}

func take(words map[cuda.SM]map[uint16][]mercury.Word, seen map[string]bool, sm cuda.SM, w mercury.Word) {
	op := uint16(w.Lo & 0xfff)
	shape := fmt.Sprint(sm, w.Lo&0xffff, w.Hi&^0xff)
	for _, at := range mercury.RegisterFields {
		b := w.Lo >> at & 0xff
		if at >= 64 {
			b = w.Hi >> (at - 64) & 0xff
		}
		shape += strconv.FormatBool(b == 0xff)
	}
	if words[sm] == nil {
		words[sm] = map[uint16][]mercury.Word{}
	}
	if list := words[sm][op]; !seen[shape] && len(list) < perOpcode {
		seen[shape] = true
		words[sm][op] = append(list, w)
	}
}

func ask(ctx context.Context, t *mercury.Table, tools *nvidia.Toolset, sm cuda.SM, release string, words map[uint16][]mercury.Word, answers map[key]*answer) error {
	r, err := probe.NewReader(ctx, tools, release, fmt.Sprintf("sm_%d", sm))
	if err != nil {
		fmt.Fprintln(os.Stderr, "plains:", err) // an SM that this release doesn't know
		return nil
	}
	for _, op := range slices.Sorted(maps.Keys(words)) {
		a := &answer{words: len(words[op])}
		answers[key{sm, op}] = a
		var list, made [][]byte
		var sizes []int
		for _, w := range words[op] {
			record, why := t.Encode(sm, w)
			if why != mercury.Known {
				a.unknown++
				continue
			}
			b := make([]byte, 16)
			w.Put(b)
			list, made, sizes = append(list, b), append(made, record), append(sizes, len(record))
		}
		got, err := r.Records(ctx, list, sizes)
		if err != nil {
			return err
		}
		for i := range list {
			if show && got[i] != nil {
				fmt.Printf("%d %x %x\n", sm, got[i], list[i])
			}
			switch {
			case got[i] == nil:
				a.silent++
			case bytes.Equal(got[i], made[i]):
				a.right++
			default:
				a.wrong++
				fmt.Fprintf(os.Stderr, "%03x sm_%d: %x: %x, nvlink has %x\n", op, sm, list[i], made[i], got[i])
			}
		}
	}
	return nil
}

// without returns the table without the rules of opcodes on SMs that were not borne out.
func without(text string, answers map[key]*answer) string {
	var out strings.Builder
	keep := true
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "form", "#":
			keep = true
		case "plain":
			op, _ := strconv.ParseUint(f[1], 16, 16)
			var sms []string
			for s := range strings.SplitSeq(f[2], ",") {
				sm, _ := strconv.Atoi(s)
				if a := answers[key{cuda.SM(sm), uint16(op)}]; a != nil && a.wrong == 0 && a.right > 0 {
					sms = append(sms, s)
				}
			}
			slices.Sort(sms)
			keep = len(sms) > 0
			f[2] = strings.Join(sms, ",")
			line = strings.Join(f, "\t") + "\n"
		}
		if keep {
			out.WriteString(line)
		}
	}
	return out.String()
}
