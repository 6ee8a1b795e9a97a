package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/gather"
	"github.com/twinlink/twinlink/mercury/internal/learn"
	"github.com/twinlink/twinlink/mercury/internal/ptx"
)

// source is what the folder ptx/ holds.
type source struct {
	train, held []string // lines, written out
	records     [][]byte // of records.txt
}

// recordsOf returns the records of a file, of which each line is one.
func recordsOf(name string) (list [][]byte, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(text)) {
		l, _, _ = strings.Cut(l, "#")
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		r, err := hex.DecodeString(l)
		if err != nil || len(r) != 16 && len(r) != 32 {
			return nil, fmt.Errorf("%s: record %q", name, l)
		}
		list = append(list, r)
	}
	return list, nil
}

func read(dir string) (source, error) {
	var src source
	files, err := filepath.Glob(filepath.Join(dir, "ptx", "*.txt"))
	if err != nil {
		return src, err
	}
	slices.Sort(files)
	for _, f := range files {
		if filepath.Base(f) == "records.txt" {
			if src.records, err = recordsOf(f); err != nil {
				return src, err
			}
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			return src, err
		}
		for _, l := range ptx.Lines(string(b)) {
			if ptx.HeldBack(l) {
				src.held = append(src.held, l)
			} else {
				src.train = append(src.train, l)
			}
		}
	}
	return src, nil
}

func tagOf(record []byte) uint32 {
	return uint32(record[0])<<24 | uint32(record[1])<<16 | uint32(record[2])<<8 | uint32(record[3])
}

// ofKernel reports whether the words of a record depend on the kernel around it: a load from bank 0x49 is one from after
// the parameters. A rule learned in one kernel is wrong in others, and asking in that one doesn't show it.
func ofKernel(record []byte) bool {
	const loads, bank, behindParameters = 0x22, 12, 0x49
	return record[1] == loads && record[3] == 0x06 && record[bank] == behindParameters
}

// samples compiles lines for each SM and returns the stored nodes and the PLAIN
// words that come out, each once.
func samples(ctx context.Context, tools *nvidia.Toolset, lines []string, sms []int) (all, plain []learn.Sample, err error) {
	seen := map[string]bool{}
	for _, sm := range sms {
		job := gather.Job{Release: ptxasRelease, Version: "9.0", Target: targets[sm]}
		refused := 0
		err := gather.Lines(ctx, tools, job, lines, func(_ []string, cubin []byte) error {
			s, err := gather.Samples(cubin)
			for _, x := range s {
				key := fmt.Sprint(x.SM, x.Record, learn.Out([]byte(x.Words)).Bits)
				if !seen[key] {
					seen[key] = true
					all = append(all, learn.Sample{SM: x.SM, Record: []byte(x.Record), Words: []byte(x.Words)})
				}
			}
			if err != nil {
				return err
			}
			s, err = gather.Plain(cubin)
			for _, x := range s {
				if key := learn.Bare(x.Words); !seen[key] {
					seen[key] = true
					plain = append(plain, learn.Sample{SM: x.SM, Words: []byte(key)})
				}
			}
			return err
		}, func(string, string) { refused++ })
		if err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %d lines, %d refused\n", job.Target, len(lines), refused)
	}
	return all, plain, nil
}

// train returns the samples to learn from: stored nodes by tag, and PLAIN words
// by opcode, which is a number below any tag.
func train(ctx context.Context, tools *nvidia.Toolset, src source) (map[uint32][]learn.Sample, error) {
	all, plain, err := samples(ctx, tools, src.train, []int{100, 103, 110, 120, 121})
	if err != nil {
		return nil, err
	}
	by := map[uint32][]learn.Sample{}
	for _, s := range all {
		by[tagOf(s.Record)] = append(by[tagOf(s.Record)], s)
	}
	for _, s := range plain {
		op := uint32(s.Words[0]) | uint32(s.Words[1])&15<<8
		by[op] = append(by[op], s)
	}
	return by, nil
}

const heldHeading = "# SM, record, words: what ptxas 13.0.88 wrote for the lines of ptx/ that no rule was learned from.\n"

// holdBack writes the samples of the lines that are kept back and that no
// record of the others equals.
func holdBack(ctx context.Context, tools *nvidia.Toolset, src source, known map[uint32][]learn.Sample, file string) error {
	all, _, err := samples(ctx, tools, src.held, []int{100, 103, 110, 120})
	if err != nil {
		return err
	}
	trained := map[string]bool{}
	for _, of := range known {
		for _, s := range of {
			trained[string(s.Record)] = true
		}
	}
	var lines []string
	for _, s := range all {
		if !trained[string(s.Record)] {
			lines = append(lines, fmt.Sprintf("%d %x %x\n", s.SM, s.Record, s.Words))
		}
	}
	slices.Sort(lines)
	return os.WriteFile(file, []byte(heldHeading+strings.Join(lines, "")), 0o644)
}
