package answers

import (
	"archive/zip"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz"
)

// Reached is a link that comes to a rare place of the engine. cmd/twinlink's TestReached says where it comes from.
type Reached struct {
	Program, Release string
	Args, Inputs     []string // of the inputs the names in objects.zip
	Outcome
	Code []string // sums of nvlink's code, where the image differs
}

// Row is the link as it is in the file.
func (l *Reached) Row() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\n", l.Program, l.Release, strings.Join(l.Args, " "), strings.Join(l.Inputs, " "), l.Exit, l.Image, l.Text, l.Key, strings.Join(l.Code, " "))
}

// ID names the link in a list of sums.
func (l *Reached) ID() string {
	return Sum(fmt.Append(nil, l.Program, "\n", l.Release, "\n", l.Args, "\n", l.Inputs))
}

// Question is the link with its files.
func (l *Reached) Question(objects map[string][]byte) *fuzz.Question {
	q := &fuzz.Question{Release: l.Release, Args: l.Args}
	for i, name := range l.Inputs {
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d%s", i, cmp.Or(filepath.Ext(name), ".cubin")), Data: objects[name]})
	}
	return q
}

// ReadReached reads the links of a folder, corpus/testdata/reached, and their files.
func ReadReached(folder string) (list []Reached, objects map[string][]byte, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "answers.tsv"))
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 9 {
			return nil, nil, fmt.Errorf("%q has %d fields, want 9", line, len(f))
		}
		l := Reached{Program: f[0], Release: f[1], Args: strings.Fields(f[2]), Inputs: strings.Fields(f[3]), Outcome: Outcome{Image: f[5], Text: f[6], Key: f[7]}, Code: strings.Fields(f[8])}
		if l.Exit, err = strconv.Atoi(f[4]); err != nil {
			return nil, nil, fmt.Errorf("%q", line)
		}
		list = append(list, l)
	}
	objects, err = unpack(filepath.Join(folder, "objects.zip"))
	return list, objects, err
}

func unpack(name string) (map[string][]byte, error) {
	packed, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	objects := map[string][]byte{}
	for _, f := range packed.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		objects[f.Name], err = io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	return objects, nil
}
