#include <cassert>
#include <cstdio>
#include <cstdlib>
__managed__ int counter = 3;
__device__ int *grow(int n);
__global__ void checks(int *p, int n) {
  assert(p != nullptr);
  int *q = grow(n);
  assert(q[0] == n && "grew");
  printf("%s %d %f\n", __func__, n, 1.5);
  atomicAdd(&counter, q[0]);
  free(q);
  if (n > 1000) __trap();
}
