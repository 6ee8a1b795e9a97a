package ptxgen

import "fmt"

// useShared reads, and sometimes writes, a shared variable of a module.
func (b *body) useShared() string {
	v := b.m.choose(shared, numeric)
	if v == nil {
		return ""
	}
	if v.width == 4 && b.m.plan.c.below(2) == 1 {
		b.op("st.shared.b32 [%s], %s", v.name, b.acc)
	}
	return b.load(".shared", v, v.name)
}

// scopedShared declares a shared variable in the function itself.
func (b *body) scopedShared() string {
	name, count := fmt.Sprintf("inner%d", b.newID()), between(b.m.plan.c, 2, 30)
	b.local(".shared .align %d .b32 %s[%d]", pick(b.m.plan.c, []int{4, 8, 16, 32}), name, count)
	b.op("st.shared.u32 [%s+4], %s", name, b.acc)
	return b.loadAt(".shared", 4, name)
}

func (b *body) dynamicShared() string {
	v := b.m.choose(dynamic, nil)
	if v == nil {
		return ""
	}
	if b.m.plan.c.below(3) == 1 {
		return b.loadIndexed(".shared", v)
	}
	return b.loadAt(".shared", v.width, fmt.Sprintf("%s+%d", v.name, v.width*b.m.plan.c.below(4)))
}

func (b *body) clusterBarrier() string {
	b.op("barrier.cluster.arrive")
	b.op("barrier.cluster.wait")
	r := b.reg(bank32)
	b.op("mov.u32 %s, %%cluster_ctarank", r)
	if v := b.m.choose(shared, numeric); v != nil {
		address, there := b.reg(bank32), b.reg(bank32)
		b.op("mov.u32 %s, %s", address, v.name)
		b.op("mapa.shared::cluster.u32 %s, %s, %s", there, address, r)
		return b.loadAt(".shared::cluster", v.width, there)
	}
	return r
}

// reservedShared asks for the shared memory that the linker sets aside.
func (b *body) reservedShared() string {
	r := b.reg(bank32)
	b.op("mov.u32 %s, %%reserved_smem_offset_%s", r, pick(b.m.plan.c, []string{"begin", "end", "cap", "0"}))
	return r
}

// transaction waits for a bulk copy into shared memory of the function.
func (b *body) transaction() string {
	if b.pointer == "" {
		return ""
	}
	id := b.newID()
	gate, tile, q, r := fmt.Sprintf("gate%d", id), fmt.Sprintf("tile%d", id), b.reg(bankPred), b.reg(bank32)
	b.local(".shared .align 8 .b64 %s", gate)
	b.local(".shared .align 128 .b8 %s[%d]", tile, 128*between(b.m.plan.c, 1, 8))
	b.op("mbarrier.init.shared.b64 [%s], 1", gate)
	b.op("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%s], 64, [%s]", tile, b.pointer, gate)
	b.op("mbarrier.try_wait.parity.shared::cta.b64 %s, [%s], 0", q, gate)
	b.op("selp.b32 %s, 1, %s, %s", r, b.acc, q)
	return r
}
