package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/dump"
)

// JudgeContainer reads any bytes as a device file. A file that opens comes back
// from Decode and Encode as it was; what doesn't open is refused by a
// *cubin.Error, and by dump as well.
func JudgeContainer(data []byte) *Divergence {
	return within("container", len(data), func() *Divergence {
		draft, err := cubin.Decode("input", data)
		if err != nil {
			return typed("decode", err)
		}
		out, err := draft.Encode()
		if err != nil {
			return &Divergence{Key: "encode", What: fmt.Sprintf("an unchanged file is not written: %v", err)}
		}
		if !bytes.Equal(out, data) {
			return &Divergence{Key: "round-trip", What: fmt.Sprintf("an unchanged file comes back other from byte %#x on", firstDifference(data, out))}
		}
		return nil
	})
}

// JudgeDump prints any bytes as a device file. The budget is dump's own, sixteen
// times the file.
func JudgeDump(data []byte) *Divergence {
	return within("dump", 4*len(data), func() *Divergence {
		model, err := dump.Read("input", data, dump.All)
		if err != nil {
			return typed("dump", err)
		}
		if err := dump.Text(io.Discard, model); err != nil {
			return &Divergence{Key: "dump-text", What: err.Error()}
		}
		return nil
	})
}

func typed(key string, err error) *Divergence {
	var fault *cubin.Error
	if !errors.As(err, &fault) {
		return &Divergence{Key: key, What: fmt.Sprintf("an error of type %T: %v", err, err)}
	}
	return nil
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}
