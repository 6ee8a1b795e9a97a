package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/fuzz/opinion"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/dump"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// promotion says what becomes of a case.
type promotion struct {
	why, corpus, seeds string
	wrong              string
}

func promoteCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "promote HASH --why TEXT",
		GroupID: groupProject,
		Short:   "Add a saved link to the corpus",
		Long: `Adds a link that fuzzing saved, or that reduce wrote, to the corpus: its files,
the result of nvlink of its release, the checker's verdict on nvlink's image, and
a description. The tests run it from then on. HASH is the folder's name, or a path
to it. An input that is not a link becomes a fuzz seed of its target.

nvlink of that release must be installed, because it gives the expected result. If
the checker rejects nvlink's image, --wrong must say which of the two is wrong.

Exit status: 0 written, 1 nvlink crashes or its image is rejected, 2 usage error.`,
		Example: "  twinlink promote 1f0c77ab2e31 --why 'offset of a common symbol without size'",
		Args:    exactly(1, "promote takes the name of a folder"),
	}
	var p promotion
	f := c.Flags()
	f.StringVar(&p.why, "why", "", "what the case is about (required)")
	f.StringVar(&p.wrong, "wrong", "", "which is wrong if the checker rejects nvlink's image: nvlink or oracle")
	from := f.String("from", "fuzz/testdata/divergences", "folder with saved findings")
	f.StringVar(&p.corpus, "corpus", "corpus/testdata/found", "folder of the corpus, for links")
	f.StringVar(&p.seeds, "seeds", "fuzz/testdata", "folder of the targets' fuzz seeds, for other inputs")
	c.RunE = func(c *cobra.Command, args []string) error {
		if p.why == "" || strings.Contains(p.why, "\n") {
			return badUsage("promote needs --why: what the case is about, in one line")
		}
		if p.wrong != "" && p.wrong != "nvlink" && p.wrong != "oracle" {
			return badUsage("--wrong is nvlink or oracle")
		}
		dir := args[0]
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			dir = filepath.Join(*from, args[0])
		}
		return runPromote(c.Context(), dir, p, s)
	}
	return c
}

func runPromote(ctx context.Context, dir string, p promotion, s streams) error {
	if _, err := os.Stat(filepath.Join(dir, "input")); err == nil {
		return promoteInput(dir, p, s)
	}
	c, err := reduce.Load(dir)
	if err != nil {
		return err
	}
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	tool, err := set.Tool(c.Release, nvidia.Nvlink)
	if err != nil {
		return err
	}
	var files []nvidia.File
	for _, in := range c.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	res, err := tool.Run(ctx, nvidia.Job{Args: c.Args(), Inputs: files, Collect: reduce.Output})
	if err != nil {
		return err
	}
	if res.Outcome == nvidia.Crashed || res.Outcome == nvidia.Hung {
		fmt.Fprintf(s.err, "twinlink: %s: this can't be an expected answer\n", res)
		return exitStatus(exitDiffer)
	}
	verdict := "-"
	if image := res.Files[reduce.Output]; image != nil {
		verdict = opinion.Oracle(c, image)
		switch rejected := strings.HasPrefix(verdict, "rejects"); {
		case rejected && p.wrong == "":
			fmt.Fprintf(s.err, "twinlink: the oracle %s: --wrong nvlink, or --wrong oracle?\n", verdict)
			return exitStatus(exitDiffer)
		case rejected:
			verdict += ": " + p.wrong + " is wrong"
		}
	}
	text := foundText(c, p.why, verdict, res)
	folder := filepath.Join(p.corpus, c.Hash())
	if err := c.Save(folder, ""); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "found.txt"), []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Fprintln(s.out, folder)
	return nil
}

// promoteInput makes a seed of an input that is no link, with its story as its text.
func promoteInput(dir string, p promotion, s streams) error {
	var text [3][]byte
	for i, name := range []string{"input", "target", "story.txt"} {
		var err error
		if text[i], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	target, hash := strings.TrimSpace(string(text[1])), filepath.Base(dir)
	if !strings.HasPrefix(target, "Fuzz") || target != filepath.Base(target) {
		return badUsage("%s: %q is no target", dir, target)
	}
	for _, f := range []reduce.File{
		{Name: filepath.Join(p.seeds, "fuzz", target, hash), Data: fmt.Appendf(nil, "go test fuzz v1\n[]byte(%q)\n", text[0])},
		{Name: filepath.Join(p.seeds, "promoted", hash+".txt"), Data: fmt.Appendf(nil, "why       %s\ntarget    %s\n\n%s", p.why, target, text[2])},
	} {
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			return err
		}
		fmt.Fprintln(s.out, f.Name)
	}
	return nil
}

// foundText tells a link of corpus/testdata/found: what is expected of it, a line each, and then its inputs for people.
func foundText(c *reduce.Case, why, verdict string, res *nvidia.Result) string {
	var b bytes.Buffer
	sum := "-"
	if image := res.Files[reduce.Output]; image != nil {
		h := sha256.Sum256(image)
		sum = hex.EncodeToString(h[:])
	}
	fmt.Fprintf(&b, "why       %s\nnvlink    %s\ncommand   %s\nexit      %d\nimage     %s\noracle    %s\nsays      %q\n", why, c.Release, strings.Join(c.Args(), " "),
		res.ExitCode, sum, verdict, string(res.Stdout)+string(res.Stderr))
	for _, in := range c.Inputs {
		fmt.Fprintf(&b, "\n--- %s\n", in.Name)
		if model, err := dump.Read(in.Name, in.Data, dump.All); err == nil {
			_ = dump.Text(&b, model) // into memory
		} else {
			fmt.Fprintln(&b, err)
		}
	}
	return b.String()
}
