package view

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/capsule"
)

// Disassembly is what nvdisasm said of a file: texts by place.
type Disassembly struct{ at map[place]string }

type place struct {
	section int
	off     uint32
}

// Words returns the text of an instruction.
func (d *Disassembly) Words(section int, off uint32) string {
	if d == nil {
		return ""
	}
	return d.at[place{section, off}]
}

// Made when a listing is first read, and not when the program starts.
var (
	sectionLine     = lazily(`^\s*\.section\s+([^,\s]+)`)
	instructionLine = lazily(`^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*/\* 0x([0-9a-f]{16}) \*/\s*$`)
)

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// ParseDisassembly reads the output of "nvdisasm -c -hex" on a file. Sections of
// equal names are distinguished by their words: a section of the listing is that of
// the file whose word is at the first instruction's place.
func ParseDisassembly(m *capsule.Image, listing []byte) (*Disassembly, error) {
	d := &Disassembly{at: map[place]string{}}
	texts := map[string][]*capsule.Func{}
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		name := m.Sections[fn.Text].Name
		texts[name] = append(texts[name], fn)
	}
	var fn *capsule.Func
	name := ""
	lines := bufio.NewScanner(bytes.NewReader(listing))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if s := sectionLine().FindStringSubmatch(line); s != nil {
			name, fn = s[1], nil
			continue
		}
		s := instructionLine().FindStringSubmatch(line)
		if s == nil {
			continue
		}
		off, err := strconv.ParseUint(s[1], 16, 32)
		if err != nil {
			return nil, fmt.Errorf("nvdisasm's line %q: %w", line, err)
		}
		word, err := strconv.ParseUint(s[3], 16, 64)
		if err != nil {
			return nil, fmt.Errorf("nvdisasm's line %q: %w", line, err)
		}
		if fn == nil {
			for k, x := range texts[name] {
				if holds(x, off, word) {
					fn = x
					texts[name] = append(texts[name][:k:k], texts[name][k+1:]...)
					break
				}
			}
		}
		if fn != nil && holds(fn, off, word) {
			d.at[place{fn.Text, uint32(off)}] = strings.TrimSpace(s[2])
		}
	}
	return d, lines.Err()
}

func holds(fn *capsule.Func, off, word uint64) bool {
	return off+capsule.WordSize <= uint64(len(fn.Code)) && binary.LittleEndian.Uint64(fn.Code[off:]) == word
}
