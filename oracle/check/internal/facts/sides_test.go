package facts

import (
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestMovedWords: attributes that are lists of places of words follow the words; of those that hold more nothing is known.
func TestMovedWords(t *testing.T) {
	const module = "registers=@k,9 stack=@k,0"
	moved := func(s *scene) { // a word was inserted before the second
		s.body("k").Area.Words = &sass.WordMap{To: []int32{0, 2}, From: []int32{0, -1, 1}}
	}
	for i, x := range []struct {
		in, out string
		change  func(s *scene)
		want    string
	}{
		{"exits=0,16", "exits=0,32", moved, ""},
		{"exits=0,16", "exits=0,16", moved, "fact.value k.cubin .nv.info.k k EXIT_INSTR_OFFSETS 0000000020000000/0000000010000000"},
		{"exits=0,16", "exits=0,16", func(*scene) {}, ""},
		{"exits=0,16", "exits=0,32", func(*scene) {}, "fact.value k.cubin .nv.info.k k EXIT_INSTR_OFFSETS 0000000010000000/0000000020000000"},
		{"exits=0,16", "exits=5,5", func(s *scene) { moved(s); s.body("k").Area.Words.Strange = true }, ""},
		{"branches=16,0,0", "branches=32,0,0", moved, ""},
		{"branches=16,0,0", "branches=32,0,0", func(*scene) {}, "fact.value k.cubin .nv.info.k k INDIRECT_BRANCH_TARGETS 100000000000000000000000/200000000000000000000000"},
		{"crs=16", "crs=32", moved, "fact.value k.cubin .nv.info.k k CRS_STACK_SIZE 10000000/20000000"},
	} {
		s := sceneOf(t, 130, 100, function{name: "k", is: "kernel", module: "registers=@k,9", info: x.in + " version=1"})
		s.output(module, "k: version=1 "+x.out)
		x.change(s)
		if err := s.compareFacts(); err != nil {
			t.Fatal(err)
		}
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	for attr, want := range map[cuda.InfoAttr]bool{cuda.AttrExitInstrOffsets: true, cuda.AttrS2rctaidInstrOffsets: true, cuda.AttrCoopGroupInstrOffsets: true, cuda.AttrIntWarpWideInstrOffsets: true,
		cuda.AttrSwWarMembarSysInstrOffsets: true, link.AttrBulkCopyOffsets: true, cuda.AttrIndirectBranchTargets: false, cuda.AttrCrsStackSize: false} {
		if onlyWords(attr) != want {
			t.Errorf("%s: want %v", attr, want)
		}
	}
}

// TestMercurySide: its attributes are under names and types of its own, and say what the other side's do.
func TestMercurySide(t *testing.T) {
	for i, x := range []struct {
		module, functions string
		change            func(s *scene)
		want              string
	}{
		{"registers=@k,12 stack=@k,8", "k: version=1 barriers=3", func(*scene) {}, ""},
		{"registers=@k,11 stack=@k,8", "k: version=1 barriers=3", func(*scene) {}, "fact.value k.cubin .nv.info k REGCOUNT 0c000000/0b000000"},
		{"registers=@k,12 stack=@k,9", "k: version=1 barriers=3", func(*scene) {}, "fact.value k.cubin .nv.info k MIN_STACK_SIZE 08000000/09000000"},
		{"registers=@k,12 stack=@k,8", "k: version=1 barriers=2", func(*scene) {}, "fact.value k.cubin .nv.info.k k NUM_BARRIERS 0300/0200"},
		{"registers=@k,12 stack=@k,8", "k: version=1 barriers=3", func(s *scene) { s.Out.All[1].Kind = cuda.SHTNote }, "section.header  .nv.merc.nv.info  attributes of the Mercury side, under type 0x7 .nv.merc.nv.info/.nv.merc.nv.info"},
		{"registers=@k,12 stack=@k,8", "k: version=1 barriers=3", func(s *scene) { s.Out.All[4].Name = ".nv.info.k" }, "section.header  .nv.info.k  attributes of the Mercury side, under type 0x70000083 .nv.merc.nv.info.k/.nv.info.k"},
	} {
		k := function{name: "k", is: "kernel several", module: "registers=@k,9 frame=@k,4", info: "version=1 barriers=1"}
		other := function{name: "o", is: "lost", module: "registers=@o,12", info: "barriers=3"}
		sass := sceneOf(t, 130, 100, k, other)
		sass.output("registers=@k,12 frame=@k,4 stack=@k,8", "k: version=1 barriers=3")
		if err := sass.compareFacts(); err != nil || sass.Verdict.Total != 0 {
			t.Fatal(err, sass.Verdict)
		}
		s := sceneOf(t, 130, 100, k, other)
		s.Sass, s.Out.Side, s.Side = sass.Link, image.MercurySide, image.MercurySide
		s.output("frame=@k,4 "+x.module, x.functions)
		s.Out.All = append([]image.Section(nil), s.Out.Sections...)
		for i := range s.Out.All {
			if a := &s.Out.All[i]; a.Kind == cuda.SHTCudaInfo {
				a.Name, a.Kind = image.MercurySide.FileName(a.Name), cuda.SHTMercInfo
			}
		}
		x.change(s)
		if err := s.compareFacts(); err != nil {
			t.Fatal(err)
		}
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestNoMoreThanAnybody: of a kernel with several definitions larger numbers are right, but none that no input has.
func TestNoMoreThanAnybody(t *testing.T) {
	for i, x := range []struct{ registers, barriers, want string }{
		{"9", "1", ""}, {"12", "3", ""}, {"10", "2", ""},
		{"13", "3", "fact.value k.cubin .nv.info k REGCOUNT 09000000/0d000000"},
		{"12", "4", "fact.value k.cubin .nv.info.k k NUM_BARRIERS 0100/0400"},
		{"8", "1", "fact.value k.cubin .nv.info k REGCOUNT 09000000/08000000"},
	} {
		s := sceneOf(t, 130, 80, function{name: "k", is: "kernel several", module: "registers=@k,9 frame=@k,4", info: "barriers=1"},
			function{name: "o", is: "lost", module: "registers=@o,12", info: "barriers=3"})
		s.output("registers=@k,"+x.registers+" frame=@k,4 stack=@k,4", "k: barriers="+x.barriers)
		if err := s.compareFacts(); err != nil {
			t.Fatal(err)
		}
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestMinStack: all ones where nobody knows.
func TestMinStack(t *testing.T) {
	for i, x := range []struct {
		functions []function
		want      string
	}{
		{[]function{{name: "k", is: "kernel", module: "frame=@k,16", calls: "f"}, {name: "f", module: "frame=@f,8"}}, "stack:k=18000000"},
		{[]function{{name: "k", is: "kernel several", module: "frame=@k,16"}}, "stack:k=10000000+"},
		{[]function{{name: "k", is: "kernel", calls: "f"}, {name: "f", calls: "f"}}, "stack:k=ffffffff"},
		{[]function{{name: "k", is: "kernel several", calls: "f"}, {name: "f", calls: "f"}}, "stack:k=ffffffff"},
	} {
		s := sceneOf(t, 130, 90, x.functions...)
		k := s.ids["k"]
		f := minStack(k, s.NeedOf(k))
		if got := textOf([]link.Fact{f}); got != x.want || f.File != "k.cubin" {
			t.Errorf("%d: %s of %s, want %s", i, got, f.File, x.want)
		}
	}
}

// TestBudgetOfFacts: the budget ends where there are more attributes than it has steps.
func TestBudgetOfFacts(t *testing.T) {
	s := sceneOf(t, 130, 90, function{name: "k", is: "kernel", info: "z reserved"})
	s.output("stack=@k,0", "k: z reserved")
	for s.Budget.Spend("", 1<<10) == nil {
	}
	if err := s.compareFacts(); err == nil {
		t.Error("no error")
	}
}
