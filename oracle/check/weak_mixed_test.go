package check

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
)

// A weak function by ptxas 13.0 and by 13.5: nvlink 13.5 takes the first and makes it just
// what the second is. Its attributes tell which it was.
func TestWeakOfTwoReleases(t *testing.T) {
	tools := nvidiatest.Need(t, "13.5", nvidia.Nvlink, nvidia.Ptxas)
	nvidiatest.Need(t, "13.0", nvidia.Ptxas)
	text, err := os.ReadFile("testdata/weak_mixed.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []Input
	var files []nvidia.File
	for _, x := range [][2]string{{"13.0", "k0"}, {"13.5", "k1"}} {
		source := strings.ReplaceAll(string(text), "KERNEL", x[1])
		r, err := tools.Assemble(context.Background(), x[0], []string{"-c", "-arch=sm_120"}, nvidia.File{Name: x[1] + ".ptx", Data: []byte(source)})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		inputs = append(inputs, Input{x[1] + ".cubin", r.Output})
		files = append(files, nvidia.File{Name: x[1] + ".cubin", Data: r.Output})
	}
	for range 2 {
		r, err := tools.Link(context.Background(), "13.5", []string{"-arch=sm_120"}, files)
		if err != nil || !r.Linked() {
			t.Fatal(r, err)
		}
		if v := Check(inputs, r.Output, Options{Arch: "sm_120"}); !v.Agrees() {
			t.Errorf("%s first:\n%s", inputs[0].Name, v)
		}
		inputs[0], inputs[1] = inputs[1], inputs[0]
		files[0], files[1] = files[1], files[0]
	}
}
