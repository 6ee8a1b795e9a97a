package container

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// lz4Ratio is more than an LZ4 block can shrink by: a byte of length stands for
// 255 bytes at most.
const lz4Ratio = 256

// Data returns the piece's content. What isn't compressed is the file's own
// bytes; what is, is unpacked again and taken from the budget first. PTX ends at
// its NUL.
func (m *Member) Data(budget *Budget) ([]byte, error) {
	data := m.Stored
	if m.Flags&flagScrambled != 0 {
		return nil, m.fault(Unsupported, m.Flags, "LTO IR in a form that only NVIDIA's tools read")
	}
	switch m.Compression() {
	case "lz4":
		if m.Size > lz4Ratio*uint64(len(m.Stored)) {
			return nil, m.fault(BadCompression, m.Size, "%d bytes of LZ4 can't hold so much", len(m.Stored))
		}
		if err := m.spend(budget); err != nil {
			return nil, err
		}
		data = make([]byte, m.Size)
		n, err := lz4.UncompressBlock(m.Stored, data)
		if err != nil || uint64(n) != m.Size {
			return nil, m.fault(BadCompression, uint64(n), "LZ4 data of %d bytes don't unpack to the %d that the header says", len(m.Stored), m.Size)
		}
	case "zstd":
		if err := m.spend(budget); err != nil {
			return nil, err
		}
		var err error
		if data, err = m.unzstd(); err != nil {
			return nil, err
		}
	}
	if m.Kind == PTX {
		if end := bytes.IndexByte(data, 0); end >= 0 {
			data = data[:end]
		}
	}
	return data, nil
}

func (m *Member) spend(budget *Budget) error {
	if m.Size > baseMember+ratio*uint64(len(m.Stored)) || !budget.take(m.Size) {
		return m.fault(OverBudget, m.Size, "unpacked, the member is larger than is allowed")
	}
	return nil
}

// zstdReader is made once: a decoder keeps tables worth keeping. It works on
// the caller's goroutine.
var zstdReader = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

// unzstd unpacks into as many bytes as the header says and no more.
func (m *Member) unzstd() ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(m.Stored); err != nil {
		return nil, m.fault(BadCompression, uint64(len(m.Stored)), "zstd: %s", err)
	}
	if head.HasFCS && head.FrameContentSize != m.Size {
		return nil, m.fault(BadCompression, head.FrameContentSize, "the zstd frame holds another size than the %d bytes that the header says", m.Size)
	}
	r, err := zstdReader()
	if err != nil {
		return nil, m.fault(BadCompression, 0, "zstd: %s", err)
	}
	data, err := r.DecodeAll(m.Stored, make([]byte, 0, m.Size))
	if err != nil || uint64(len(data)) != m.Size {
		return nil, m.fault(BadCompression, uint64(len(data)), "zstd data of %d bytes don't unpack to the %d that the header says", len(m.Stored), m.Size)
	}
	return data, nil
}
