// nvcc 13.0.88 -rdc=true -G -ptx -arch=compute_100
static __device__ void stop(int x) { if (x == 99) __trap(); }
__device__ int f(int x) { stop(x); return x + 1; }
