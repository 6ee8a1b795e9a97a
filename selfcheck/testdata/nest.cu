struct A { unsigned *p; };
template <int N> static __device__ __forceinline__ unsigned both(A a, unsigned x) {
	return both<N - 1>(a, both<N - 2>(a, x) + a.p[N]); }
template <> __device__ __forceinline__ unsigned both<0>(A a, unsigned x) { return x * a.p[x & 3]; }
template <> __device__ __forceinline__ unsigned both<1>(A a, unsigned x) { return x - a.p[x & 5]; }
__global__ void k(unsigned *p) { p[threadIdx.x] = both<6>(A{p}, threadIdx.x); }
