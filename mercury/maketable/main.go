// Maketable regenerates mercury/table.tsv: it compiles the PTX of mercury/ptx
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
	var o options
	flag.StringVar(&o.dir, "dir", "mercury", "the folder with ptx/")
	flag.StringVar(&o.out, "o", "", "the table to write or check; default: table.tsv in that folder")
	flag.StringVar(&o.parts, "parts", "", "keep forms that are done in this folder, and take them from there")
	flag.StringVar(&o.only, "only", "", "tags to learn, separated by commas; none: only the held-out samples")
	flag.IntVar(&o.links, "links", 0, "give a form up after so many links, leaving it out; 0: never")
	flag.BoolVar(&o.verbose, "v", false, "trace")
	flag.IntVar(&o.extend, "extend", 0, "learn nothing: try the rules of table.tsv on this SM")
	flag.IntVar(&o.verify, "verify", 0, "learn nothing: try one form in so many of table.tsv, or those of -only, on nvlink, with records.txt and, with -parts, what PTX makes")
	flag.StringVar(&o.records, "records", "", "with -verify: more records, a line each, as mercury/unknown -known prints them")
	flag.BoolVar(&o.drop, "drop", false, "with -verify: write the table without what differs from nvlink")
	flag.Parse()
	if o.out == "" {
		o.out = filepath.Join(o.dir, "table.tsv")
	}
	if err := run(context.Background(), &o); err != nil {
		fmt.Fprintln(os.Stderr, "maketable:", err)
		os.Exit(1)
	}
}

// options are those of the command line.
type options struct {
	dir, out, parts, only, records string
	links, extend, verify          int
	verbose, drop                  bool
}

func run(ctx context.Context, o *options) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{Scratch: nvidia.InMemory()})
	if err != nil {
		return err
	}
	src, err := read(o.dir)
	if err != nil {
		return err
	}
	samples := map[uint32][]learn.Sample{}
	if o.verify == 0 || o.parts != "" {
		if samples, err = cached(o.parts, func() (map[uint32][]learn.Sample, error) { return train(ctx, tools, src) }); err != nil {
			return err
		}
	}
	list := src.records
	if o.records != "" {
		others, err := recordsOf(o.records)
		if err != nil {
			return err
		}
		list = append(list, others...)
	}
	for _, r := range list {
		samples[tagOf(r)] = append(samples[tagOf(r)], learn.Sample{Record: r})
	}
	if o.verify != 0 || o.extend != 0 {
		return o.try(ctx, samples)
	}
	for tag, list := range samples {
		samples[tag] = slices.DeleteFunc(list, func(s learn.Sample) bool { return s.Record != nil && ofKernel(s.Record) })
	}
	tags, err := choose(samples, o.only)
	if err != nil {
		return err
	}
	text, err := learnAll(ctx, tags, samples, job{o.links, o.parts, o.verbose})
	if err != nil {
		return err
	}
	slices.Sort(tags)
	var table strings.Builder
	table.WriteString(heading)
	for _, t := range tags {
		table.WriteString(text[t])
	}
	if err := os.WriteFile(o.out, []byte(table.String()), 0o644); err != nil {
		return err
	}
	if o.only != "" && o.only != "none" {
		return nil
	}
	return holdBack(ctx, tools, src, samples, filepath.Join(o.dir, "testdata", "heldback.txt"))
}

// try asks nvlink about the rules of a table as it is.
func (o *options) try(ctx context.Context, samples map[uint32][]learn.Sample) error {
	b, err := os.ReadFile(o.out)
	if err != nil {
		return err
	}
	if o.extend != 0 {
		text, err := extend(ctx, string(b), o.extend, samples)
		if err != nil {
			return err
		}
		return os.WriteFile(o.out, []byte(text), 0o644)
	}
	tags, file := []uint32(nil), ""
	if o.only != "" {
		if tags, err = choose(samples, o.only); err != nil {
			return err
		}
	}
	if o.drop {
		file = o.out
	}
	return verify(ctx, string(b), tags, o.verify, samples, file)
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
