#include "common.h"
__device__ int other(int x);
__global__ void k1(int *p) { Box<int> b; p[0] = shared_inline(p[0]) + b.get(3) + file_static(p[1]) + anon(p[2]) + other(p[3]); }
