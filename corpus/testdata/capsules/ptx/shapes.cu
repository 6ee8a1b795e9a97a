// Virtual functions, a jump table, recursion, printf.
#include <cstdio>
struct Shape { __device__ virtual float area(float) const = 0; __device__ virtual int id() const { return 1; } };
struct Square : Shape { float a; __device__ Square(float x):a(x){} __device__ float area(float k) const override { return a*a*k; } };
struct Circle : Shape { float r; __device__ Circle(float x):r(x){} __device__ float area(float k) const override { return 3.14f*r*r*k; } __device__ int id() const override { return 2; } };
__device__ __noinline__ float total(Shape *const *s, int n, float k) { float t=0; for(int i=0;i<n;i++) t+=s[i]->area(k)*s[i]->id(); return t; }
__global__ void shapes(float *out, float x) {
  Square a(x); Circle b(x+1); Shape *s[2]={&a,&b};
  out[threadIdx.x]=total(s,2,x);
}
__device__ __noinline__ int fib(int n) { return n<2?n:fib(n-1)+fib(n-2); }
__global__ void recurse(int *out,int n){ out[threadIdx.x]=fib(n); if(n>40) printf("big %d\n",n); }
