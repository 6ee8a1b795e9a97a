package fuzz

import (
	"encoding/binary"

	fuzzheaders "github.com/AdaLogics/go-fuzz-headers"
)

// Reader takes numbers from a fuzzer's input. After the input's end everything
// is zero, so that any input is a case: a generator that refuses most of what it
// is given teaches the fuzzer nothing.
//
// It is on the library's explicit getters alone. GenerateStruct leaves arrays
// empty and integers small, and GetBytes hands out the fuzzer's own memory.
type Reader struct {
	input *fuzzheaders.ConsumeFuzzer
	left  int
}

// NewReader returns a Reader of data, which it doesn't change.
func NewReader(data []byte) *Reader {
	return &Reader{fuzzheaders.NewConsumer(data), len(data)}
}

// Left returns how many bytes are left.
func (r *Reader) Left() int { return r.left }

// Byte takes one byte.
func (r *Reader) Byte() byte {
	b, err := r.input.GetByte()
	if err != nil {
		return 0
	}
	r.left--
	return b
}

// Bool takes one byte and returns its lowest bit.
func (r *Reader) Bool() bool { return r.Byte()&1 == 1 }

// Bytes takes n bytes; they are the caller's.
func (r *Reader) Bytes(n int) []byte {
	out := make([]byte, n)
	if n > r.left {
		n = r.left
	}
	if n > 0 {
		b, err := r.input.GetNBytes(n)
		if err == nil {
			r.left -= copy(out, b)
		}
	}
	return out
}

// Uint16 takes two bytes, the lowest first.
func (r *Reader) Uint16() uint16 { return binary.LittleEndian.Uint16(r.Bytes(2)) }

// Uint32 takes four bytes, the lowest first.
func (r *Reader) Uint32() uint32 { return binary.LittleEndian.Uint32(r.Bytes(4)) }

// Uint64 takes eight bytes, the lowest first.
func (r *Reader) Uint64() uint64 { return binary.LittleEndian.Uint64(r.Bytes(8)) }

// Below takes four bytes and returns a number below n, 0 where n is 0.
func (r *Reader) Below(n int) int {
	v := r.Uint32()
	if n <= 0 {
		return 0
	}
	return int(uint64(v) % uint64(n))
}

// Writer puts down what a Reader will take.
type Writer struct{ b []byte }

// Input returns what was put down.
func (w *Writer) Input() []byte { return w.b }

// Byte is the counterpart of Reader.Byte.
func (w *Writer) Byte(b byte) { w.b = append(w.b, b) }

// Bool is the counterpart of Reader.Bool.
func (w *Writer) Bool(b bool) {
	if b {
		w.Byte(1)
	} else {
		w.Byte(0)
	}
}

// Bytes is the counterpart of Reader.Bytes.
func (w *Writer) Bytes(b []byte) { w.b = append(w.b, b...) }

// Uint16 is the counterpart of Reader.Uint16.
func (w *Writer) Uint16(v uint16) { w.b = binary.LittleEndian.AppendUint16(w.b, v) }

// Uint32 is the counterpart of Reader.Uint32.
func (w *Writer) Uint32(v uint32) { w.b = binary.LittleEndian.AppendUint32(w.b, v) }

// Uint64 is the counterpart of Reader.Uint64.
func (w *Writer) Uint64(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }
