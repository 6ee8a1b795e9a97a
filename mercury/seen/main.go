// Seen makes mercury/seen.tsv: what the words of PLAIN and tag-only nodes look
// like in genuine files. By opcode, or by tag and opcode, it tells the bits that
// have one value in all of them, and by opcode the fields that hold registers:
// those whose values stay below the number of registers of their functions.
package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/internal/families"
)

func main() {
	out := flag.String("o", "mercury/seen.tsv", "")
	base := flag.String("base", "", "a table to go on from")
	flag.Parse()
	t := table{words: map[key]*entry{}, regs: map[uint16]*registers{}, asked: map[key][]asked{}}
	if *base != "" {
		if err := t.read(*base); err != nil {
			fmt.Fprintln(os.Stderr, "seen:", err)
			os.Exit(1)
		}
	}
	for _, folder := range flag.Args() {
		err := families.Each(folder, func(name string, data []byte) {
			if err := t.file(name, data); err != nil {
				fmt.Fprintln(os.Stderr, "seen:", err)
			}
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "seen:", err)
			os.Exit(1)
		}
	}
	if err := t.write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "seen:", err)
		os.Exit(1)
	}
}

// key is an opcode, with the tag of a tag-only node.
type key struct {
	tag uint32
	op  uint16
}

// entry is the words of a key.
type entry struct {
	sms       map[cuda.SM]bool
	n         int
	zero, one [2]uint64 // bits that were never set, never clear
}

// fields is where registers may be in a word.
var fields = [...]uint{16, 24, 32, 64}

// registers is the values of the fields of an opcode.
type registers struct {
	n      int
	values [len(fields)]map[uint8]bool
	over   [len(fields)]int // values that no register of their function has
	base   [len(fields)]bool
}

type table struct {
	words map[key]*entry
	regs  map[uint16]*registers
	asked map[key][]asked
	free  []string // lines that mercury/vary made
}

// asked is a line of 0 words, which mercury/vary made: it holds for an SM and its like.
type asked struct {
	line string
	sm   cuda.SM
}

// like reports whether words of an SM or its like were seen.
func (e *entry) like(sm cuda.SM) bool {
	for s := range e.sms {
		if s >= 120 == (sm >= 120) {
			return true
		}
	}
	return false
}

// read takes over what a table says.
func (t *table) read(name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	word := func(s string) (w [2]uint64) {
		hi, lo, _ := strings.Cut(s, ".")
		w[1], _ = strconv.ParseUint(hi, 16, 64)
		w[0], _ = strconv.ParseUint(lo, 16, 64)
		return w
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] == "free" {
			t.free = append(t.free, line)
			continue
		}
		var k key
		if f[0] == "tag" {
			tag, _ := strconv.ParseUint(f[1], 16, 32)
			k.tag = uint32(tag)
			f = f[1:]
		}
		if len(f) < 3 || strings.HasPrefix(f[0], "#") {
			continue
		}
		op, _ := strconv.ParseUint(f[1], 16, 16)
		k.op = uint16(op)
		if f[0] == "regs" {
			r := &registers{}
			t.regs[k.op] = r
			for i, at := range fields {
				r.base[i] = slices.Contains(strings.Split(f[2], ","), strconv.Itoa(int(at)))
			}
			continue
		}
		if f[3] == "0" {
			sm, _ := strconv.Atoi(f[2])
			t.asked[k] = append(t.asked[k], asked{line, cuda.SM(sm)})
			continue
		}
		e := &entry{sms: map[cuda.SM]bool{}, zero: word(f[4]), one: word(f[5])}
		e.n, _ = strconv.Atoi(f[3])
		for s := range strings.SplitSeq(f[2], ",") {
			sm, _ := strconv.Atoi(s)
			e.sms[cuda.SM(sm)] = true
		}
		t.words[k] = e
	}
	return nil
}

func (t *table) file(name string, data []byte) error {
	f, err := cubin.Open(name, data)
	if err != nil {
		return err
	}
	m := capsule.Open(f)
	counts := registerCounts(m)
	for i := range m.Funcs {
		fn := &m.Funcs[i]
		if fn.Cap == nil {
			continue
		}
		limit := counts[fn.Symbol]
		if setsRegisters(fn.Code) {
			limit = 0
		}
		for k := range fn.Cap.Nodes {
			n := &fn.Cap.Nodes[k]
			if n.Kind == capsule.Skip {
				continue
			}
			for at := n.SASS; at < n.SASS+uint32(n.Span)*capsule.WordSize; at += capsule.WordSize {
				w := [2]uint64{binary.LittleEndian.Uint64(fn.Code[at:]), binary.LittleEndian.Uint64(fn.Code[at+8:])}
				t.registers(w, limit)
			}
			if n.Kind == capsule.Full || n.Span != 1 {
				continue
			}
			w := [2]uint64{binary.LittleEndian.Uint64(fn.Code[n.SASS:]), binary.LittleEndian.Uint64(fn.Code[n.SASS+8:])}
			t.word(key{fn.Cap.Tag(n) &^ (1 << 31), uint16(w[0] & 0xfff)}, w, f.Header.SM())
		}
	}
	return nil
}

// opUSETMAXREG changes the number of registers of a warp.
const opUSETMAXREG = 0x9c8

func setsRegisters(code []byte) bool {
	for at := 0; at+capsule.WordSize <= len(code); at += capsule.WordSize {
		if binary.LittleEndian.Uint16(code[at:])&0xfff == opUSETMAXREG {
			return true
		}
	}
	return false
}

// registerCounts returns the number of registers of functions by symbol.
func registerCounts(m *capsule.Image) map[uint32]uint32 {
	out := map[uint32]uint32{}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.Type != cuda.SHTCudaInfo || s.Name != ".nv.info" {
			continue
		}
		r := m.File.Info(&s.Section)
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrRegcount && len(rec.Data) == 8 {
				out[binary.LittleEndian.Uint32(rec.Data)] = binary.LittleEndian.Uint32(rec.Data[4:])
			}
		}
	}
	return out
}

func (t *table) word(k key, w [2]uint64, sm cuda.SM) {
	e := t.words[k]
	if e == nil {
		e = &entry{sms: map[cuda.SM]bool{}, zero: [2]uint64{^uint64(0), ^uint64(0)}, one: [2]uint64{^uint64(0), ^uint64(0)}}
		t.words[k] = e
	}
	e.n++
	e.sms[sm] = true
	for i := range w {
		e.zero[i] &^= w[i]
		e.one[i] &= w[i]
	}
}

func (t *table) registers(w [2]uint64, limit uint32) {
	op := uint16(w[0] & 0xfff)
	r := t.regs[op]
	if r == nil {
		r = &registers{}
		t.regs[op] = r
	}
	if limit == 0 {
		return
	}
	r.n++
	for i, at := range fields {
		v := uint8(w[at>>6] >> (at & 63))
		if r.values[i] == nil {
			r.values[i] = map[uint8]bool{}
		}
		r.values[i][v] = true
		if v != 255 && uint32(v) >= limit {
			r.over[i]++
		}
	}
}

// Enough words, and values, for a field to be one of registers: of other fields
// some value goes beyond the count sooner or later.
const (
	fewestWords  = 3000
	fewestValues = 40
)

// uniformFields are fields of opcodes below c00 that may hold a uniform register, as nvdisasm 13.5 names it.
var uniformFields = map[uint16]uint{
	0x299: 64, 0x3e9: 64, 0x7ac: 24, 0x83b: 32, 0x890: 64, 0x8a4: 64, 0x984: 32, 0x988: 64,
}

// uniform reports whether a field of an opcode may hold a uniform register.
func uniform(op uint16, at uint) bool { return at == 32 && op >= 0xc00 || uniformFields[op] == at }

const heading = `# Made by mercury/seen from cubins of the families that are used for learning; docs/mercury.md names them.
# plain  opcode  SMs  words  zero bits  one bits
# tag    tag  opcode  SMs  words  zero bits  one bits
# regs   opcode  first bits of the fields that hold registers
# free   plain opcode or tag tag opcode  SM  bits that nvlink 13.5.37 takes with another value, on that SM and its like
# Lines of 0 words are of tags that no cubin here has: mercury/vary tried them.
`

func (e *entry) write(w io.Writer, k key) {
	if k.tag == 0 {
		fmt.Fprintf(w, "plain\t%03x", k.op)
	} else {
		fmt.Fprintf(w, "tag\t%08x\t%03x", k.tag, k.op)
	}
	var sms []string
	for _, sm := range slices.Sorted(maps.Keys(e.sms)) {
		sms = append(sms, strconv.Itoa(int(sm)))
	}
	fmt.Fprintf(w, "\t%s\t%d\t%x.%016x\t%x.%016x\n", strings.Join(sms, ","), e.n, e.zero[1]&(1<<41-1), e.zero[0]&^0xfff, e.one[1]&(1<<41-1), e.one[0]&^0xfff)
}

func (t *table) write(name string) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	w.WriteString(heading)
	keys := map[key]bool{}
	for k := range t.words {
		keys[k] = true
	}
	for k := range t.asked {
		keys[k] = true
	}
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.tag, b.tag), cmp.Compare(a.op, b.op))
	}) {
		if e := t.words[k]; e != nil {
			e.write(w, k)
		}
		for _, a := range t.asked[k] {
			if e := t.words[k]; e == nil || !e.like(a.sm) {
				w.WriteString(a.line)
			}
		}
	}
	for _, op := range slices.Sorted(maps.Keys(t.regs)) {
		r := t.regs[op]
		var list []string
		for i, at := range fields {
			if !uniform(op, at) && r.over[i] == 0 && (r.base[i] || r.n >= fewestWords && len(r.values[i]) >= fewestValues) {
				list = append(list, strconv.Itoa(int(at)))
			}
		}
		if len(list) > 0 {
			fmt.Fprintf(w, "regs\t%03x\t%s\n", op, strings.Join(list, ","))
		}
	}
	for _, line := range t.free {
		w.WriteString(line)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}
