__device__ int decide(int op, int x);
__device__ const char *names[4] = {"alpha", "beta", "gamma", "delta"};
__global__ void interpret(const int *code, int n, int *stack, char *out) {
  int acc = 0;
  for (int i = 0; i < n; i++) switch (code[i]) {
    case 0: acc += stack[i]; break; case 1: acc -= stack[i]; break; case 2: acc *= stack[i]; break; case 3: acc = decide(code[i + 1], acc); break;
    case 4: stack[i] = acc; break; case 5: acc = ~acc; break; case 6: acc ^= stack[0]; break; case 7: out[i] = names[acc & 3][i & 3]; break; case 8: acc = __popc(acc); break; case 9: return;
  }
  stack[0] = acc;
}
