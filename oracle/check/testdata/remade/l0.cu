// nvcc 13.0.88 -rdc=true -G -ptx -arch=compute_100
__device__ int f(int);
__device__ int h(int);
__global__ void k(int *o) { __shared__ int a[4]; a[o[1]] = o[2]; o[0] = f(a[o[3]]) + h(o[4]); }
__global__ void gone(int *o) { __shared__ int b[4]; b[o[1]] = o[2]; o[0] = b[o[3]]; }
__device__ int h(int x) { if (x == 99) __trap(); return x; }
