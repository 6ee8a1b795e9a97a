// Ask puts records to nvlink and prints the SASS words that it makes of each.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/twinlink/twinlink/mercury/internal/probe"
)

const usage = `Usage: ask [-release 13.5] [-arch sm_100] [-serve] RECORD...

A record is 16 or 32 bytes in hexadecimal; without any they are read from
standard input; with -serve each line of it is a separate question, and "links N" after its
answers says how many links those took, counting 100 for one that hangs. The letter before its words says what
nvlink made of it: P a PLAIN node, M a tag-only node, R an explicit
record, V nothing, C no image, H a hang, + several nodes, S one with a scratch register that nvlink chose.
`

func main() {
	release := flag.String("release", "13.5", "")
	arch := flag.String("arch", "sm_100", "")
	serve := flag.Bool("serve", false, "answer line by line, until standard input ends")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	if err := run(context.Background(), *release, *arch, *serve, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, release, arch string, serve bool, records []string) error {
	tools, err := probe.Tools(ctx)
	if err != nil {
		return err
	}
	o, err := probe.NewOracle(ctx, tools, release, arch)
	if err != nil {
		return err
	}
	o.Twice = true
	if serve {
		in := bufio.NewScanner(os.Stdin)
		in.Buffer(nil, 1<<24)
		for in.Scan() {
			o.Budget = &probe.Budget{Left: math.MaxInt}
			if err := ask(ctx, o, strings.Fields(in.Text())); err != nil {
				return err
			}
			fmt.Printf("links %d\n", math.MaxInt-o.Budget.Left)
		}
		return in.Err()
	}
	if len(records) == 0 {
		b, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		records = strings.Fields(string(b))
	}
	return ask(ctx, o, records)
}

// ask prints a line for each record.
func ask(ctx context.Context, o *probe.Oracle, records []string) (err error) {
	nodes := make([]probe.Node, len(records))
	for i, r := range records {
		if nodes[i].Record, err = hex.DecodeString(r); err != nil {
			return err
		}
	}
	answers, err := o.Ask(ctx, nodes)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	defer func() { err = cmp.Or(err, w.Flush()) }()
	for i, a := range answers {
		if a.Other != nil {
			fmt.Fprintf(w, "%s S\n", records[i])
			continue
		}
		fmt.Fprintf(w, "%s %c", records[i], a.Kind)
		for words := a.Words; len(words) >= 16; words = words[16:] {
			fmt.Fprintf(w, " %x", words[:16])
		}
		if len(a.Record) > 0 {
			fmt.Fprintf(w, " record %x", a.Record)
		}
		fmt.Fprintln(w)
	}
	return nil
}
