package engine_test

import (
	"fmt"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/biglink"
)

func bigInputs(b *testing.B, modules int) (inputs []engine.Input, size int) {
	list, err := biglink.Modules(modules)
	if err != nil {
		b.Fatal(err)
	}
	for i, data := range list {
		inputs = append(inputs, engine.Input{Name: fmt.Sprintf("m%04d.cubin", i), Data: data})
		size += len(data)
	}
	return inputs, size
}

// BenchmarkLink shows how time and memory grow: MB/s must stay what it is.
func BenchmarkLink(b *testing.B) {
	for _, modules := range []int{16, 64, 256, 1024} {
		b.Run(fmt.Sprintf("modules=%d", modules), func(b *testing.B) {
			inputs, size := bigInputs(b, modules)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Link(inputs, engine.Options{Arch: "sm_80"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCopy is what a link can't beat: its inputs' bytes put one after the
// other into a new image.
func BenchmarkCopy(b *testing.B) {
	inputs, size := bigInputs(b, 256)
	b.SetBytes(int64(size))
	for b.Loop() {
		image := make([]byte, size)
		at := 0
		for _, in := range inputs {
			at += copy(image[at:], in.Data)
		}
	}
}
