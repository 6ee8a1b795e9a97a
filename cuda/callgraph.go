package cuda

// .nv.callgraph: pairs {u32 x, u32 y}. A pair with x == 0 is a marker, and y
// says what the pairs after it are.
// Source: cubins of ptxas 11.8 to 13.0, cuobjdump's text.

const (
	CallgraphCalls      = 0xffffffff // {caller, callee}
	CallgraphPrototypes = 0xfffffffe // {function whose address is taken, .strtab offset of its prototype}
	CallgraphIndirect   = 0xfffffffd // {caller, .strtab offset of the prototype it calls through}
	CallgraphEdges      = 0xfffffffc // {function, function whose address it takes}; from 12.x on
)
