package main

import (
	"fmt"
	"strings"

	"github.com/twinlink/twinlink/internal/splitmix"
)

// source writes C++ programs of several files that say what real ones do: inline
// functions and classes in all files, static and shared variables of one name, arrays
// of unknown length, constants and textures across files, calls through pointers.
type source struct {
	r       *splitmix.Random
	files   []strings.Builder
	classes int
	funcs   int      // functions f0.. each defined in file i % files
	kernels []string // mangled names
}

// newSource makes a program; the same seed gives the same one.
func newSource(seed uint64) *source {
	r := splitmix.New(seed ^ 0xc99)
	s := &source{r: r, files: make([]strings.Builder, 2+r.Below(2)), classes: 1 + r.Below(3), funcs: 3 + r.Below(4)}
	for i := range s.files {
		s.head(&s.files[i], i)
		for n := range s.funcs {
			if n%len(s.files) == i {
				s.function(&s.files[i], n)
			}
		}
		for n := range 1 + r.Below(3) {
			s.kernel(&s.files[i], i, n)
		}
	}
	return s
}

// pick draws one of several texts.
func (s *source) pick(list ...string) string { return list[s.r.Below(len(list))] }

// shared is drawn once for all files: what a header would hold.
func (s *source) header() string {
	r := splitmix.New(uint64(s.classes)<<8 + uint64(s.funcs))
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#include <cuda_runtime.h>\n")
	b.WriteString("template <int N> __device__ int rows[N];\n")
	b.WriteString("template <class T> __device__ __noinline__ T blend(T a, T b) { if (a == T(3)) printf(\"blend %d\\n\", (int)b); return a * b + T(1); }\n")
	b.WriteString("inline __device__ double weights[3] = {0.5, 1.25, 2.0};\ninline __device__ int hits;\n")
	b.WriteString("inline __device__ __noinline__ int choose(int x) { switch (x & 15) { case 0: return x * 3; case 1: return x + 9; case 2: return hits; case 3: return x ^ 5; case 4: return 1 << (x & 3); case 5: return -x; case 6: return x / 7; case 7: return x % 11; case 8: return ~x; case 9: return 77; default: return 2; } }\n")
	for n := range s.classes {
		base := "Shape"
		if n == 0 {
			b.WriteString("struct Shape { int side; __device__ Shape(int s) : side(s) {} __device__ virtual ~Shape() {} __device__ virtual int area(int x) { return side * x; } __device__ virtual const char *name() { return \"shape\"; } };\n")
		} else {
			base = fmt.Sprintf("S%d", r.Below(n))
		}
		fmt.Fprintf(&b, "struct S%d : %s { __device__ S%d(int s) : %s(s + %d) {} __device__ int area(int x) override { %s } };\n", n, base, n, base, n,
			splitmix.Pick(r, []string{`if (x > 90) printf("area %d\n", x); return side + choose(x);`, `return blend<int>(x, side);`, `return (int)(weights[x % 3] * side);`, `static __device__ int seen; return atomicAdd(&seen, x);`}))
	}
	return b.String()
}

// head writes what a file has before its functions.
func (s *source) head(b *strings.Builder, file int) {
	b.WriteString(s.header())
	for n := range s.funcs {
		fmt.Fprintf(b, "__device__ int f%d(int);\n", n)
	}
	n := len(s.files)
	for i := range n {
		if i == file {
			fmt.Fprintf(b, "__constant__ int table%d[%d] = {%d, 2, 3};\n__device__ float state%d[%d];\n__managed__ int shared_by_host%d = %d;\n", i, 3+s.r.Below(9), i+1, i, 4+s.r.Below(60), i, i)
		} else {
			fmt.Fprintf(b, "extern __constant__ int table%d[];\nextern __device__ float state%d[];\n", i, i)
		}
	}
	fmt.Fprintf(b, "static __device__ int counter = %d;\nstatic __constant__ float factors[4] = {1.5f, %d.0f};\nnamespace { __device__ __noinline__ int hidden(int x) { counter += x; return counter * %d; } }\n", 5+file, file, file+2)
	fmt.Fprintf(b, "extern __shared__ %s dyn%s[];\n", s.pick("int", "double", "float4"), s.pick("", "", "2"))
	b.WriteString("typedef int (*step_t)(int);\n")
	if s.r.OneIn(2) {
		fmt.Fprintf(b, "__device__ step_t steps%d[] = {choose, f0, f%d};\n", file, s.r.Below(s.funcs))
	}
}

// statement is one of a function's body; x is an int there.
func (s *source) statement(b *strings.Builder, inKernel bool, file int) {
	text := b.String()
	dyn := "dyn"
	if strings.Contains(text, "dyn2[]") {
		dyn = "dyn2"
	}
	other := s.r.Below(len(s.files))
	switch s.r.Below(20) {
	case 0:
		fmt.Fprintf(b, "  { __shared__ int box[%d]; box[threadIdx.x & 15] = x; %s x += box[(x + 1) & 15]; }\n", 16+s.r.Below(80), s.pick("__syncthreads();", "__syncwarp();"))
	case 1:
		fmt.Fprintf(b, "  { __shared__ double wide[%d]; wide[threadIdx.x & 7] = x * 0.5; __syncthreads(); x += (int)wide[(x + 3) & 7]; }\n", 8+s.r.Below(20))
	case 2:
		fmt.Fprintf(b, "  reinterpret_cast<int *>(%s)[threadIdx.x] = x; __syncthreads(); x ^= reinterpret_cast<int *>(%s)[x & 3];\n", dyn, dyn)
	case 3:
		fmt.Fprintf(b, "  x += table%d[x & 1] * counter;\n", other)
	case 4:
		fmt.Fprintf(b, "  state%d[x & 3] += factors[x & 3] * x;\n", other)
	case 5:
		fmt.Fprintf(b, "  if (x == %d) printf(\"%s %%d\\n\", x);\n", s.r.Below(1000), s.pick("low", "high", "odd", "area"))
	case 6:
		fmt.Fprintf(b, "  { S%d one(x); Shape *p = x & 1 ? new S%d(x) : (Shape *)&one; x += p->area(x); if (x & 1) delete p; }\n", s.r.Below(s.classes), s.r.Below(s.classes))
	case 7:
		fmt.Fprintf(b, "  x = blend<%s>(x, %d);\n", s.pick("int", "float", "double", "long long"), s.r.Below(50))
	case 8:
		fmt.Fprintf(b, "  rows<%d>[x & 3] += x;\n", 4+4*s.r.Below(3))
	case 9:
		fmt.Fprintf(b, "  x += hidden(x);\n")
	case 10:
		fmt.Fprintf(b, "  x += choose(x) + __popc(__ballot_sync(~0u, x & 1));\n")
	case 11:
		fmt.Fprintf(b, "  { int local[%d]; for (int i = 0; i < %d; i++) local[i] = x * i; x = local[x & 3]; }\n", 8+s.r.Below(40), 8)
	case 12:
		fmt.Fprintf(b, "  { step_t g = x & 1 ? (step_t)choose : (step_t)f%d; x = g(x); }\n", s.r.Below(s.funcs))
	case 13:
		fmt.Fprintf(b, "  asm volatile(\"bar.sync %d, 64;\");\n", 1+s.r.Below(12))
	case 14:
		fmt.Fprintf(b, "  x += (int)(sin(x * 0.25) * %s);\n", s.pick("weights[1]", "10.0", "sqrt((double)x)"))
	case 15:
		fmt.Fprintf(b, "  x += __shfl_down_sync(~0u, x, %d); atomicAdd(&hits, 1);\n", 1+s.r.Below(16))
	case 16:
		fmt.Fprintf(b, "  { static __device__ int again = %d; again += x; x = again; }\n", s.r.Below(9))
	case 17:
		fmt.Fprintf(b, "  { auto fold = [=](int y) { return x * y + table%d[0]; }; x = fold(%d) / (x | 1); }\n", file, s.r.Below(30))
	default:
		if inKernel {
			fmt.Fprintf(b, "  x += f%d(x);\n", s.r.Below(s.funcs))
		} else {
			fmt.Fprintf(b, "  x = x * %d + %d;\n", 3+s.r.Below(9), s.r.Below(100))
		}
	}
}

// function writes function n; it calls those of lower numbers, and now and then itself.
func (s *source) function(b *strings.Builder, n int) {
	fmt.Fprintf(b, "%s__device__ int f%d(int x) {\n", s.pick("", "__noinline__ "), n)
	for range 1 + s.r.Below(4) {
		s.statement(b, false, n%len(s.files))
	}
	if n > 0 && !s.r.OneIn(3) {
		fmt.Fprintf(b, "  x += f%d(x - 1);\n", s.r.Below(n))
	}
	if s.r.OneIn(8) {
		fmt.Fprintf(b, "  if (x > 0) x += f%d(x / 2);\n", n)
	}
	b.WriteString("  return x;\n}\n")
}

// kernel writes a kernel.
func (s *source) kernel(b *strings.Builder, file, n int) {
	name := fmt.Sprintf("work%d_%d", file, n)
	bound := s.pick("", "", "__launch_bounds__(128) ", "__launch_bounds__(256, 2) ")
	texture := s.r.OneIn(4)
	last, mangled := "", fmt.Sprintf("_Z%d%sPi", len(name), name)
	if texture {
		last, mangled = ", cudaTextureObject_t t", mangled+"y"
	}
	static := s.r.OneIn(6)
	if static {
		bound = "static " + bound
	} else {
		s.kernels = append(s.kernels, mangled)
	}
	fmt.Fprintf(b, "%s__global__ void %s(int *p%s) {\n  int x = p[threadIdx.x];\n", strings.Replace(bound, "static ", "", 1), name, last)
	if static {
		text := b.String()
		at := strings.LastIndex(text, "__global__ void "+name)
		b.Reset()
		b.WriteString(text[:at] + "static " + text[at:])
	}
	for range 2 + s.r.Below(4) {
		s.statement(b, true, file)
	}
	if texture {
		b.WriteString("  x += (int)tex2D<float>(t, x * 0.5f, 1.0f);\n")
	}
	b.WriteString("  p[threadIdx.x] = x;\n}\n")
	if static {
		fmt.Fprintf(b, "void launch_%s(int *p) { %s<<<1, 64, 256>>>(p%s); }\n", name, name, map[bool]string{true: ", 0", false: ""}[texture])
	}
}
