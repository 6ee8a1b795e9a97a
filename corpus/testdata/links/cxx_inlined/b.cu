#include "common.h"
__device__ int other(int x) { Box<int> b; Box<float> f; return shared_inline(x) + b.get(4) + (int)f.get(2.f) + file_static(x) + anon(x); }
__global__ void k2(int *p) { p[0] = other(p[1]); }
