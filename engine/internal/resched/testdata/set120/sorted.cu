__device__ __forceinline__ void order(unsigned &a, unsigned &b, unsigned up) { if ((a > b) == up) { unsigned t = a; a = b; b = t; } }
extern "C" __global__ void sorted(unsigned *p, unsigned n, unsigned up) {
  __shared__ unsigned s[1024];
  s[threadIdx.x] = p[threadIdx.x]; s[threadIdx.x + 512] = p[threadIdx.x + 512];
  for (unsigned size = 2; size < n; size <<= 1) {
    unsigned d = up ^ ((threadIdx.x & (size / 2)) != 0);
    for (unsigned k = size / 2; k > 0; k >>= 1) { __syncthreads(); unsigned at = 2 * threadIdx.x - (threadIdx.x & (k - 1)); order(s[at], s[at + k], d); }
  }
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x]; p[threadIdx.x + 512] = s[threadIdx.x + 512];
}
