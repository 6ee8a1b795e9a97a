package check

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// A weak function by ptxas 13.0 and by 13.5: nvlink 13.5 takes the first and makes it just
// what the second is. Its attributes say which it was.
func TestWeakOfTwoReleases(t *testing.T) {
	weakTwice(t, [2]string{"13.0", "-O3"}, [2]string{"13.5", "-O3"})
}

// Of one that is the same by both levels only the options in the Mercury side's attributes
// tell.
func TestWeakOfTwoLevels(t *testing.T) {
	weakTwice(t, [2]string{"13.5", "-O1"}, [2]string{"13.5", "-O3"})
}

// weakTwice links objects of two compilers with one weak function in both orders.
func weakTwice(t *testing.T, compilers ...[2]string) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink, nvidia.Ptxas)
	nvidiatest.Need(t, "13.0", nvidia.Ptxas)
	text, err := os.ReadFile("testdata/weak_mixed.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []Input
	var files []nvidia.File
	for i, x := range compilers {
		kernel := fmt.Sprintf("k%d", i)
		source := strings.ReplaceAll(string(text), "KERNEL", kernel)
		r, err := tools.Assemble(context.Background(), x[0], []string{"-c", "-arch=sm_120", x[1]}, nvidia.File{Name: kernel + ".ptx", Data: []byte(source)})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		inputs = append(inputs, Input{Name: kernel + ".cubin", Data: r.Output})
		files = append(files, nvidia.File{Name: kernel + ".cubin", Data: r.Output})
	}
	for range 2 {
		r, err := tools.Link(context.Background(), "13.5", []string{"-arch=sm_120"}, files)
		if err != nil || !r.Linked() {
			t.Fatal(r, err)
		}
		for _, list := range [][]Input{inputs, {inputs[1], inputs[0]}} { // whichever order the check is told
			if v := Check(list, r.Output, Options{Arch: "sm_120"}); !v.Agrees() {
				t.Errorf("%s first:\n%s", inputs[0].Name, v)
			}
		}
		inputs[0], inputs[1] = inputs[1], inputs[0]
		files[0], files[1] = files[1], files[0]
	}
}

// A weak table of addresses in constants, in an object that defines none of them and in one that
// does: nvlink 11.8 fills the first in for good, so that no record says which it took.
func TestWeakOfConstants(t *testing.T) {
	tools := nvidiatest.Need(t, "11.8", nvidia.Nvlink, nvidia.Ptxas)
	var inputs []Input
	var files []nvidia.File
	for _, name := range []string{"weak_constants_a", "weak_constants_b"} {
		text, err := os.ReadFile("testdata/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		r, err := tools.Assemble(context.Background(), "11.8", []string{"-c", "-arch=sm_75"}, nvidia.File{Name: name + ".ptx", Data: text})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		inputs = append(inputs, Input{Name: name + ".cubin", Data: r.Output})
		files = append(files, nvidia.File{Name: name + ".cubin", Data: r.Output})
	}
	for range 2 {
		r, err := tools.Link(context.Background(), "11.8", []string{"-arch=sm_75"}, files)
		if err != nil || !r.Linked() {
			t.Fatal(r, err)
		}
		if v := Check(inputs, r.Output, Options{Arch: "sm_75"}); !v.Agrees() {
			t.Errorf("%s first: %s", files[0].Name, v)
		}
		files[0], files[1] = files[1], files[0]
	}
}
