package facts

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
)

// TestBodyFacts: what .nv.info.<function> must have, of its own attributes and of what it reaches. A link of one kernel
// may charge it with what all code needs.
func TestBodyFacts(t *testing.T) {
	kernel := func(info, calls string) function { return function{name: "k", is: "kernel", info: info, calls: calls} }
	other := function{name: "o", is: "kernel"}
	f := func(info string) function { return function{name: "f", info: info} }
	taken := func(info string) function { return function{name: "g", info: info, is: "taken"} } // nobody is known to call it
	undefined := func(name string) function { return function{name: name, is: "undefined"} }
	type functions = []function
	for i, x := range []struct {
		release   oracle.Release
		sm        int
		functions functions
		of, want  string
	}{
		{130, 90, functions{kernel("", "")}, "k", ""},
		{130, 90, functions{kernel("exits=16,32", "")}, "k", "exits=1000000020000000"},

		// Of CRS stack the sum along the path, and nobody knows where there is a cycle.
		{130, 90, functions{kernel("crs=16", "f"), f("crs=32")}, "k", "crs=30000000"},
		{130, 90, functions{kernel("crs=16", "f"), f("crs=32")}, "f", "crs=20000000"},
		{130, 90, functions{kernel("crs=16", "f"), {name: "f", calls: "f"}}, "k", "crs=ffffffff"},
		{130, 90, functions{kernel("", "f"), {name: "f", calls: "f"}}, "k", "crs=ffffffff"},

		{130, 90, functions{kernel("", "f"), f("crs=1"), other}, "k", "crs=01000000"},
		{130, 90, functions{kernel("", ""), {name: "u", is: "undefined taken"}}, "k", ""},

		// Of barriers the most; since 13.0 an attribute says how many, before that flags of the code.
		{130, 90, functions{kernel("barriers=1", "f"), f("barriers=2"), other}, "k", "barriers=0200"},
		{130, 90, functions{kernel("barriers=1", "f"), f("barriers=2")}, "k", "barriers=0200"},
		{130, 90, functions{kernel("", "f"), {name: "f", flagged: 2}, other}, "k", "barriers=0200"},
		{130, 90, functions{kernel("", "f"), {name: "f", flagged: 2}}, "f", "barriers=0200"},
		{130, 90, functions{kernel("", "f"), {name: "f", flagged: 2, info: "barriers=3"}}, "f", "barriers=0300"},
		{130, 90, functions{kernel("", "f"), {name: "f", flagged: 1}}, "f", "barriers=0100"},
		{124, 90, functions{kernel("", "f"), {name: "f", flagged: 2}, other}, "k", ""},
		{124, 90, functions{kernel("", "f"), {name: "f", flagged: 2}}, "f", ""},
		{130, 90, functions{kernel("barriers=2", ""), taken("barriers=5"), other}, "k", "barriers=0200"},
		{130, 90, functions{kernel("barriers=2", ""), taken("barriers=5")}, "k", "barriers=0200|0500|0500"},
		{130, 90, functions{kernel("", ""), taken("barriers=5")}, "k", "barriers=0500|0500?"},
		{130, 90, functions{kernel("barriers=1", ""), taken("barriers=5")}, "k", "barriers=0100|0500|0500"},

		// Masks of sparse matrix instructions have the bits of all; the highest is that of a second name.
		{130, 90, functions{kernel("mask=1", "f"), f("mask=4"), other}, "k", "mask=0500"},
		{130, 89, functions{kernel("mask=1", "f"), f("mask=4"), other}, "k", "mask=0100"},
		{130, 90, functions{kernel("mask=1", "f"), f(""), other}, "k", "mask=0100|0180"},
		{130, 90, functions{kernel("mask=1", ""), taken("mask=4")}, "k", "mask=0100|0500"},
		{130, 90, functions{kernel("", "f"), f("mask=4"), other}, "k", "mask=0480?"},
		{130, 90, functions{kernel("", "f"), f("mask=4"), other}, "o", "mask=0080?"},
		{130, 90, functions{kernel("mask=4", "f"), f("")}, "f", "mask=0080?"},
		{118, 90, functions{kernel("mask=4", "f"), f("")}, "f", ""},
		{119, 90, functions{kernel("mask=4", "f"), f("")}, "f", "mask=0080?"},

		// Transaction barriers are those of all functions, each once.
		{130, 90, functions{kernel("mbarriers=1", "f g"), {name: "f", info: "mbarriers=2", calls: "g"}, f2("g", "mbarriers=4"), other}, "k", "mbarriers=0700"},
		{130, 90, functions{kernel("", "f"), f("mbarriers=0"), other}, "k", "mbarriers=0000"},
		{130, 90, functions{kernel("", "f"), f("mbarriers=0")}, "k", "mbarriers=0000?"},
		{123, 90, functions{kernel("", "f"), f("mbarriers=0"), other}, "k", "mbarriers=0000?"},
		{124, 90, functions{kernel("", "f"), f("mbarriers=0"), other}, "k", "mbarriers=0000"},
		{130, 90, functions{kernel("mbarriers=0", ""), other}, "k", "mbarriers=0000"},
		{130, 90, functions{kernel("mbarriers=1", ""), taken("mbarriers=2")}, "k", "mbarriers=0100|0300"},
		{130, 90, functions{kernel("", ""), taken("mbarriers=2")}, "k", "mbarriers=0200?"},
		{130, 90, functions{kernel("", "f"), f("mbarriers=1"), taken("mbarriers=2")}, "k", "mbarriers=0100|0300"},
		{130, 90, functions{kernel("", ""), taken("mbarriers=1"), other}, "k", ""},

		// The old way to launch kernels, below sm_70.
		{118, 61, functions{kernel("", "cnpLaunch"), undefined("cnpLaunch"), other}, "k", "launches"},
		{118, 69, functions{kernel("", "cnpLaunch"), undefined("cnpLaunch")}, "k", "launches"},
		{118, 70, functions{kernel("", "cnpLaunch"), undefined("cnpLaunch"), other}, "k", ""},
		{118, 61, functions{kernel("", "c"), undefined("c"), other}, "k", ""},
		{118, 61, functions{kernel("", "")}, "k", ""},
		{118, 61, functions{kernel("", ""), {name: "o", is: "kernel", calls: "cnpLaunch"}, undefined("cnpLaunch")}, "k", ""},
		{118, 61, functions{kernel("", ""), {name: "cnpLaunch", is: "undefined taken"}}, "k", "launches"}, // charged with all code
		{118, 61, functions{kernel("", ""), {name: "cnpLaunch", is: "undefined taken"}, other}, "k", ""},

		// What is there or not.
		{130, 90, functions{kernel("", "f"), f("z"), other}, "k", "z"},
		{130, 90, functions{kernel("", ""), taken("z"), other}, "k", ""},
		{130, 90, functions{kernel("", ""), taken("z")}, "k", "z?"},
		{130, 90, functions{kernel("", "f"), f("reserved"), other}, "k", "reserved"},
		{130, 90, functions{kernel("", ""), taken("reserved")}, "k", "reserved?"},
		{130, 90, functions{kernel("", "f"), f("reserved"), other}, "f", "reserved"},

		// What a kernel with several definitions reaches isn't all known.
		{130, 90, functions{{name: "k", is: "kernel several"}, other}, "k", "barriers?+* cancels?* counts?+* crs?+* externs=?* fragments?* mbarriers?+* pair?* reserved?* single?* z?*"},

		// Names of functions that nothing defines.
		{130, 90, functions{kernel("externs=@u,@e", ""), undefined("e"), undefined("u"), other}, "k", "externs=e,u"},
		{130, 90, functions{kernel("externs=@u,@f", "f"), f("externs=@e"), undefined("e"), undefined("u"), other}, "k", "externs=e,u"},
		{130, 90, functions{kernel("externs=@u,@f", "f"), f("externs=@e"), undefined("e"), undefined("u"), other}, "f", "externs=e"},
		{130, 90, functions{kernel("externs=@f", "f"), f(""), other}, "k", ""},
		{130, 90, functions{kernel("externs=@u", ""), taken("externs=@e"), undefined("e"), undefined("u")}, "k", "externs=e,u|u"},
		{130, 90, functions{kernel("externs=@u", ""), taken("externs=@u"), undefined("u")}, "k", "externs=u"},
		{130, 90, functions{kernel("externs=@u", ""), taken("externs=@e"), undefined("e"), undefined("u"), other}, "k", "externs=u"},
		{130, 90, functions{kernel("externs=@u", ""), taken("externs=@e mask=4"), undefined("e"), undefined("u")}, "k", "externs=e,u|u mask=0080?"},
		{130, 90, functions{kernel("", ""), taken("externs=@e"), undefined("e")}, "k", "externs=e|?"},
		{130, 90, functions{kernel("", "f"), f("externs=@u,@e"), undefined("e"), undefined("u")}, "f", "externs=e,u"},

		// Tensor memory and clusters, since 13.0.
		{130, 100, functions{kernel("version=1", "f"), f("single"), other}, "k", "single version=0100"},
		{130, 100, functions{kernel("version=1", "f"), f("pair"), other}, "k", "pair version=0100"},
		{130, 100, functions{kernel("version=1", "f"), f("cancels"), other}, "k", "cancels version=0100"},
		{130, 100, functions{kernel("version=1", ""), taken("single pair cancels")}, "k", "cancels? pair? single? version=0100"},
		{130, 100, functions{kernel("version=1 counts=1", "f"), f("counts=3"), other}, "k", "counts=0300 version=0100"},
		{130, 100, functions{kernel("version=1", "f"), f("counts=3")}, "k", "counts=0300 version=0100"},
		{130, 100, functions{kernel("version=1 counts=1", "f"), f("counts=3")}, "k", "counts=0300|0100 version=0100"},
		{130, 100, functions{kernel("version=1 counts=0", ""), other}, "k", "counts=0000 version=0100"},
		{130, 100, functions{kernel("version=1 fragments=2", "f"), f("fragments=0"), other}, "k", "fragments=0200000000000000 version=0100"},
		{130, 100, functions{kernel("version=1 fragments=2", "f"), f("version=1 fragments=0")}, "f", "version=0100"},
		{130, 100, functions{kernel("version=1 fragments=2", ""), taken("fragments=0")}, "k", "fragments=02000000|0200000000000000 version=0100"},
		{130, 100, functions{kernel("version=1", ""), taken("fragments=1")}, "k", "fragments=01000000? version=0100"},
		{130, 100, functions{kernel("version=1 fragments=1", ""), taken("fragments=1")}, "k", "fragments=01000000 version=0100"},
		{130, 100, functions{kernel("version=1 fragments=64", ""), other}, "k", "fragments?* version=0100"},
		{130, 100, functions{kernel("version=1", ""), taken("fragments=64")}, "k", "fragments?* version=0100"},
		{130, 100, functions{kernel("version=1", ""), taken("fragments=64"), other}, "k", "version=0100"},

		{130, 100, functions{kernel("version=1", "f"), f("counts=1"), other}, "k", "counts=0100 version=0100"},
		{130, 100, functions{kernel("version=1 fragments=2", ""), taken("fragments=0"), other}, "k", "fragments=02000000 version=0100"},
		{130, 100, functions{kernel("version=1", ""), taken("fragments=1"), other}, "k", "version=0100"},
		{124, 90, functions{kernel("", "f"), f("single"), other}, "k", ""},

		// The version of Mercury, which 12.8 and 12.9 don't say.
		{130, 100, functions{kernel("", "")}, "k", "version=0001"},
		{128, 100, functions{kernel("", "")}, "k", ""},
		{130, 90, functions{kernel("", "")}, "k", ""},

		// A function under a name of the driver's is a kernel to nvlink, or it is not.
		{130, 90, functions{kernel("", "free"), {name: "free", info: "crs=8", calls: "f"}, f("crs=16 z barriers=1")}, "free", "barriers=0100? crs=18000000|08000000 externs=|? z?"},
		{130, 90, functions{kernel("", "free"), {name: "free", info: "barriers=1 externs=@u", calls: "f"}, f("externs=@e"), undefined("u"), undefined("e")}, "free", "barriers=0100 externs=u|e,u"},
		{130, 90, functions{kernel("", "free"), {name: "free", info: "externs=@u,@e"}, undefined("u"), undefined("e")}, "free", "externs=e,u|e,u"},
		{130, 90, functions{kernel("", "free"), {name: "free", flagged: 2}, taken("z barriers=5")}, "free", "barriers=0200 externs=|?"},
		{130, 90, functions{kernel("", "free"), {name: "free", info: "crs=8 barriers=1", calls: "f"}, f("crs=16 barriers=2")}, "free", "barriers=0200|0100 crs=18000000|08000000 externs=|?"},
	} {
		s := sceneOf(t, x.release, x.sm, x.functions...)
		if got := textOf(s.bodyFacts(s.body(x.of))); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestDriversInTheMiddle: in a file in the middle a function under a name of the driver's is one as any.
func TestDriversInTheMiddle(t *testing.T) {
	s := sceneOf(t, 130, 90, function{name: "k", is: "kernel", calls: "free"}, function{name: "free", info: "crs=8", calls: "f"}, function{name: "f", info: "crs=16 z"})
	s.Relocatable = true
	if got := textOf(s.bodyFacts(s.body("free"))); got != "crs=08000000" {
		t.Error(got)
	}
}

// TestParametersOfUnasked: a kernel that nobody asked for has its own parameters, each as it is.
func TestParametersOfUnasked(t *testing.T) {
	s := sceneOf(t, 130, 90, function{name: "k", is: "kernel unasked", info: "parameter=0,1 parameter=0,2 parameter=0,3 crs=8"}, function{name: "o", is: "kernel"})
	if got := textOf(s.bodyFacts(s.body("k"))); got != "crs=08000000 parameter=01000000 parameter=02000000 parameter=03000000" {
		t.Error(got)
	}
}

// f2 is a function of another name.
func f2(name, info string) function { return function{name: name, info: info} }

// TestBodyFactsByOptions: a file in the middle charges nobody, a kernel that nobody asked for may have its own values.
func TestBodyFactsByOptions(t *testing.T) {
	k := function{name: "k", is: "kernel", flagged: 1, info: "fragments=2 externs=@u mask=1", calls: "f"}
	f := function{name: "f", info: "barriers=2 crs=8 externs=@e fragments=0"}
	others := []function{{name: "u", is: "undefined"}, {name: "e", is: "undefined"}, {name: "o", is: "kernel"}}
	for i, x := range []struct {
		is, of string // what k is besides
		strict bool
		change func(s *scene)
		want   string
	}{
		{"", "k", false, func(*scene) {}, "barriers=0200 crs=08000000 externs=e,u fragments=0200000000000000 mask=0100|0180 version=0001"},
		{"", "k", false, func(s *scene) { s.Relocatable = true }, "barriers=0100 externs=u fragments=02000000 mask=0100 version=0001"},
		{"", "f", false, func(s *scene) { s.Relocatable = true }, "barriers=0200 crs=08000000 externs=e fragments=00000000 version=0001"},
		{"", "k", false, func(s *scene) { s.Relocatable, s.body("k").Area.Out.Flags = true, s.body("k").Area.Flags }, "barriers=0100? externs=u fragments=02000000 mask=0100 version=0001"},
		{" unasked", "k", false, func(*scene) {}, "barriers=0000?+ crs=08000000? externs=e,u|u? fragments=0200000000000000|02000000? mask=0100|0180 version=0001"},
		{" several", "k", false, func(*scene) {}, "barriers=0200+ cancels?* counts?+* crs=08000000+ externs=e,u+ fragments=0200000000000000 mask=0100|0180+ mbarriers?+* pair?* reserved?* single?* version=0001 z?*"},
		{" several", "k", true, func(*scene) {}, "barriers=0200 crs=08000000 externs=e,u fragments=0200000000000000 mask=0100|0180 version=0001"},
		{"", "k", false, func(s *scene) { s.body("k").Owner = nil }, "fragments=02000000 mask=0100"},
		{"", "k", false, func(s *scene) {
			a := s.body("k").Area
			s.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: s.body("k")}] = &link.Area{Owner: s.body("k"), Slots: true, Out: a.Out}
		}, "barriers=0200 crs=08000000 externs=e,u fragments=0200000000000000 mask=0100|0180 surfaces=0000 textures=0000 version=0001"},
		{"", "k", false, func(s *scene) {
			s.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: s.body("k")}] = &link.Area{Owner: s.body("k")}
		}, "barriers=0200 crs=08000000 externs=e,u fragments=0200000000000000 mask=0100|0180 version=0001"},
		{"", "k", false, func(s *scene) {
			s.Out.Side = image.MercurySide
			s.ByKey[link.AreaKey{Base: ".nv.constant0.", Owner: s.body("k")}] = &link.Area{Owner: s.body("k"), Slots: true}
		}, "barriers=0200 crs=08000000 externs=e,u fragments=0200000000000000 mask=0100|0180 version=0001"},
	} {
		first := k
		first.is += x.is
		s := sceneOf(t, 130, 100, append([]function{first, f}, others...)...)
		if s.Options.Strict = x.strict; x.strict {
			if err := s.FindNeeds(); err != nil {
				t.Fatal(err)
			}
		}
		b := s.body(x.of)
		if x.change(s); b == nil {
			t.Fatal(x.of)
		}
		if got := textOf(s.bodyFacts(b)); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestOlderBarriers: where the flags of older code still have its barriers, 13.5 may say of a kernel any number from that of what
// it calls up to its own.
func TestOlderBarriers(t *testing.T) {
	for i, x := range []struct {
		own, below uint64
		flags      uint64 // of the output's code
		written    bool
		want       string
	}{
		{3, 1, 3, true, "barriers=0300|0100|0200|0300"},
		{3, 3, 3, true, "barriers=0300|0300"},
		{3, 1, 2, true, "barriers=0300"},
		{3, 1, 0, true, "barriers=0300"},
		{3, 1, 0, false, "barriers=0300"},
		{2, 3, 2, true, "barriers=0300"}, // not the flags' number
		{0, 0, 0, true, ""},
	} {
		s := sceneOf(t, 135, 90, function{name: "k", is: "kernel", flagged: x.own, calls: "f"}, function{name: "f", flagged: x.below}, function{name: "o", is: "kernel"})
		a := s.body("k").Area
		if a.Out.Flags |= cuda.SectionFlags(x.flags) << cuda.SHFBarrierShift; !x.written {
			a.Out = nil
		}
		if got := textOf(s.bodyFacts(s.body("k"))); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}

// TestSecondNames: code with a second name may have a mask of its own from sm_90 on.
func TestSecondNames(t *testing.T) {
	for i, x := range []struct {
		release oracle.Release
		sm      int
		info    string
		live, r bool
		kernel  string // what the kernel that calls it says
		want    string
	}{
		{130, 90, "", true, false, "", "mask=0080?"},
		{130, 90, "", true, false, "mask=2", "mask=0080?"},
		{130, 89, "", true, false, "mask=2", "mask=0080?"}, // as one input has masks
		{130, 89, "", true, false, "", ""},
		{118, 90, "", true, false, "", ""},
		{119, 90, "", true, false, "", "mask=0080?"},
		{130, 90, "", false, false, "", ""},
		{130, 90, "", true, true, "", ""},
		{130, 90, "mask=1", true, false, "", "mask=0080? mask=0100"},
		{130, 90, "mask=1", false, false, "", "mask=0100"},
	} {
		s := sceneOf(t, x.release, x.sm, function{name: "k", is: "kernel", calls: "f", info: x.kernel}, function{name: "f", info: x.info}, function{name: "o", is: "kernel"})
		b := s.body("f")
		b.Names = append(b.Names, &link.Identity{Name: "f2", Live: x.live, Code: b, Def: b.Owner.Def})
		s.Relocatable = x.r
		if got := textOf(s.bodyFacts(b)); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
}
