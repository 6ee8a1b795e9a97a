__device__ int leaf(int x) { return x * x; }
__global__ void tiny(int *p) { p[0] = leaf(p[1]); }
__global__ void starter(int *p) {
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  tiny<<<1, 1, 0, s>>>(p);
  cudaStreamDestroy(s);
  void *q; if (cudaMalloc(&q, 16) == cudaSuccess) { cudaMemcpyAsync(q, p, 16, cudaMemcpyDeviceToDevice, 0); cudaFree(q); }
}
