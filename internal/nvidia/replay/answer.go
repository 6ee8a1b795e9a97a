package replay

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// answer is what a tool did.
type answer struct {
	Code           int // exit status; above signalled where a signal ended it
	Stdout, Stderr []byte
	Files          map[string][]byte // that it left
}

// signalled is what a shell adds to the number of a signal.
const signalled = 128

// Endings of the files in the folder of answers, of which each has its question's key for a name.
const (
	kept    = ".answer"
	asked   = ".asked"
	missing = ".missing" // a question without an answer
)

// noAnswer is the exit status of a stand-in that has none.
const noAnswer = 97

// question identifies what a tool is asked: by its arguments, and the bytes of files that they name.
func question(tool string, args []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", tool, args)
	for _, a := range args {
		if b, err := os.ReadFile(a); err == nil {
			fmt.Fprintf(h, "%q %d\n%s", a, len(b), b)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// standIn answers as a tool did, or asks it, and returns the exit status.
func standIn(tool, folder, program string) int {
	args := os.Args[1:]
	name := filepath.Join(folder, question(tool, args))
	if program != "" {
		if err := keep(name+kept, program, args); err != nil {
			fmt.Fprintln(os.Stderr, "replay:", err)
			return noAnswer
		}
	}
	b, err := os.ReadFile(name + kept)
	var a answer
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(b)).Decode(&a)
	}
	if err != nil {
		text := fmt.Sprintf("%s %s", tool, strings.Join(args, " "))
		_ = os.WriteFile(name+missing, []byte(text), 0o644)
		fmt.Fprintf(os.Stderr, "replay: no answer for %s\n", text)
		return noAnswer
	}
	_ = os.WriteFile(name+asked, nil, 0o644)
	for file, data := range a.Files {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "replay:", err)
			return noAnswer
		}
	}
	os.Stdout.Write(a.Stdout)
	os.Stderr.Write(a.Stderr)
	return a.Code
}

// keep asks a tool and keeps what it does.
func keep(name, program string, args []string) error {
	before, err := filesHere()
	if err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(program, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		return err
	}
	a := answer{Code: status(c.ProcessState), Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Files: map[string][]byte{}}
	after, err := filesHere()
	if err != nil {
		return err
	}
	for file := range after {
		if !before[file] {
			if a.Files[file], err = os.ReadFile(file); err != nil {
				return err
			}
		}
	}
	return write(name, &a)
}

// filesHere are the plain files of the working folder.
func filesHere() (map[string]bool, error) {
	entries, err := os.ReadDir(".")
	files := map[string]bool{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			files[e.Name()] = true
		}
	}
	return files, err
}

func write(name string, value any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// packed are the answers of a file, in the order of their keys.
type packed []struct {
	Key    string
	Answer []byte
}

// pack makes one file of a folder's answers.
func pack(folder, file string) error {
	var all packed
	entries, err := os.ReadDir(folder) // in order
	if err != nil {
		return err
	}
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), kept)
		if !ok {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		all = append(all, struct {
			Key    string
			Answer []byte
		}{key, b})
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(all); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// unpack lays a file's answers into a folder. No file has none.
func unpack(file, folder string) error {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	var all packed
	if err := gob.NewDecoder(z).Decode(&all); err != nil {
		return err
	}
	for _, a := range all {
		if err := os.WriteFile(filepath.Join(folder, a.Key+kept), a.Answer, 0o644); err != nil {
			return err
		}
	}
	return nil
}
