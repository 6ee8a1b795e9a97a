#include "shape.h"
__device__ float Circle::area() const { return 3.14159f * r * r; }
__device__ float Square::area() const { return s * s; }
__device__ Shape *make(int which, float x) { if (which) return new Circle(x); return new Square(clampTo(x, 0.f, 9.f)); }
