package answers

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// Code is a section of code: its name and sum, and a sign of each instruction.
type Code struct {
	Name  string
	Signs []byte
}

const signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// CodeOf returns the sections of code in an image.
func CodeOf(image []byte) ([]Code, error) {
	f, err := cubin.Open("image", image)
	if err != nil {
		return nil, err
	}
	var list []Code
	for i := range f.NumSections() {
		if s := f.Section(i); s.Flags&cuda.SHFExec != 0 {
			content := f.Content(&s)
			c := Code{Name: f.SectionName(&s) + "=" + Sum(content)}
			for word := range slices.Chunk(content, 16) {
				c.Signs = append(c.Signs, signs[sha256.Sum256(word)[0]&63])
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// Compare returns what nvlink has of a section, marked for what we have, and what is not nvlink's any more, "" for nothing.
func Compare(theirs string, ours []Code) (marked, lost string) {
	name, words, _ := strings.Cut(strings.TrimPrefix(theirs, "!"), ":")
	section, _, _ := strings.Cut(name, "=")
	var have []byte
	for _, c := range ours {
		if c.Name == name {
			return name, ""
		}
		if strings.HasPrefix(c.Name, section+"=") {
			have = c.Signs
		}
	}
	if !strings.HasPrefix(theirs, "!") {
		lost = "code"
	}
	marked, other, n := "!"+name+":", false, 0
	for _, w := range []byte(words) {
		if w == '!' {
			other = true
			continue
		}
		if n >= len(have) || have[n] != w {
			marked += "!"
			if !other && lost == "" {
				lost = fmt.Sprintf("instruction %d", n)
			}
		}
		marked, other, n = marked+string(w), false, n+1
	}
	return strings.TrimSuffix(marked, ":"), lost
}
