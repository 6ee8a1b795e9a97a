// Made for the tests: a kernel that calls into another file, and one that nothing keeps.
extern __device__ int twice(int);
__constant__ int bias = 5;
__global__ void run(int *p) { __shared__ int s[64]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); *p = twice(s[5]) + bias; }
__global__ void spare(int *p) { *p = 7; }
