extern "C" __global__ void sparse(unsigned *p)
{
    int d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    unsigned a0 = p[threadIdx.x], a1 = p[threadIdx.x + 32], b0 = p[64], b1 = p[65], e = p[66];
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x0;"
                 : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3) : "r"(a0), "r"(a1), "r"(b0), "r"(b1), "r"(e));
    p[threadIdx.x] = d0 + d1 + d2 + d3;
}
