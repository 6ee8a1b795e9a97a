__device__ int decide(int op, int x) {
  switch (op) { case 10: return x + 1; case 11: return x * x; case 12: return __clz(x); case 13: return x << 3; case 14: return -x; case 15: return x / 3; case 16: return x % 7; default: return 0; }
}
