package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/oracle/check"
)

// sqrtByTable is a program whose kernel calls a static function by a table, and that a square root,
// a static function that ptxas makes and that is the same everywhere.
const sqrtByTable = `.version 8.7
.target sm_100
.address_size 64
.func (.param .b64 out) aux(.param .b64 in)
{
	.reg .f64 %d<4>;
	ld.param.f64 %d1, [in];
	sqrt.rn.f64 %d2, %d1;
	OPERATION
	st.param.f64 [out], %d2;
	ret;
}
.visible .global .align 8 .u64 tableNAME[1] = {aux};
.visible .entry kNAME(.param .u64 p)
{
	.reg .f64 %d<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	cvta.to.global.u64 %rd1, %rd1;
	ld.global.f64 %d1, [%rd1];
	ld.global.u64 %rd2, [tableNAME];
	{
		.param .b64 i;
		.param .b64 o;
		st.param.f64 [i], %d1;
		proto: .callprototype (.param .b64 _) _ (.param .b64 _);
		call (o), %rd2, (i), proto;
		ld.param.f64 %d2, [o];
	}
	st.global.f64 [%rd1], %d2;
	ret;
}
`

// Which of two static functions of one name and code is whose shows by who calls it, also where the
// callers have one name too and are distinguished by their bytes.
func TestAlikeByCallers(t *testing.T) {
	tools := nvidiatest.Need(t, "13.0", nvidia.Nvlink, nvidia.Ptxas)
	var files []nvidia.File
	var inputs []check.Input
	for name, operation := range map[string]string{"a": "add.f64 %d2, %d2, 0d3FF0000000000000;", "b": "mul.f64 %d2, %d2, %d1;"} {
		text := strings.NewReplacer("NAME", name, "OPERATION", operation).Replace(sqrtByTable)
		res, err := tools.Assemble(context.Background(), "13.0", []string{"-arch=sm_100", "-c"}, nvidia.File{Name: name + ".ptx", Data: []byte(text)})
		if err != nil || res.Outcome != nvidia.Success {
			t.Fatal(err, res.Message())
		}
		files = append(files, nvidia.File{Name: name + ".cubin", Data: res.Output})
		inputs = append(inputs, check.Input{Name: name + ".cubin", Data: res.Output})
	}
	for _, reversed := range []bool{false, true} {
		if reversed {
			slices.Reverse(files)
		}
		res, err := tools.Link(context.Background(), "13.0", []string{"-arch=sm_100"}, files)
		if err != nil || res.Outcome != nvidia.Success {
			t.Fatal(err, res.Message())
		}
		if v := check.Check(inputs, res.Output, check.Options{Arch: "sm_100", Toolkit: "13.0"}); !v.Agrees() {
			t.Errorf("reversed %v:\n%s", reversed, v)
		}
	}
}
