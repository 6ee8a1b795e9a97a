// Command regen asks nvlink the questions of corpus/definitions and compares the answers with the recorded ones.
//
// The tools are looked for as everywhere in the project ($TWINLINK_WITNESS, .witness). Differences go to standard
// output and make the exit status 1. With -every N only each N-th question is asked. With -update the answers, the
// objects and docs/definitions.md are written instead.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/internal/nvidia"
)

func main() {
	root := flag.String("corpus", filepath.Join("corpus", "definitions"), "folder of the corpus")
	docs := flag.String("docs", filepath.Join("docs", "definitions.md"), "file of the tables")
	update := flag.Bool("update", false, "write what nvlink says")
	every := flag.Int("every", 1, "ask each `N`-th question only")
	flag.Parse()
	if *every < 1 || *update && *every > 1 {
		fmt.Fprintln(os.Stderr, "regen: -every takes a positive number, and 1 with -update")
		os.Exit(2)
	}
	if err := run(context.Background(), *root, *docs, *update, *every); err != nil {
		fmt.Fprintln(os.Stderr, "regen:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, docs string, update bool, every int) error {
	tools, err := nvidia.Find(ctx, nvidia.Options{Dir: root})
	if err != nil {
		return err
	}
	var questions []definitions.Question
	for i, q := range definitions.Questions() {
		if i%every == 0 {
			questions = append(questions, q)
		}
	}
	r := &asker{tools: tools, questions: questions, objects: make(map[string][]byte), answers: make(map[string]definitions.Answer)}
	if err := r.makeObjects(ctx); err != nil {
		return err
	}
	if err := r.askAll(ctx); err != nil {
		return err
	}
	text := definitions.Format(r.answers)
	if update {
		return errors.Join(
			os.WriteFile(filepath.Join(root, "answers.gz"), pack([]byte(text)), 0o644),
			os.WriteFile(filepath.Join(root, "objects.tar.gz"), pack(archive(r.objects)), 0o644),
			os.WriteFile(docs, []byte(table(r.answers)), 0o644))
	}
	return compare(r)
}

// compare prints what the tools say otherwise than is recorded.
func compare(r *asker) error {
	answers, err := definitions.Answers()
	if err != nil {
		return err
	}
	objects, err := definitions.Objects()
	if err != nil {
		return err
	}
	differ := 0
	for _, q := range r.questions {
		if what := difference(r.answers, answers, q.ID()); what != "" {
			differ++
			fmt.Printf("%s\t%s\n", q.ID(), what)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.objects)) {
		if !bytes.Equal(r.objects[key], objects[key]) {
			differ++
			fmt.Printf("%s\tobject\n", key)
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d differences", differ)
	}
	fmt.Printf("%d questions, %d answers, %d objects: no difference\n", len(r.questions), len(r.answers), len(r.objects))
	return nil
}

// difference says what of an answer isn't as recorded, "" where all is.
func difference(now, recorded map[string]definitions.Answer, id string) string {
	a, answered := now[id]
	want, ok := recorded[id]
	switch {
	case answered != ok:
		return fmt.Sprintf("answered: %t, recorded: %t", answered, ok)
	case a.Exit != want.Exit:
		return fmt.Sprintf("exit status %d, recorded %d", a.Exit, want.Exit)
	case a.Stderr != want.Stderr:
		return fmt.Sprintf("messages %q, recorded %q", a.Stderr, want.Stderr)
	case a.Hash != want.Hash:
		return fmt.Sprintf("output %s, recorded %s", a.Hash, want.Hash)
	case a.Stands != want.Stands:
		return fmt.Sprintf("the output shows %q, recorded %q", a.Stands, want.Stands)
	}
	return ""
}

// asker makes objects and asks questions.
type asker struct {
	tools     *nvidia.Toolset
	questions []definitions.Question
	mu        sync.Mutex
	objects   map[string][]byte // absent: the tools make none
	answers   map[string]definitions.Answer
}

// makeObjects makes every object that a question names, those of a relocatable
// link after what they join.
func (r *asker) makeObjects(ctx context.Context) error {
	var plain, joined []string
	seen := make(map[string]bool)
	var add func(key string) error
	add = func(key string) error {
		if seen[key] {
			return nil
		}
		seen[key] = true
		o, err := definitions.ParseObject(key)
		if err != nil {
			return err
		}
		if o.Joined == nil {
			plain = append(plain, key)
			return nil
		}
		joined = append(joined, key)
		for _, part := range o.Joined {
			if err := add(o.Release + "/" + o.Arch + "/" + part); err != nil {
				return err
			}
		}
		return nil
	}
	for _, q := range r.questions {
		for _, key := range q.Objects {
			if err := add(key); err != nil {
				return err
			}
		}
	}
	if err := sideBySide(plain, func(key string) error { return r.assemble(ctx, key) }); err != nil {
		return err
	}
	return sideBySide(joined, func(key string) error { return r.join(ctx, key) })
}

func (r *asker) assemble(ctx context.Context, key string) error {
	o, err := definitions.ParseObject(key)
	if err != nil {
		return err
	}
	args := append([]string{"-arch=" + o.Arch}, o.Flags...)
	res, err := r.tools.Assemble(ctx, o.Release, args, nvidia.File{Name: "x.ptx", Data: []byte(o.Source())})
	if err != nil {
		return err
	}
	if res.Outcome == nvidia.Success {
		r.keep(key, res.Output)
	}
	return nil
}

func (r *asker) join(ctx context.Context, key string) error {
	o, err := definitions.ParseObject(key)
	if err != nil {
		return err
	}
	var files []nvidia.File
	for i, part := range o.Joined {
		data := r.objects[o.Release+"/"+o.Arch+"/"+part]
		if data == nil {
			return nil
		}
		files = append(files, nvidia.File{Name: definitions.InputName(i), Data: data})
	}
	res, err := r.tools.Link(ctx, o.Release, []string{"-arch=" + o.Arch, "-r"}, files)
	if err != nil {
		return err
	}
	if res.Outcome == nvidia.Success {
		r.keep(key, res.Output)
	}
	return nil
}

func (r *asker) keep(key string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.objects[key] = data
}

func (r *asker) askAll(ctx context.Context) error {
	return sideBySide(r.questions, func(q definitions.Question) error { return r.ask(ctx, q) })
}

func (r *asker) ask(ctx context.Context, q definitions.Question) error {
	var files []nvidia.File
	for i, key := range q.Objects {
		if r.objects[key] == nil {
			return nil
		}
		files = append(files, nvidia.File{Name: definitions.InputName(i), Data: r.objects[key]})
	}
	res, err := r.tools.Link(ctx, q.Release, append([]string{"-arch=" + q.Arch}, q.Options...), files)
	if err != nil {
		return err
	}
	a := definitions.Answer{Exit: res.ExitCode, Stderr: string(res.Stderr)}
	if res.Signal != 0 {
		a.Exit = -int(res.Signal)
	}
	if res.Output != nil && res.Signal == 0 { // what a killed nvlink leaves is another every time
		sum := sha256.Sum256(res.Output)
		a.Hash = hex.EncodeToString(sum[:8])
		a.Stands = stands(res.Output)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[q.ID()] = a
	return nil
}

// sideBySide calls f for each element of a list, a few at a time.
func sideBySide[T any](list []T, f func(T) error) error {
	work := make(chan T)
	fault := make(chan error, runtime.NumCPU())
	var group sync.WaitGroup
	for range runtime.NumCPU() {
		group.Go(func() {
			var first error
			for v := range work {
				if first == nil {
					first = f(v)
				}
			}
			fault <- first
		})
	}
	for _, v := range list {
		work <- v
	}
	close(work)
	group.Wait()
	close(fault)
	var all error
	for err := range fault {
		all = errors.Join(all, err)
	}
	return all
}

func pack(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(data) // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

// archive sorts objects so that like ones stand together.
func archive(objects map[string][]byte) []byte {
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, key := range keys {
		_ = w.WriteHeader(&tar.Header{Name: key, Mode: 0o644, Size: int64(len(objects[key])), Format: tar.FormatPAX})
		_, _ = w.Write(objects[key])
	}
	_ = w.Close()
	return b.Bytes()
}
