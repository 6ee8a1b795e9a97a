__global__ void alone(int *p) { *p += 3; }
