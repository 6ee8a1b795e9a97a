package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// JudgeLive puts a question to the engine and to nvlink of its release. Where nvlink made an image the engine's is the
// same to the byte; where it refused, the engine refuses. That nvlink dies, or links a file that is broken, says nothing.
func (q *Question) JudgeLive(ctx context.Context, set *nvidia.Toolset, kind string) (Ruling, *Divergence) {
	first := *q
	first.Final = nil
	ruling, d := first.judgeLive(ctx, set, kind)
	return ruling, d.of(&first)
}

func (q *Question) judgeLive(ctx context.Context, set *nvidia.Toolset, kind string) (Ruling, *Divergence) {
	var files []nvidia.File
	for _, in := range q.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	res, err := set.Link(ctx, q.Release, q.Args, files)
	if err != nil {
		return Diverge, &Divergence{Key: "live", What: err.Error()}
	}
	var out *engine.Output
	if d := guarded("live", func() *Divergence { out, err = q.Link(); return nil }); d != nil {
		return Diverge, d
	}
	diverge := func(key, what string) (Ruling, *Divergence) {
		return Diverge, &Divergence{Key: "live-" + kind + "-" + key, What: what, Traces: []Trace{{"link", q.story()}, {"nvlink", res.String() + "\n" + head(res.Message(), 10)}}}
	}
	switch res.Outcome {
	case nvidia.Success:
		switch {
		case err != nil:
			return OneRefuses, nil // what the engine doesn't take it says; see the keys of the recorded answers
		case !bytes.Equal(out.Image, res.Output):
			return diverge(keyOf(out.Image, res.Output), "bytes differ: "+firstKey(out.Image, res.Output))
		}
		return Agree, nil
	case nvidia.Refused:
		if err == nil {
			return diverge("refused", "the engine links what nvlink refuses: "+strings.TrimSpace(head(res.Message(), 1)))
		}
		return BothRefuse, nil
	}
	return Dead, nil
}

// keyOf is the first difference without numbers and names, so that like differences have one key.
func keyOf(a, b []byte) string {
	key, _, _ := strings.Cut(firstKey(a, b), ":")
	parts := strings.Split(key, ".")
	return fmt.Sprint(parts[0], "-", parts[len(parts)-1])
}
