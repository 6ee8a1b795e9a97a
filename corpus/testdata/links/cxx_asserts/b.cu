#include <cassert>
#include <cstring>
#include <cstdlib>
extern __managed__ int counter;
__device__ int *grow(int n) { int *q = (int *)malloc(n * 4); assert(q); memset(q, 0, n * 4); q[0] = n + counter; return q; }
