package biglink

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"sync"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

//go:embed template.cubin.gz
var packed []byte

// Template returns the module that ptxas made.
var Template = sync.OnceValues(func() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("biglink: %w", err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("biglink: %w", err)
	}
	return data, nil
})

// limit is how many modules the digits can number.
const limit = 1 << 16

// Modules makes n modules for sm_80 that link with each other and with nothing
// else; n is 2 to 65536.
func Modules(n int) ([][]byte, error) {
	if n < 2 || n > limit {
		return nil, fmt.Errorf("biglink: %d modules, want 2 to %d", n, limit)
	}
	template, err := Template()
	if err != nil {
		return nil, err
	}
	return Copies(template, n, func(i int) int { return (i + 1) % n })
}

// Copies makes n modules of one whose names hold [Own] and [Next], in place of
// which module i gets its own number and that of module next(i).
func Copies(template []byte, n int, next func(i int) int) ([][]byte, error) {
	list := make([][]byte, n)
	for i := range list {
		d, err := cubin.Decode("template", template)
		if err != nil {
			return nil, err
		}
		for s := 1; s < d.NumSections(); s++ {
			if d.Part(s).Type != cuda.SHTStrtab {
				continue
			}
			names := bytes.ReplaceAll(d.Data(s), []byte(Own), number(i))
			names = bytes.ReplaceAll(names, []byte(Next), number(next(i)))
			if err := d.SetData(s, names); err != nil {
				return nil, err
			}
		}
		if list[i], err = d.Encode(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func number(i int) []byte { return fmt.Appendf(nil, "m%04x", i) }
