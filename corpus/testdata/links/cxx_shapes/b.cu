#include "shape.h"
#include <cstdio>
__global__ void areas(float *out, const int *which, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    Shape *s = make(which[i], (float)i);
    out[i] = clampTo(s->area(), 1.f, 100.f);
    printf("%d: %f\n", s->kind(), out[i]);
    delete s;
  }
}
__global__ void just(float *out) { Circle c(2); Shape *s = &c; out[0] = s->area(); }
