package ownwarnings

import "testing"

func TestStrip(t *testing.T) {
	const theirs = "nvlink warning : Stack size for entry function 'k' cannot be statically determined\n"
	for _, c := range []struct {
		own    string
		warned bool
	}{
		{"nvlink warning : Kernel 'k' was rescheduled; the bytes may differ from nvlink's\n", true},
		{"nvlink warning : Dynamic shared memory of 'k' has several alignments; its offset may differ from nvlink's\n", true},
		{"nvlink warning : Pointer to 'f' in .nv.constant3 of 'b.cubin' is zero, because another input defines 'f' too, as with nvlink 13.0 (target: sm_80)\n", false},
		{"nvlink warning : Constant 'c' in .text.k of 'b.cubin' is lost, because another object defines it, as with -r of nvlink 13.0: link both in one step\n", false},
		{"nvlink warning : Kernels that call 'f' through a pointer in 'b.cubin' don't count its resources, as with nvlink 13.0, because another input defines 'f' too\n", false},
		{"nvlink warning : YIELD in .text.f of 'b.cubin' becomes another operation, as with nvlink 13.0, because a function with a jump table is defined twice\n", false},
		{"nvlink warning : Jump table of 'f' in 'b.cubin' has addresses of 0, as with nvlink 13.0, because it replaces a definition that has one\n", false},
		{"nvlink warning : Function 'f', compiled without optimization by an older toolkit, has no waits, as with nvlink 13.5\n", false},
		{"nvlink warning : Dynamic shared memory of 'k' is at 32, not a multiple of the alignment 128 of one of its variables, as with nvlink 13.5\n", false},
	} {
		if rest, warned := Strip(theirs + c.own); rest != theirs || warned != c.warned {
			t.Errorf("%q: left %q, %v", c.own, rest, warned)
		}
		if own := Lines(theirs + c.own); len(own) != 1 || own[0] != c.own {
			t.Errorf("%q: taken out %q", c.own, own)
		}
	}
	const fatal = "nvlink fatal   : a kernel scheduled anew\n"
	if rest, warned := Strip(fatal); rest != fatal || warned || Lines(fatal) != nil {
		t.Errorf("an error: left %q, %v", rest, warned)
	}
}
