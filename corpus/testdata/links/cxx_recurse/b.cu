__device__ int split(int *a, int lo, int hi) { int p = a[hi], i = lo; for (int j = lo; j < hi; j++) if (a[j] < p) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; } a[hi] = a[i]; a[i] = p; return i; }
__device__ void quick(int *a, int lo, int hi) { if (lo < hi) { int m = split(a, lo, hi); quick(a, lo, m - 1); quick(a, m + 1, hi); } }
