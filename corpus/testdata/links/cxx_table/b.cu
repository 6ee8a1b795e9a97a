__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int never(int a, int b) { return a / b; }
__device__ int (*chosen)(int, int) = never;
__global__ void choose(int *p) { p[0] = chosen(p[1], p[2]); }
