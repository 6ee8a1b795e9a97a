// Package reduce makes a link on which linkers part as small as it can be while they part in the same way.
//
// What "the same way" is says a [Key]: a function of the link to a short text, such as "image section-size". [Reduce]
// omits options, modules, sections, relocations and symbols, empties function bodies and makes numbers simple, as
// long as the key stays; it works on the structure of the files, so that what is left is a link still. Files that can't be
// read as cubins are kept, or omitted whole.
package reduce

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is an input.
type File struct {
	Name string
	Data []byte
}

// Case is a link: a release of nvlink, its options without inputs and output, and the inputs.
type Case struct {
	Release string
	Options []string
	Inputs  []File
}

// Output is the name of a case's output.
const Output = "out.cubin"

// Args is the whole command line.
func (c *Case) Args() []string {
	args := slices.Clone(c.Options)
	for _, in := range c.Inputs {
		args = append(args, in.Name)
	}
	return append(args, "-o", Output)
}

// Hash names the case by its content.
func (c *Case) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", c.Release, c.Options)
	for _, in := range c.Inputs {
		fmt.Fprintf(h, "%s %d\n", in.Name, len(in.Data))
		h.Write(in.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// Size is the number of bytes that go in.
func (c *Case) Size() int {
	n := 0
	for _, in := range c.Inputs {
		n += len(in.Data)
	}
	return n
}

// commandFile tells a case's command line: "nvlink RELEASE", and then an argument a line.
const commandFile = "command"

// Load reads a case from a folder with a file "command" and the inputs that it names.
func Load(dir string) (*Case, error) {
	text, err := os.ReadFile(filepath.Join(dir, commandFile))
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	tool, release, _ := strings.Cut(lines[0], " ")
	if tool != "nvlink" || release == "" {
		return nil, fmt.Errorf("%s: the first line is %q, want \"nvlink RELEASE\"", filepath.Join(dir, commandFile), lines[0])
	}
	c := &Case{Release: release}
	for i := 1; i < len(lines); i++ {
		a := lines[i]
		if a == "-o" {
			i++ // the output, whatever it is called
			continue
		}
		if strings.HasPrefix(a, "-") || filepath.Base(a) != a {
			c.Options = append(c.Options, a)
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, a))
		if os.IsNotExist(err) { // the value of an option
			c.Options = append(c.Options, a)
			continue
		}
		if err != nil {
			return nil, err
		}
		c.Inputs = append(c.Inputs, File{a, data})
	}
	if len(c.Inputs) == 0 {
		return nil, fmt.Errorf("%s: no input", dir)
	}
	return c, nil
}

// Save writes the case to a folder, with a story if there is one.
func (c *Case) Save(dir, story string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := []File{{commandFile, []byte("nvlink " + c.Release + "\n" + strings.Join(c.Args(), "\n") + "\n")}}
	if story != "" {
		files = append(files, File{"story.txt", []byte(story)})
	}
	for _, f := range append(files, c.Inputs...) {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// clone copies the case, but for the bytes of its inputs.
func (c *Case) clone() *Case {
	return &Case{c.Release, slices.Clone(c.Options), slices.Clone(c.Inputs)}
}

// with returns the case with other bytes for input i, nil where they are the same.
func (c *Case) with(i int, data []byte) *Case {
	if bytes.Equal(data, c.Inputs[i].Data) {
		return nil
	}
	n := c.clone()
	n.Inputs[i].Data = data
	return n
}
