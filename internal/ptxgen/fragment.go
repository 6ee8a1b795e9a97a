package ptxgen

// fragment is a piece of code that computes a 32-bit register from the accumulator and leaves something for a
// linker to do. emit returns "" where the program has nothing for it to work on.
type fragment struct {
	feature Feature // used when emit returns a register; -1: emit says itself
	always  bool    // in every program's subset
	need    Target
	emit    func(*body) string
}

var fragments []fragment

func init() {
	fragments = []fragment{
		{feature: -1, always: true, emit: (*body).loadGlobal},
		{feature: ConstDirect, always: true, emit: (*body).loadConstant},
		{feature: -1, always: true, emit: (*body).callDirect},
		{feature: -1, always: true, emit: (*body).useShared},
		{feature: GlobalAtomic, emit: (*body).atomicGlobal},
		{feature: GenericAddress, emit: (*body).genericAddress},
		{feature: ConstIndexed, emit: (*body).indexConstant},
		{feature: ScopedObject, emit: (*body).scopedObject},
		{feature: SharedScope, emit: (*body).scopedShared},
		{feature: SharedDynamic, emit: (*body).dynamicShared},
		{feature: LocalFrame, emit: (*body).frame},
		{feature: DynamicStack, need: Stack, emit: (*body).dynamicStack},
		{feature: CallByAddress, emit: (*body).callAddress},
		{feature: CallByTable, emit: (*body).callTable},
		{feature: AddressKept, emit: (*body).keepAddress},
		{feature: Texture, emit: (*body).texture},
		{feature: Surface, emit: (*body).surface},
		{feature: Print, emit: (*body).print},
		{feature: Heap, emit: (*body).heap},
		{feature: Assert, emit: (*body).assert},
		{feature: Barrier, emit: (*body).barrier},
		{feature: Pressure, emit: (*body).pressure},
		{feature: DoubleConstant, emit: (*body).polynomial},
		{feature: Division, emit: (*body).divide},
		{feature: JumpTable, emit: (*body).jump},
		{feature: GridZ, emit: (*body).gridZ},
		{feature: Trap, emit: (*body).trap},
		{feature: ClusterBarrier, need: Hopper11, emit: (*body).clusterBarrier},
		{feature: ReservedShared, need: Hopper11, emit: (*body).reservedShared},
		{feature: KernelAddress, emit: (*body).kernelAddress},
		{feature: KernelTable, emit: (*body).kernelOfTable},
		{feature: KernelLaunch, emit: (*body).launch},
		{feature: Transaction, need: Hopper12, emit: (*body).transaction},
	}
}

// fragment adds one piece, now and then under a condition.
func (b *body) fragment() {
	p := b.m.plan
	var list []fragment
	for _, g := range fragments {
		if (g.always || p.may(g.feature)) && (g.need == Target{} || p.target.has(g.need)) {
			list = append(list, g)
		}
	}
	g := pick(p.c, list)
	if p.c.below(5) != 1 {
		b.add(g)
		return
	}
	q, skip, result := b.reg(bankPred), b.newLabel(), b.reg(bank32)
	b.op("setp.gt.u32 %s, %s, %d", q, b.acc, p.c.below(1000))
	b.op("mov.b32 %s, %s", result, b.acc)
	b.op("@%s bra %s", q, skip)
	b.add(g)
	b.op("mov.b32 %s, %s", result, b.acc)
	b.label(skip)
	b.acc = result
}

func (b *body) add(g fragment) {
	v := g.emit(b)
	if v == "" {
		return
	}
	if g.feature >= 0 {
		b.m.plan.use(g.feature)
	}
	b.mix(v)
}
