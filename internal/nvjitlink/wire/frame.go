// Package wire is the protocol between internal/nvjitlink and its worker
// process: frames with a checksum over a pipe, questions one way and answers the
// other.
//
// The library that the worker loads shares the worker's memory and file
// descriptors and may write anywhere. So each frame carries a mark, its length
// and a checksum, and each answer the number of its question: what doesn't fit
// is an error and never an answer.
package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Version changes with the form of any frame. The worker's greeting carries it.
const Version = 2

const (
	mark       = 0x314a4c54 // "TLJ1"
	headerSize = 12
)

// MaxFrame is the length of the largest frame that is read.
const MaxFrame = 1 << 30

var table = crc32.MakeTable(crc32.Castagnoli)

// ErrGarbled says that what arrived is not a frame.
var ErrGarbled = errors.New("not a frame of the protocol")

// WriteFrame writes one frame.
func WriteFrame(w io.Writer, payload []byte) error {
	var h [headerSize]byte
	binary.LittleEndian.PutUint32(h[0:], mark)
	binary.LittleEndian.PutUint32(h[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(h[8:], crc32.Checksum(payload, table))
	if _, err := w.Write(h[:]); err != nil {
		return err
	}
	_, err := w.Write(payload)
	return err
}

// ReadFrame reads one frame into buf, which it lets grow, and returns the
// payload. Errors: io.EOF before the first byte, io.ErrUnexpectedEOF inside a
// frame, ErrGarbled.
//
// The buffer grows by what has arrived, so that a false length costs no memory.
func ReadFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	var h [headerSize]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(h[4:]))
	if binary.LittleEndian.Uint32(h[0:]) != mark || n > MaxFrame {
		return nil, ErrGarbled
	}
	buf = buf[:0]
	const step = 1 << 20
	for len(buf) < n {
		more := min(n-len(buf), max(step, len(buf)))
		buf = append(buf, make([]byte, more)...)
		if _, err := io.ReadFull(r, buf[len(buf)-more:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	if crc32.Checksum(buf, table) != binary.LittleEndian.Uint32(h[8:]) {
		return nil, fmt.Errorf("%w: wrong checksum", ErrGarbled)
	}
	return buf, nil
}
