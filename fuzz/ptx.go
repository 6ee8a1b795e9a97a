package fuzz

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/ptxgen"
)

// compiled are the objects that ptxas made, by release, architecture and text: a fuzzer asks for the same again and again.
var compiled sync.Map

// ptxTargets are what PTX is compiled for.
var ptxTargets = [...]struct {
	release, arch string
	target        ptxgen.Target
}{
	{"11.8", "sm_52", ptxgen.Lanes}, {"11.8", "sm_80", ptxgen.Stack}, {"12.4", "sm_75", ptxgen.Lanes}, {"12.4", "sm_90", ptxgen.Hopper12},
	{"13.0", "sm_80", ptxgen.Stack}, {"13.0", "sm_90", ptxgen.Hopper12}, {"13.0", "sm_100", ptxgen.Hopper12}, {"13.0", "sm_120", ptxgen.Hopper12},
}

// ReadPTX makes a link of random programs in PTX, which the release's ptxas compiles; ok is false where it won't.
func ReadPTX(ctx context.Context, set *nvidia.Toolset, r *Reader) (q Question, ok bool, err error) {
	t := ptxTargets[int(r.Byte())%len(ptxTargets)]
	q = Question{Release: t.release, Args: []string{"-arch=" + t.arch}}
	for range r.Byte() % 3 {
		q.Args = append(q.Args, questionOptions[int(r.Byte())%len(questionOptions)]...)
	}
	if !slices.Contains(set.Releases(), t.release) {
		return q, false, nil
	}
	program := ptxgen.FromBytes(r.Bytes(min(r.Left(), 256)), t.target, ptxgen.Options{})
	for _, m := range program.Modules {
		key := sha256.Sum256([]byte(t.release + t.arch + m.Text))
		data, known := compiled.Load(key)
		if !known {
			res, err := set.Assemble(ctx, t.release, []string{"-arch=" + t.arch}, nvidia.File{Name: m.Name + ".ptx", Data: []byte(m.Text)})
			if err != nil {
				return q, false, fmt.Errorf("fuzz: ptxas %s: %w", t.release, err)
			}
			if res.Outcome != nvidia.Success {
				return q, false, nil
			}
			data = res.Output
			compiled.Store(key, data)
		}
		q.Inputs = append(q.Inputs, engine.Input{Name: m.Name + ".cubin", Data: data.([]byte)})
	}
	return q, true, nil
}
