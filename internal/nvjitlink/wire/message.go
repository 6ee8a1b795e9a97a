package wire

import (
	"encoding/binary"
	"fmt"
)

// Input is one file of a question.
type Input struct {
	Kind uint32
	Name string // without NUL
	Data []byte
}

// Question asks for one link.
type Question struct {
	ID      uint64
	Options []string // without NUL
	Inputs  []Input
	PTX     bool // get the PTX of the result instead of its cubin
}

// Steps of a link, as Answer.Step says where it ended.
const (
	StepCreate = iota
	StepAdd
	StepComplete
	StepGet
	StepDone
)

// Answer is what came of a question, or the greeting that a worker sends first.
type Answer struct {
	ID    uint64 // 0: the greeting
	Step  uint32 // where the link ended
	Input uint32 // StepAdd: which input was refused
	Code  uint32 // nvJitLinkResult

	Output []byte
	Log    []byte // the library's error log
	Info   []byte // the library's info log
	Text   []byte // what the library printed meanwhile
	Lost   uint64 // bytes of it thrown away

	// Fault says what was wrong with the library's answers: a size of a log or an
	// image out of all bounds. In a greeting: why the library doesn't serve.
	Fault string

	// Of a greeting.
	Protocol     uint32
	Major, Minor uint32
}

// dataAlign is the alignment of the data inside a frame: a library may read an
// ELF file in place.
const dataAlign = 16

// AppendQuestion appends the question's payload. Strings stand with a NUL
// after them, so that the reader can hand them on in place.
func AppendQuestion(b []byte, q *Question) []byte {
	b = binary.LittleEndian.AppendUint64(b, q.ID)
	b = binary.LittleEndian.AppendUint32(b, flag(q.PTX))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(q.Options)))
	for _, o := range q.Options {
		b = appendString(b, o)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(q.Inputs)))
	for i := range q.Inputs {
		in := &q.Inputs[i]
		b = binary.LittleEndian.AppendUint32(b, in.Kind)
		b = appendString(b, in.Name)
		b = appendData(b, in.Data)
	}
	return b
}

func flag(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}

func appendString(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)+1))
	b = append(b, s...)
	return append(b, 0)
}

func appendData(b, data []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	for len(b)%dataAlign != 0 {
		b = append(b, 0)
	}
	b = append(b, data...)
	return append(b, 0) // after the data: nvJitLink reads PTX up to a NUL
}

// AppendAnswer appends the answer's payload.
func AppendAnswer(b []byte, a *Answer) []byte {
	b = binary.LittleEndian.AppendUint64(b, a.ID)
	for _, v := range [...]uint32{a.Step, a.Input, a.Code, a.Protocol, a.Major, a.Minor} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint64(b, a.Lost)
	for _, data := range [...][]byte{a.Output, a.Log, a.Info, a.Text, []byte(a.Fault)} {
		b = appendData(b, data)
	}
	return b
}

// reader takes a payload apart; a first failure sticks.
type reader struct {
	data []byte
	at   int
	bad  bool
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		r.bad = true
		return nil
	}
	b := r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return b
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text returns a string with its NUL.
func (r *reader) text() []byte {
	b := r.bytes(int(r.u32()))
	if len(b) == 0 || b[len(b)-1] != 0 {
		r.bad = true
	}
	return b
}

func (r *reader) block() []byte {
	n := int(r.u32())
	for r.at%dataAlign != 0 && !r.bad {
		r.bytes(1)
	}
	data := r.bytes(n)
	r.bytes(1)
	return data
}

func (r *reader) end() error {
	if r.bad || r.at != len(r.data) {
		return fmt.Errorf("%w: a record that ends early or late", ErrGarbled)
	}
	return nil
}

// RawInput is an input inside a payload, the name with its NUL.
type RawInput struct {
	Kind uint32
	Name []byte
	Data []byte
}

// RawQuestion is a question inside a payload. Its slices are parts of it.
type RawQuestion struct {
	ID      uint64
	PTX     bool
	Options [][]byte // each with its NUL
	Inputs  []RawInput
}

// ReadQuestion takes a payload apart.
func ReadQuestion(payload []byte) (*RawQuestion, error) {
	r := &reader{data: payload}
	q := &RawQuestion{ID: r.u64(), PTX: r.u32() != 0}
	for n := r.u32(); n > 0 && !r.bad; n-- {
		q.Options = append(q.Options, r.text())
	}
	for n := r.u32(); n > 0 && !r.bad; n-- {
		q.Inputs = append(q.Inputs, RawInput{r.u32(), r.text(), r.block()})
	}
	return q, r.end()
}

// ReadAnswer takes a payload apart. The slices are parts of it.
func ReadAnswer(payload []byte) (*Answer, error) {
	r := &reader{data: payload}
	a := &Answer{ID: r.u64(), Step: r.u32(), Input: r.u32(), Code: r.u32(), Protocol: r.u32(), Major: r.u32(), Minor: r.u32(), Lost: r.u64()}
	a.Output, a.Log, a.Info, a.Text = r.block(), r.block(), r.block(), r.block()
	a.Fault = string(r.block())
	return a, r.end()
}
