extern "C" __global__ void halves(const float2 *p, float *o, unsigned long long n) {
  __shared__ float2 s[512];
  float2 v = p[threadIdx.x];
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned long long k = n * threadIdx.y, h = k >> 1; h > 0; k = h, h >>= 1) {
    if (threadIdx.x < h) { s[threadIdx.x].x += s[threadIdx.x + h].x; if ((k & 1) && threadIdx.x == h - 1) s[threadIdx.x].y += s[k - 1].y; }
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = s[0].x + s[0].y;
}
