__device__ int shared_value = 3;
static __constant__ int bias = 4;
__device__ int scale(int x) { return x * shared_value + bias; }
__global__ void run(int *p) { *p = scale(*p); }
__global__ void unused(int *p) { *p = 5; }
int host(int *p) { run<<<1, 1>>>(p); return cudaMemcpyToSymbol(bias, p, 4); }
