package output

import (
	"fmt"
	"io"

	"github.com/twinlink/twinlink/engine/internal/parallel"
)

// File is a planned file in pieces that follow each other and may leave gaps
// of zeros. Pieces are filled side by side, each once.
type File interface {
	Len() int
	Extent(i int) (off, size uint64)

	// Found returns the bytes of a piece that are an input's as they stand, nil
	// for one that Fill makes.
	Found(i int) []byte

	// Fill fills a piece, which is zero.
	Fill(i int, b []byte)
}

// Window is how many bytes are put together before they are written. Larger
// pieces are written alone. It fits in a core's cache.
const Window = 256 << 10

// Emit makes a file of so many bytes. With to it is written there, a window at a
// time, and never held whole; without, it is returned.
func Emit(p File, size uint64, to io.WriterAt) ([]byte, error) {
	if to != nil {
		return nil, write(p, size, to)
	}
	out := make([]byte, size)
	parallel.Do(p.Len(), func(from, end int) {
		for i := from; i < end; i++ {
			if off, n := p.Extent(i); n > 0 {
				fill(p, i, out[off:off+n:off+n])
			}
		}
	})
	return out, nil
}

// EmitEdited is Emit, but that a fault in filling is its error, and that edit
// changes the file when all of it is filled: it is then held whole until it is
// written. With nil nothing is changed.
func EmitEdited(p File, size uint64, to io.WriterAt, faults *Faults, edit func(file []byte)) ([]byte, error) {
	at := to
	if edit != nil {
		at = nil
	}
	out, err := Emit(p, size, at)
	if first := faults.Err(); first != nil {
		return nil, first
	}
	if err != nil || edit == nil {
		return out, err
	}
	if edit(out); to == nil {
		return out, nil
	}
	_, err = to.WriteAt(out, 0)
	return nil, err
}

func fill(p File, i int, b []byte) {
	if found := p.Found(i); found != nil {
		copy(b, found)
		return
	}
	p.Fill(i, b)
}

// span is a window: its pieces, and where it is in the file.
type span struct {
	from, end   int
	first, last uint64
}

// windows cuts a file.
func windows(p File, size uint64) []span {
	list := make([]span, 0, size/Window+8)
	now := span{}
	for i := range p.Len() {
		off, n := p.Extent(i)
		if n == 0 {
			continue
		}
		if off+n-now.first > Window && now.last > now.first {
			list = append(list, now)
			now = span{from: i, first: now.last, last: now.last}
		}
		if n > Window && off > now.first { // zeros before a large piece
			list = append(list, span{from: i, end: i, first: now.first, last: off})
			now = span{from: i, first: off, last: off}
		}
		now.end, now.last = i+1, off+n
	}
	now.last = size
	return append(list, now)
}

func write(p File, size uint64, to io.WriterAt) error {
	list := windows(p, size)
	failed := make([]error, len(list))
	parallel.Run(len(list), func(next func() int) {
		w := writer{file: p, to: to}
		for k := next(); k >= 0; k = next() {
			failed[k] = w.write(&list[k])
		}
	})
	for _, err := range failed {
		if err != nil {
			return fmt.Errorf("writing the output: %w", err)
		}
	}
	return nil
}

// writer writes one window after the other.
type writer struct {
	file File
	to   io.WriterAt
	room []byte
}

func (w *writer) write(s *span) error {
	if found := w.found(s); found != nil {
		_, err := w.to.WriteAt(found, int64(s.first))
		return err
	}
	n := int(s.last - s.first)
	if cap(w.room) < n {
		w.room = make([]byte, max(n, Window))
	}
	b := w.room[:n]
	clear(b)
	for i := s.from; i < s.end; i++ {
		if off, size := w.file.Extent(i); size > 0 {
			at := off - s.first
			fill(w.file, i, b[at:at+size:at+size])
		}
	}
	_, err := w.to.WriteAt(b, int64(s.first))
	return err
}

// found returns the bytes of a window that is one piece as an input has it, nil for
// others.
func (w *writer) found(s *span) []byte {
	if s.end != s.from+1 {
		return nil
	}
	off, size := w.file.Extent(s.from)
	if off != s.first || size != s.last-s.first {
		return nil
	}
	if found := w.file.Found(s.from); uint64(len(found)) == size {
		return found
	}
	return nil
}
