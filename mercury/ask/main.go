// Ask puts records to nvlink and prints the SASS words that it makes of each.
package main

import (
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

const usage = `Usage: ask [-release 13.5] [-arch sm_100] RECORD...

A record is 16 or 32 bytes in hexadecimal; without any they are read from
standard input. The letter before its words says what
nvlink made of it: P a PLAIN node, M one of which the tag is kept, R a full
record, V nothing, C no image, H no end, + several nodes.
`

func main() {
	release := flag.String("release", "13.5", "")
	arch := flag.String("arch", "sm_100", "")
	flag.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	flag.Parse()
	records := flag.Args()
	if len(records) == 0 {
		b, err := io.ReadAll(os.Stdin)
		if err != nil {
			fmt.Fprintln(os.Stderr, "ask:", err)
			os.Exit(1)
		}
		records = strings.Fields(string(b))
	}
	if err := run(context.Background(), *release, *arch, records); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, release, arch string, records []string) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{Limits: nvidia.Limits{Time: 3 * time.Second}})
	if err != nil {
		return err
	}
	o, err := probe.NewOracle(ctx, tools, release, arch)
	if err != nil {
		return err
	}
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
	for i, a := range answers {
		fmt.Printf("%s %c", records[i], a.Kind)
		for w := a.Words; len(w) >= 16; w = w[16:] {
			fmt.Printf(" %x", w[:16])
		}
		if len(a.Record) > 0 {
			fmt.Printf(" record %x", a.Record)
		}
		fmt.Println()
	}
	return nil
}
