package check

import (
	"bytes"
	"context"
	"debug/elf"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// linkedText compiles PTX files by ptxas 13.0 and links them by a release, the last first.
func linkedText(t *testing.T, release string, args []string, texts ...string) (inputs []Input, output []byte) {
	t.Helper()
	tools := nvidiatest.Need(t, release, nvidia.Nvlink)
	nvidiatest.Need(t, "13.0", nvidia.Ptxas)
	var files []nvidia.File
	for i, text := range texts {
		name := string(rune('a' + i))
		r, err := tools.Assemble(context.Background(), "13.0", args[:1], nvidia.File{Name: name + ".ptx", Data: []byte(text)})
		if err != nil || r.Output == nil {
			t.Fatal(r, err)
		}
		inputs = append(inputs, Input{Name: name + ".cubin", Data: r.Output})
		files = append([]nvidia.File{{Name: name + ".cubin", Data: r.Output}}, files...)
	}
	r, err := tools.Link(context.Background(), release, args, files)
	if err != nil || !r.Linked() {
		t.Fatal(r, err)
	}
	return inputs, r.Output
}

// Both files have a division of their own, a static function of one name. nvlink 13.5 puts NOPs
// into the kernels, so the records that tell the two apart are at other places.
func TestStaticDuplicatesOfMovedCode(t *testing.T) {
	const text = `.version 7.8
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p, .param .f32 a)
{
	.reg .b64 %rd;
	.reg .pred %p;
	.reg .f32 %f<5>;
	.reg .b32 %r;
	.shared .align 4 .f32 s[32];
	ld.param.u64 %rd, [p];
	ld.param.f32 %f1, [a];
	mov.u32 %r, %tid.x;
	setp.ne.u32 %p, %r, 0;
	ld.global.f32 %f4, [%rd+16];
	@%p bra L;
	st.shared.f32 [s], %f1;
	atom.shared.add.f32 %f3, [s+12], %f1;
L:
	bar.sync 0;
	ld.shared.f32 %f2, [s+4];
	div.rn.f32 %f3, %f4, %f2;
	st.global.f32 [%rd+8], %f3;
	ret;
}
`
	for _, arch := range []string{"sm_100", "sm_120"} {
		inputs, output := linkedText(t, "13.5", []string{"-arch=" + arch}, strings.Replace(text, "kernel", "one", 1), strings.Replace(text, "kernel", "two", 1))
		if v := Check(inputs, output, Options{Arch: arch}); !v.Agrees() {
			t.Errorf("%s:\n%s", arch, v)
		}
	}
}

// With -g nvlink puts fences before an EXIT, under its guard. Under another they are not carried
// out where the program ends.
func TestGuardOfFence(t *testing.T) {
	const text = `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd;
	.reg .pred %p;
	.reg .b32 %r;
	ld.param.u64 %rd, [p];
	mov.u32 %r, %tid.x;
	st.global.u32 [%rd], %r;
	setp.gt.u32 %p, %r, 4;
	@%p exit;
	st.global.u32 [%rd+4], %r;
	bar.sync 0;
	st.global.u32 [%rd+8], %r;
	ret;
}
`
	inputs, output := linkedText(t, "13.0", []string{"-arch=sm_100", "-g"}, text)
	options := Options{Arch: "sm_100", Debug: true}
	if v := Check(inputs, output, options); !v.Agrees() {
		t.Fatal(v)
	}
	file, err := elf.NewFile(bytes.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	code := file.Section(".text.k")
	planted := 0
	for at := code.Offset; at < code.Offset+code.Size; at += sass.Instruction {
		if word := output[at : at+sass.Instruction]; sass.IsFence(word) && sass.GuardOf(word) != sass.Always {
			wrong := bytes.Clone(output)
			wrong[at+1] ^= 0x80
			planted++
			if v := Check(inputs, wrong, options); !names(v, []Kind{CodeBytes}) {
				t.Errorf("0x%x: %s", at-code.Offset, v)
			}
		}
	}
	if planted == 0 {
		t.Error("no fence has a guard")
	}
}
