package ptxgen

import (
	"fmt"
	"slices"
)

// space is where an object lives.
type space int

const (
	global space = iota
	constant
	shared
	dynamic // extern shared without a size
	textureRef
	samplerRef
	surfaceRef
)

// object is a variable. One that several modules define (weak, common) is still one object.
type object struct {
	name     string
	space    space
	align    int
	elem     string // PTX type
	width    int    // bytes of elem
	count    int
	init     initKind
	static   bool
	weak     bool
	common   bool
	managed  bool
	sig      *signature // of a table of functions
	wrong    bool       // declared elsewhere with another size
	strongIn int        // module that overrules the weak or common definitions; -1: none
	defs     []int      // modules that define it
}

type initKind int

const (
	initNone initKind = iota
	initValues
	initAddresses
	initLanes
	initFunctions
	initKernels
)

func (v *object) definedIn(module int) bool {
	for _, d := range v.defs {
		if d == module {
			return true
		}
	}
	return v.strongIn == module
}

var elements = []struct {
	elem  string
	width int
}{{"b32", 4}, {"b8", 1}, {"b64", 8}, {"u16", 2}, {"f32", 4}}

var alignments = []int{0, 0, 4, 8, 16, 16, 32, 64, 128, 256}

// objectKinds are drawn evenly: a kind is here as often as it is wanted.
var objectKinds = []objectKind{
	planGlobal, planGlobal, planGlobal, planConstant, planConstant, planShared, planShared, planDynamic, planCommon, planReference,
}

// objectKind draws a variable; with a focus, only for programs that have one of its features.
type objectKind struct {
	features []Feature
	plan     func(*plan, *object, int)
}

var (
	planGlobal    = objectKind{[]Feature{GlobalZero, GlobalValue, GlobalAtomic, AddressInit, LaneInit, WeakObject, Managed}, (*plan).planGlobal}
	planConstant  = objectKind{[]Feature{ConstDirect, ConstIndexed}, (*plan).planConstant}
	planShared    = objectKind{[]Feature{SharedModule, SharedAcross, SharedStatic, WeakShared}, (*plan).planShared}
	planDynamic   = objectKind{[]Feature{SharedDynamic}, (*plan).planDynamic}
	planCommon    = objectKind{[]Feature{Common, CommonDefined}, (*plan).planCommon}
	planReference = objectKind{[]Feature{Texture, Sampler, Surface}, (*plan).planReference}
)

// kindsInFocus returns the kinds a program draws from.
func (p *plan) kindsInFocus() []objectKind {
	if !p.focused {
		return objectKinds
	}
	var list []objectKind
	for _, k := range objectKinds {
		if slices.ContainsFunc(k.features, p.may) {
			list = append(list, k)
		}
	}
	return list
}

// planObjects draws n variables.
func (p *plan) planObjects(n int) {
	kinds := p.kindsInFocus()
	if len(kinds) == 0 {
		return
	}
	for i := range n {
		v := &object{strongIn: -1}
		e := pick(p.c, elements)
		v.elem, v.width = e.elem, e.width
		v.align = max(pick(p.c, alignments), v.width)
		v.count = between(p.c, 1, 24)
		pick(p.c, kinds).plan(p, v, i)
		if v.space == global || v.space == constant {
			p.planStaticObject(v)
		}
		p.objects = append(p.objects, v)
	}
}

func (p *plan) planGlobal(v *object, i int) {
	v.space, v.name, v.defs = global, fmt.Sprintf("g%d", i), p.places(false)
	if p.c.below(2) == 1 {
		v.init = initValues
		p.planAddresses(v)
	}
	p.planWeak(v)
	v.managed = p.may(Managed) && !v.weak && oneIn(p.c, 3)
}

// planAddresses turns an initialiser of numbers into one of addresses.
func (p *plan) planAddresses(v *object) {
	switch {
	case p.may(AddressInit) && oneIn(p.c, 3):
		v.init, v.elem, v.width, v.align, v.count = initAddresses, "u64", 8, max(v.align, 8), between(p.c, 1, 6)
	case p.may(LaneInit) && p.target.has(Lanes) && oneIn(p.c, 3):
		v.init, v.elem, v.width, v.count = initLanes, "u8", 1, between(p.c, 2, 16)
	}
}

// planWeak gives a variable several definitions, and perhaps one that overrules them.
func (p *plan) planWeak(v *object) {
	if !p.may(WeakObject) || !oneIn(p.c, 3) {
		return
	}
	v.weak, v.defs = true, p.places(true)
	if p.may(WeakOverruled) && oneIn(p.c, 3) {
		v.strongIn = p.c.below(len(p.modules))
	}
}

func (p *plan) planCommon(v *object, i int) {
	v.space, v.name, v.common, v.defs = global, fmt.Sprintf("cm%d", i), true, p.places(true)
	if p.may(CommonDefined) && oneIn(p.c, 3) {
		v.strongIn = p.c.below(len(p.modules))
		v.init = initValues
	}
}

func (p *plan) planReference(v *object, i int) {
	v.defs, v.count, v.align, v.elem = p.places(false), 0, 0, ""
	switch kind := p.c.below(3); {
	case kind == 1:
		v.space, v.name = surfaceRef, fmt.Sprintf("u%d", i)
	case kind == 2 && p.independent:
		v.space, v.name = samplerRef, fmt.Sprintf("p%d", i)
	default:
		v.space, v.name = textureRef, fmt.Sprintf("t%d", i)
	}
}

func (p *plan) planConstant(v *object, i int) {
	v.space, v.name, v.init, v.defs = constant, fmt.Sprintf("c%d", i), initValues, p.places(false)
	p.planAddresses(v)
	p.planWeak(v)
}

func (p *plan) planDynamic(v *object, i int) {
	v.space, v.name, v.count, v.align = dynamic, fmt.Sprintf("x%d", i), 0, min(v.align, 16)
}

func (p *plan) planShared(v *object, i int) {
	v.space, v.name, v.defs = shared, fmt.Sprintf("s%d", i), p.places(false)
	switch {
	case p.may(SharedStatic) && p.c.below(2) == 1:
		p.hide(v, fmt.Sprintf("loc%d", p.c.below(3)))
	case p.may(WeakShared) && oneIn(p.c, 4):
		v.weak, v.defs = true, p.places(true)
	}
}

// planStaticObject takes the name of a plain variable out of the link, and gives it one that other modules use too.
func (p *plan) planStaticObject(v *object) {
	if v.weak || v.common || v.managed || !p.may(StaticObject) || !oneIn(p.c, 3) {
		return
	}
	p.hide(v, fmt.Sprintf("own%d", p.c.below(3)))
}

// hide makes a variable static under a name, unless its module has that name already.
func (p *plan) hide(v *object, name string) {
	for _, w := range p.objects {
		if w.name == name && w.defs[0] == v.defs[0] {
			return
		}
	}
	v.static, v.name = true, name
}

// planTables adds tables of functions of one signature.
func (p *plan) planTables() {
	var device []*function
	for _, f := range p.functions {
		if !f.entry {
			device = append(device, f)
		}
	}
	if len(device) == 0 || !p.may(FunctionInit) {
		return
	}
	for i := range p.c.below(3) {
		f := pick(p.c, device)
		v := &object{name: fmt.Sprintf("tb%d", i), strongIn: -1, sig: f.sig, init: initFunctions, elem: "u64", width: 8, align: 8}
		v.count, v.defs = between(p.c, 1, 4), []int{pick(p.c, f.defs)}
		if oneIn(p.c, 3) {
			v.space = constant
		}
		p.objects = append(p.objects, v)
	}
}
