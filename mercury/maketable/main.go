// Maketable makes mercury/table.tsv anew: it compiles the PTX of mercury/ptx
// with ptxas, asks nvlink what the records that come out, and thousands beside
// them, stand for, and writes the rules.
package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/learn"
)

const (
	ptxasRelease  = "13.0"
	nvlinkRelease = "13.5" // says no where 13.0 crashes; on valid records they agree
)

// targets is what PTX is compiled for; the rules are tried on asked.
var targets = map[int]string{100: "sm_100a", 103: "sm_103a", 110: "sm_110a", 120: "sm_120a", 121: "sm_121a"}

// asked is the SMs that nvlink is asked about. ptxas 13.0 doesn't know sm_107.
var asked = []int{100, 103, 107, 110, 120, 121}

func main() {
	dir := flag.String("dir", "mercury", "the folder with ptx/")
	out := flag.String("o", "", "the table that is written, or looked at; none: table.tsv in that folder")
	parts := flag.String("parts", "", "keep forms that are done in this folder, and take them from there")
	only := flag.String("only", "", "tags to learn, separated by commas; the others are left out; none: the held-back samples alone")
	links := flag.Int("links", 0, "give a form up after so many links, leaving it out; 0: never")
	verbose := flag.Bool("v", false, "trace")
	more := flag.Int("extend", 0, "learn nothing: try the rules of table.tsv on this SM")
	every := flag.Int("verify", 0, "learn nothing: try one form in so many of table.tsv, or those of -only, on nvlink")
	drop := flag.Bool("drop", false, "with -verify: write the table without what nvlink has otherwise")
	flag.Parse()
	if *out == "" {
		*out = filepath.Join(*dir, "table.tsv")
	}
	if err := run(context.Background(), *dir, *out, *parts, *only, *links, *more, *every, *verbose, *drop); err != nil {
		fmt.Fprintln(os.Stderr, "maketable:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, out, parts, only string, links, more, every int, verbose, drop bool) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	src, err := read(dir)
	if err != nil {
		return err
	}
	if every != 0 {
		samples := map[uint32][]learn.Sample{}
		for _, r := range src.records {
			samples[tagOf(r)] = append(samples[tagOf(r)], learn.Sample{Record: r})
		}
		tags, err := choose(samples, only)
		if err != nil {
			return err
		}
		if only == "" {
			tags = nil
		}
		b, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		file := out
		if !drop {
			file = ""
		}
		return verify(ctx, string(b), tags, every, samples, file)
	}
	samples, err := cached(parts, func() (map[uint32][]learn.Sample, error) { return train(ctx, tools, src) })
	if err != nil {
		return err
	}
	for _, r := range src.records {
		samples[tagOf(r)] = append(samples[tagOf(r)], learn.Sample{Record: r})
	}
	if more != 0 {
		b, err := os.ReadFile(out)
		if err != nil {
			return err
		}
		text, err := extend(ctx, string(b), more, samples)
		if err != nil {
			return err
		}
		return os.WriteFile(out, []byte(text), 0o644)
	}
	tags, err := choose(samples, only)
	if err != nil {
		return err
	}
	text, err := learnAll(ctx, tags, samples, job{links, parts, verbose})
	if err != nil {
		return err
	}
	slices.Sort(tags)
	var table strings.Builder
	table.WriteString(heading)
	for _, t := range tags {
		table.WriteString(text[t])
	}
	if err := os.WriteFile(out, []byte(table.String()), 0o644); err != nil {
		return err
	}
	if only != "" && only != "none" {
		return nil
	}
	return holdBack(ctx, tools, src, samples, filepath.Join(dir, "testdata", "heldback.txt"))
}

// cached returns what is kept in the folder of parts, or makes and keeps it.
func cached(parts string, create func() (map[uint32][]learn.Sample, error)) (samples map[uint32][]learn.Sample, err error) {
	if parts == "" {
		return create()
	}
	file := filepath.Join(parts, "samples.gob")
	b, err := os.ReadFile(file)
	if err == nil {
		return samples, gob.NewDecoder(bytes.NewReader(b)).Decode(&samples)
	}
	if samples, err = create(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(samples); err != nil {
		return nil, err
	}
	return samples, os.WriteFile(file, out.Bytes(), 0o644)
}

// choose returns the tags to learn: those of only, in its order, or all.
func choose(samples map[uint32][]learn.Sample, only string) ([]uint32, error) {
	if only == "" {
		return slices.Sorted(maps.Keys(samples)), nil
	}
	var tags []uint32
	if only == "none" {
		return nil, nil
	}
	for s := range strings.SplitSeq(only, ",") {
		t, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			return nil, err
		}
		if samples[uint32(t)] != nil {
			tags = append(tags, uint32(t))
		}
	}
	return tags, nil
}

// firstTag is above all opcodes.
const firstTag = 1 << 12

const heading = "# Made by \"make mercury-table\" from ptx/ with ptxas 13.0.88 and nvlink 13.5.37. docs/mercury.md says how to read it.\n"
