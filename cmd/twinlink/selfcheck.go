package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/selfcheck"
)

const selfcheckUsage = `Usage: twinlink selfcheck [--format text|json|json-full] [--codes seed|section]
                          [--out-sass FILE] [--witness] FILE...

Makes the SASS side of objects and images for sm_100 and up again from their
Mercury side and compares: texts, then relocations, then debug sections.

--codes     numbers of findings: seed (17 content, 18 count, 19 metadata), or
            section (17 text, 18 debug, 19 relocation)
--out-sass  writes the file with the SASS side that Mercury has; one input only
--witness   lets nvlink 13.0 and 13.5 link each object alone and tells which
            functions come out as they went in; the verdict is without it

Exit status: 0 all pass, 1 findings, 2 wrong use, 3 a file was refused.
`

func selfcheckFiles(args []string, s streams) int {
	f := flags("selfcheck", selfcheckUsage, s)
	style, codes := "text", selfcheck.SeedCodes
	f.Func("format", "", func(v string) error {
		if v != "text" && v != "json" && v != "json-full" {
			return errors.New("must be text, json or json-full")
		}
		style = v
		return nil
	})
	f.Func("codes", "", func(v string) error {
		if codes = selfcheck.LookupCodes(v); codes == nil {
			return errors.New("must be seed or section")
		}
		return nil
	})
	out := f.String("out-sass", "", "")
	ask := f.Bool("witness", false, "")
	files, status, done := parseMixed(f, args)
	if done {
		return status
	}
	if len(files) == 0 || *out != "" && len(files) != 1 {
		f.Usage()
		return exitUsage
	}
	opts := selfcheck.Options{Codes: codes, Rules: selfcheck.Records()}
	for _, name := range files {
		report, made, err := selfcheckFile(name, opts, *out != "")
		if err == nil {
			err = printReport(report, style, s)
		}
		if err == nil && made != nil {
			err = writeFiles([]outFile{{*out, made}})
		}
		if err == nil && *ask {
			err = askWitness(name, style, s)
		}
		if err != nil {
			fmt.Fprintf(s.err, "twinlink: %s\n", err)
			return exitUsage
		}
		status = max(status, report.Verdict.ExitStatus())
	}
	return status
}

func selfcheckFile(name string, opts selfcheck.Options, reconstitute bool) (*selfcheck.Report, []byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return selfcheck.Refuse(name, err), nil, nil
	}
	if reconstitute {
		return selfcheck.Reconstitute(name, data, opts)
	}
	return selfcheck.Check(name, data, opts), nil, nil
}

func printReport(r *selfcheck.Report, style string, s streams) error {
	switch style {
	case "json":
		return r.JSON(s.out)
	case "json-full":
		return r.FullJSON(s.out)
	}
	return r.Text(s.out)
}

// witnessReleases are the releases of nvlink that know capsules.
var witnessReleases = []string{"13.0", "13.5"}

// askWitness links an object alone and tells what became of its functions. With
// JSON the lines go to standard error.
func askWitness(name, style string, s streams) error {
	w := s.out
	if style != "text" {
		w = s.err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil // the report tells
	}
	file, err := cubin.Open(name, data)
	if err != nil {
		return nil
	}
	if file.Header.Type != cuda.ETRel {
		fmt.Fprintf(w, "  nvlink: not asked, only relocatable objects are linked\n")
		return nil
	}
	ctx := context.Background()
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	object := capsule.Open(file)
	for _, release := range witnessReleases {
		res, err := set.Link(ctx, release, []string{fmt.Sprintf("-arch=sm_%d", file.Header.SM())}, []nvidia.File{{Name: "in.cubin", Data: data}})
		var none *nvidia.NotFoundError
		switch {
		case errors.As(err, &none):
			fmt.Fprintf(w, "  nvlink %s: not found\n", release)
			continue
		case err != nil:
			return err
		case res.Outcome != nvidia.Success:
			fmt.Fprintf(w, "  nvlink %s: %s: %s\n", release, res.Outcome, res.Message())
			continue
		}
		linked, err := cubin.Open("out.cubin", res.Output)
		if err != nil {
			return err
		}
		tally := map[selfcheck.Change]int{}
		list := selfcheck.CompareLinked(object, capsule.Open(linked))
		for _, c := range list {
			tally[c.Change]++
		}
		fmt.Fprintf(w, "  nvlink %s: %d functions, %d as they were, %d with other scheduling, %d dropped\n",
			release, len(list), tally[selfcheck.Same], tally[selfcheck.Scheduled], tally[selfcheck.Dropped])
		for _, c := range list {
			if c.Change == selfcheck.Other || c.Change == selfcheck.Resized {
				fmt.Fprintf(w, "    %s: %s at 0x%x\n", c.Name, c.Change, c.Offset)
			}
		}
	}
	return nil
}
