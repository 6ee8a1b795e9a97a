// Command wrongcode looks for links that an nvlink makes with exit status 0 and that are wrong, in five ways:
//
//	stable  the same question with other contents of fresh memory (MALLOC_PERTURB_), other addresses (setarch -R) and
//	        in another folder: the image and the messages have to be the same
//	losses  a program as an archive, in forms that archivers make, beside the program as files: no kernel may go
//	        silently
//	steps   programs linked with -r, all or a part of them, and then by a second link: the oracle has to accept it
//	ties    a weak function that two or three modules define, by toolkits and for virtual targets of all kinds: every
//	        nvlink, each nvJitLink, in one step and in two; the oracle has to accept each
//	library the same question to nvJitLink of the release: the same image, or none from both
//
//	go run ./corpus/internal/wrongcode -search stable -from 0 -n 500
//
// A line is printed for each link that is not as it should be, with the question's kind and number and what is wrong, and
// at the end how many were asked. Questions are those of package fuzz; the same numbers ask the same again.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

type search struct {
	set   *nvidia.Toolset
	dir   string
	keep  string // folder for what was found, "" for none
	asked int
	found map[string]int // by what is wrong

	libraries map[string]*nvjitlink.Linker // by release
}

func main() {
	what := flag.String("search", "stable", "stable, losses, steps, ties or library")
	from := flag.Uint64("from", 0, "number of the first question")
	n := flag.Uint64("n", 200, "how many")
	kind := flag.String("kind", "alone", "kind of question")
	keep := flag.String("keep", "", "folder for the files of each reported link")
	limit := flag.Duration("limit", 0, "begin no question after this time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *what, *kind, *keep, *from, *n, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "wrongcode:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, what, kind, keep string, from, n uint64, limit time.Duration) error {
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(nvidia.InMemory(), "wrongcode")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &search{set: set, dir: dir, keep: keep, found: map[string]int{}, libraries: map[string]*nvjitlink.Linker{}}
	for _, lib := range nvjitlink.Find(nvjitlink.Options{}) {
		linker := nvjitlink.New(lib, nvjitlink.Options{})
		defer linker.Close()
		s.libraries[lib.Release] = linker
	}
	ask := map[string]func(context.Context, *fuzz.Question) []string{"stable": s.stable, "losses": s.losses, "steps": s.steps, "library": s.both}[what]
	questions := fuzz.KindOf(kind)
	if ask == nil && what != "ties" || questions == nil {
		return fmt.Errorf("no search %q of kind %q", what, kind)
	}
	began := time.Now()
	for i := from; i < from+n && ctx.Err() == nil && (limit == 0 || time.Since(began) < limit); i++ {
		if what == "ties" {
			q, wrong := s.ties(ctx, i)
			s.tell("ties", i, q, wrong)
			continue
		}
		q, err := questions.Question(i)
		if err != nil {
			return err
		}
		if !slices.Contains(set.Releases(), q.Release) {
			continue
		}
		s.tell(kind, i, &q, ask(ctx, &q))
	}
	fmt.Printf("wrongcode: %d runs, %d wrong, %.0f s\n", s.asked, len(s.found), time.Since(began).Seconds())
	if s.asked == 0 {
		return errors.New("no tool was run")
	}
	return nil
}

// tell prints what is wrong with a question's links.
func (s *search) tell(kind string, n uint64, q *fuzz.Question, wrong []string) {
	if len(wrong) > 0 && s.keep != "" {
		dir := filepath.Join(s.keep, fmt.Sprintf("%s-%d", kind, n))
		for _, in := range q.Inputs {
			if os.MkdirAll(dir, 0o755) != nil || os.WriteFile(filepath.Join(dir, in.Name), in.Data, 0o644) != nil {
				fmt.Fprintln(os.Stderr, "wrongcode: not kept:", dir)
			}
		}
	}
	for _, w := range wrong {
		s.found[firstLine(w)]++
		fmt.Printf("%s %d, nvlink %s %s of %s: %s\n", kind, n, q.Release, strings.Join(q.Args, " "), strings.Join(q.From, " "), w)
	}
}

// both asks nvlink and nvJitLink.
func (s *search) both(ctx context.Context, q *fuzz.Question) []string {
	first := s.ask(ctx, q.Release, q.Inputs, slices.Concat(q.Args, names(q.Inputs)), nil, nil, "nvlink")
	if first.exit < 0 {
		return nil
	}
	return s.library(ctx, q, &first)
}

// answer is what a run of nvlink ended in.
type answer struct {
	exit  int // -1: a signal ended it
	image []byte
	text  string
}

func (a *answer) linked() bool { return a.exit == 0 && len(a.image) > 0 }

// ask runs nvlink of a release on files, through a command that is put before it, with variables of its own.
func (s *search) ask(ctx context.Context, release string, files []engine.Input, args, before, env []string, folder string) answer {
	s.asked++
	tool, err := s.set.Tool(release, nvidia.Nvlink)
	if err != nil {
		return answer{exit: -1, text: err.Error()}
	}
	dir := filepath.Join(s.dir, folder)
	_ = os.RemoveAll(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return answer{exit: -1, text: err.Error()}
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return answer{exit: -1, text: err.Error()}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	line := slices.Concat(before, []string{tool.Path}, args, []string{"-o", "out.cubin"})
	c := exec.CommandContext(ctx, line[0], line[1:]...)
	var text bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &text, &text
	c.Env = append([]string{"PATH=/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir}, env...)
	err = c.Run()
	a := answer{text: text.String()}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		a.exit = exit.ExitCode()
	} else if err != nil {
		a.exit, a.text = -1, err.Error()
	}
	a.image, _ = os.ReadFile(filepath.Join(dir, "out.cubin"))
	return a
}

func names(files []engine.Input) (list []string) {
	for _, f := range files {
		list = append(list, f.Name)
	}
	return list
}
