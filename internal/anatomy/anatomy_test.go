package anatomy_test

import (
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/anatomy"
)

// unknown is MIN_STACK_SIZE of a kernel whose stack nvlink can't determine.
const unknown = 0xffffffff

// TestStacks holds stacks against MIN_STACK_SIZE as nvlink 11.8, 12.4 and 13.0
// wrote it.
func TestStacks(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	bounded, unbounded := 0, 0
	for _, c := range cases {
		if c.Output == nil {
			continue
		}
		f, err := cubin.Open(c.ID(), c.Output)
		if err != nil {
			t.Fatal(err)
		}
		a, err := anatomy.Of(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Functions {
			fn := &a.Functions[i]
			switch {
			case !fn.Kernel || fn.Stated == nil:
			case *fn.Stated == unknown:
				unbounded++
				if fn.Unbounded == "" {
					t.Errorf("%s: %s: nvlink can't determine the stack, here it is %d", c.ID(), fn.Name, fn.Stack)
				}
			default:
				bounded++
				if fn.Unbounded != "" || fn.Stack != uint64(*fn.Stated) {
					t.Errorf("%s: %s: stack %d %s, nvlink has %d", c.ID(), fn.Name, fn.Stack, fn.Unbounded, *fn.Stated)
				}
				if path := a.Path(i); sum(a, path) != fn.Stack {
					t.Errorf("%s: %s: the frames of the path %v don't make %d", c.ID(), fn.Name, path, fn.Stack)
				}
			}
		}
	}
	if bounded < 100 || unbounded < 10 {
		t.Errorf("only %d stacks and %d unknown ones were compared", bounded, unbounded)
	}
}

func sum(a *anatomy.File, path []int) (total uint64) {
	for _, at := range path {
		total += a.Functions[at].Frame
	}
	return total
}
