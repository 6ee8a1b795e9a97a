package onerecord

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twinlink/twinlink/oracle"
)

var folders = map[oracle.Release]string{118: "11.8", 124: "12.4", 130: "13.0", 135: "13.5"}

// witness returns the folder of a release's tools, "" where there is none.
func witness(release oracle.Release) string {
	root := os.Getenv("TWINLINK_WITNESS")
	if root == "" {
		dir, err := os.Getwd()
		for err == nil && root == "" {
			if _, gone := os.Stat(filepath.Join(dir, "go.mod")); gone == nil {
				root = filepath.Join(dir, ".witness")
			}
			if dir == filepath.Dir(dir) {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	dir := filepath.Join(root, folders[release])
	if _, err := os.Stat(filepath.Join(dir, "nvlink")); err != nil {
		return ""
	}
	return dir
}

// The program: variables of every memory space, a kernel with room for a
// record, a device function whose address is taken.
const program = `.version %s
.target sm_%d
.address_size 64
.const .align 8 .b8 cpad[24];
.const .align 8 .u64 cvar[4] = {1,2,3,4};
.global .align 8 .u64 gvar[4];
.global .align 8 .u64 ginit[4] = {5, 6, generic(gvar), 8};
.shared .align 8 .b8 svar[40];
.global .texref tex0;
.visible .func (.param .b32 r) dfun (.param .b32 a)
{ .reg .b32 x; ld.param.b32 x,[a]; add.u32 x,x,1; st.param.b32 [r],x; ret; }
.global .align 8 .u64 fptab[2] = {dfun, 0x1234};
.visible .entry k(.param .u64 p)
{
 .reg .b64 a,b,c; .reg .b32 x;
 ld.param.u64 a,[p];
 mov.u64 b, cvar; cvta.const.u64 b,b; ld.u64 c,[b]; st.global.u64 [a],c;
 ld.const.u64 c,[cvar+8]; st.global.u64 [a+8],c;
 mov.u64 b, svar; cvta.shared.u64 b,b; ld.u64 c,[b]; st.global.u64 [a+16],c;
 mov.u32 x, 7; st.shared.u32 [svar+4], x;
 ret;
}
`

// compile returns the cubin that a release's ptxas makes of the program.
func compile(t testing.TB, release oracle.Release, sm int) []byte {
	t.Helper()
	dir := t.TempDir()
	version := "7.8"
	if sm >= 100 {
		version = "8.6"
	}
	source := filepath.Join(dir, "x.ptx")
	if err := os.WriteFile(source, fmt.Appendf(nil, program, version, sm), 0o666); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(dir, "x.cubin")
	out, err := exec.Command(filepath.Join(witness(release), "ptxas"), "-c", fmt.Sprintf("-arch=sm_%d", sm), source, "-o", object).CombinedOutput()
	if err != nil {
		t.Fatalf("ptxas: %v\n%s", err, out)
	}
	b, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// answer is what one run of nvlink came to.
type answer struct {
	signal bool   // died of one
	exit   int    // exit status else
	text   string // what it printed
	image  []byte // what it wrote, nil for nothing
}

// ask links one cubin in a scratch folder of the caller's, with a time limit.
func ask(dir string, release oracle.Release, sm int, object []byte, options ...string) (answer, error) {
	in, out := filepath.Join(dir, "in.cubin"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(in, object, 0o666); err != nil {
		return answer{}, err
	}
	os.Remove(out)
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	args := append([]string{fmt.Sprintf("-arch=sm_%d", sm)}, options...)
	cmd := exec.CommandContext(ctx, filepath.Join(witness(release), "nvlink"), append(args, in, "-o", out)...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err := cmd.Run()
	if ctx.Err() != nil {
		return answer{}, fmt.Errorf("nvlink hangs")
	}
	a := answer{text: strings.TrimSpace(printed.String())}
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		status, _ := failed.Sys().(syscall.WaitStatus)
		a.signal, a.exit, err = status.Signaled(), failed.ExitCode(), nil
	case err != nil:
		return answer{}, err
	default:
		a.image, err = os.ReadFile(out)
	}
	return a, err
}
