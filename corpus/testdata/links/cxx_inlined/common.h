#pragma once
inline __device__ __noinline__ int shared_inline(int x) { static __device__ int calls = 4; return x * 3 + calls++; }
template <class T> struct Box { __device__ __noinline__ T get(T d) { return d * 3 + sizeof(T); } };
static __device__ __noinline__ int file_static(int x) { return x ^ 0x55; }
namespace { __device__ int hidden = 9; __device__ __noinline__ int anon(int x) { return x + hidden; } }
