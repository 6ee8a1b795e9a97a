package ptx

import (
	"fmt"
	"regexp"
	"strings"
)

// head is before the kernels. It declares what lines may name: constants,
// a variable of each space, functions, a texture, a surface.
const head = `.version %s
.target %s
.address_size 64
.const .align 8 .b8 cbank[4096];
.const .align 8 .b64 cvalue;
.global .align 16 .b8 gspace[4096];
.global .align 8 .b64 gvalue;
.global .texref tex0;
.global .surfref surf0;
.extern .shared .align 128 .b8 dynamic[];
.extern .func (.param .b32 r) away (.param .b32 a);
.extern .func nothing;
.func (.param .b32 r) near (.param .b32 a) { .reg .b32 %%r; ld.param.b32 %%r, [a]; mul.lo.u32 %%r, %%r, %%r; st.param.b32 [r], %%r; ret; }
`

var name = regexp.MustCompile(`%[aAhuUpxXzqsgl][0-9]\b`)

// Module returns a PTX file with a kernel of each line, k0, k1, …, and for each
// kernel the number of the first line of the file after it.
func Module(version, target string, lines []string) (text string, ends []int) {
	var b strings.Builder
	fmt.Fprintf(&b, head, version, target)
	for i, l := range lines {
		kernel(&b, i, l)
		ends = append(ends, strings.Count(b.String(), "\n")+1)
	}
	return b.String(), ends
}

func kernel(b *strings.Builder, i int, line string) {
	used := map[string]bool{}
	for _, n := range name.FindAllString(line, -1) {
		used[n] = true
	}
	fmt.Fprintf(b, `.visible .entry k%d(.param .u64 in, .param .u64 out, .param .u64 pU0, .param .u64 pU1, .param .u64 pU2, .param .u64 pU3, .param .u32 pu0, .param .u32 pu1, .param .u32 pu2, .param .u32 pu3, .param .align 64 .b8 map[128])
{
.reg .b32 %%a<8>, %%x<8>, %%u<8>, %%s<2>, %%l<2>, %%me, %%i<8>, %%t<20>;
.reg .b64 %%A<8>, %%X<8>, %%U<8>, %%g<8>, %%in, %%out, %%at, %%T<20>;
.reg .b16 %%h<8>, %%z<8>, %%w<8>;
.reg .b8 %%e<8>;
.reg .b128 %%Q<4>;
.reg .f32 %%f<8>;
.reg .f64 %%F<8>;
.reg .pred %%p<8>, %%q<8>, %%P<4>;
`, i)
	if strings.Contains(line, "shared_here") || used["%s0"] || used["%s1"] {
		b.WriteString(".shared .align 128 .b8 shared_here[1024];\n")
	}
	if used["%l0"] || strings.Contains(line, "local_here") {
		b.WriteString(".local .align 16 .b8 local_here[512];\n")
	}
	b.WriteString("ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\nmov.u32 %me, %tid.x; mad.wide.u32 %at, %me, 256, %in;\n")
	for k := range 8 {
		reg := func(kind, op string, width, from int) {
			if n := fmt.Sprintf("%%%s%d", kind, k); used[n] {
				fmt.Fprintf(b, "ld.global.%s %s, [%%at+%d];\n", op, n, from+k*width)
			}
		}
		reg("a", "b32", 4, 0)
		reg("A", "b64", 8, 64)
		reg("h", "b16", 2, 32)
		reg("g", "b64", 8, 128)
		reg("X", "b64", 8, 192) // so that a result may also be read
		reg("x", "b32", 4, 160)
		if n := fmt.Sprintf("%%p%d", k); used[n] {
			fmt.Fprintf(b, "ld.global.b32 %%t0, [%%at+%d]; setp.ne.u32 %s, %%t0, 0;\n", 48+4*k, n)
		}
		if k < 4 && used[fmt.Sprintf("%%U%d", k)] {
			fmt.Fprintf(b, "ld.param.b64 %%U%d, [pU%d];\n", k, k)
		}
		if k < 4 && used[fmt.Sprintf("%%u%d", k)] {
			fmt.Fprintf(b, "ld.param.b32 %%u%d, [pu%d];\n", k, k)
		}
	}
	if used["%s0"] || used["%s1"] {
		b.WriteString("mov.u32 %s1, shared_here; mad.lo.u32 %s0, %me, 64, %s1;\n")
	}
	if used["%l0"] {
		b.WriteString("mov.u32 %l0, local_here; mad.lo.u32 %l0, %me, 4, %l0;\n")
	}
	b.WriteString(line)
	b.WriteString("\n")
	for k := range 8 {
		reg := func(kind, op string, width, to int) {
			if n := fmt.Sprintf("%%%s%d", kind, k); used[n] {
				fmt.Fprintf(b, "st.global.%s [%%out+%d], %s;\n", op, to+k*width, n)
			}
		}
		reg("x", "b32", 4, 0)
		reg("X", "b64", 8, 64)
		reg("z", "b16", 2, 32)
		if n := fmt.Sprintf("%%q%d", k); used[n] {
			fmt.Fprintf(b, "selp.b32 %%t1, 1, 0, %s; st.global.b32 [%%out+%d], %%t1;\n", n, 128+4*k)
		}
	}
	b.WriteString("ret;\n}\n")
}
