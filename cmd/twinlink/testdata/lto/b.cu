__device__ int factor = 2;
__device__ __noinline__ int twice(int x) { return x * factor; }
