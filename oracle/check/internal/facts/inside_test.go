package facts

import (
	"testing"

	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"

	"github.com/twinlink/twinlink/cuda"
)

// insideScene is a link of a kernel with a function inside, which -ewp compiles so.
func insideScene(t *testing.T, sm int, module string) *scene {
	s := sceneOf(t, 130, sm, function{name: "k", is: "kernel", module: module})
	in := &link.Identity{Name: "$k$f", Info: byte(cuda.STTFunc), Def: &image.Symbol{Value: 64}, Code: s.body("k"), Live: true}
	s.body("k").Names = append(s.body("k").Names, in)
	return s
}

// TestInside: on the SASS side the frame of a kernel with a function inside is that of any of them, and the stack comes
// from the Mercury side; of what calls itself nobody knows how much it needs.
func TestInside(t *testing.T) {
	for i, x := range []struct {
		sm                  int
		inside, relocatable bool
		module, output      string
		want                string
	}{
		{100, true, false, "frame=@k,16", "frame=@k,0 stack=@k,16", ""},
		{100, true, false, "frame=@k,16", "frame=@k,80 stack=@k,400", ""},
		{100, true, false, "frame=@k,16", "frame=@k,16", "fact.missing k.cubin .nv.info k MIN_STACK_SIZE 10000000/"},
		{100, true, false, "frame=@k,16", "stack=@k,16", "fact.missing k.cubin .nv.info k FRAME_SIZE 10000000/"},
		{100, false, false, "frame=@k,16", "frame=@k,0 stack=@k,16", "fact.value k.cubin .nv.info k FRAME_SIZE 10000000/00000000"},
		{100, false, false, "frame=@k,16", "frame=@k,16 stack=@k,400", "fact.value k.cubin .nv.info k MIN_STACK_SIZE 10000000/90010000"},
		{90, true, false, "frame=@k,16", "frame=@k,0 stack=@k,16", "fact.value k.cubin .nv.info k FRAME_SIZE 10000000/00000000"},
		{90, true, false, "frame=@k,16", "frame=@k,16 stack=@k,400", "fact.value k.cubin .nv.info k MIN_STACK_SIZE 10000000/90010000"},
		{90, true, false, "frame=@k,16 stack=@k,4294967295", "frame=@k,16 stack=@k,4294967295", ""},
		{90, true, false, "frame=@k,16 stack=@k,4294967295", "frame=@k,16 stack=@k,16", "fact.value k.cubin .nv.info k MIN_STACK_SIZE ffffffff/10000000"},
		{90, true, false, "frame=@k,16 stack=@k,4294967294", "frame=@k,16 stack=@k,4294967294 stack=@k,16", ""},
		{90, true, true, "frame=@k,16 stack=@k,4294967295", "frame=@k,16 stack=@k,4294967295", ""},
		{90, true, true, "frame=@k,16 stack=@k,4294967295", "frame=@k,16", "fact.missing k.cubin .nv.info k MIN_STACK_SIZE ffffffff/"},
	} {
		s := insideScene(t, x.sm, x.module)
		if !x.inside {
			s.body("k").Names = s.body("k").Names[:1]
		}
		s.Relocatable = x.relocatable
		s.output(x.output, "")
		lists, got := s.writtenFacts()
		_ = lists
		var want []link.Fact
		for _, m := range s.Modules {
			want = s.moduleFacts(want, m)
		}
		if k := s.ids["k"]; !x.relocatable {
			f := minStack(k, s.NeedOf(k))
			f.Anything = s.anyFrame(cuda.AttrFrameSize, k)
			want = append(want, f)
		}
		s.compareList(".nv.info", "", want, got)
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// TestInsideBothSides: the Mercury side knows the stack of such a kernel, and the SASS side must say the same.
func TestInsideBothSides(t *testing.T) {
	for i, x := range []struct {
		inside     bool
		sass, merc string
		want       string
	}{
		{true, "frame=@k,8 stack=@k,16", "frame=@k,16 stack=@k,16", ""},
		{true, "frame=@k,8 stack=@k,8", "frame=@k,16 stack=@k,16", "fact.value k.cubin .nv.info k MIN_STACK_SIZE 10000000/08000000"},
		{true, "frame=@k,8 stack=@k,32", "frame=@k,16 stack=@k,16", "fact.value k.cubin .nv.info k MIN_STACK_SIZE 10000000/20000000"},
		{true, "frame=@k,8 stack=@k,16", "frame=@k,8 stack=@k,16", "fact.value k.cubin .nv.info k FRAME_SIZE 10000000/08000000"},
		{true, "frame=@k,8 stack=@k,16", "frame=@k,16 stack=@k,8", "fact.value k.cubin .nv.info k MIN_STACK_SIZE 10000000/08000000"},
	} {
		sass := insideScene(t, 100, "frame=@k,16")
		sass.output(x.sass, "k: version=1")
		if err := sass.compareFacts(); err != nil {
			t.Fatal(err)
		}
		s := insideScene(t, 100, "frame=@k,16")
		s.Sass, s.Out.Side, s.Side = sass.Link, image.MercurySide, image.MercurySide
		s.output(x.merc, "")
		_, got := s.writtenFacts()
		s.Verdict.Findings, s.Verdict.Total = nil, 0
		var want []link.Fact
		for _, m := range s.Modules {
			want = s.moduleFacts(want, m)
		}
		k := s.ids["k"]
		f := minStack(k, s.NeedOf(k))
		s.sameStack(k, f)
		s.compareList(".nv.info", "", append(want, s.asOtherSide(f)), got)
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	s := insideScene(t, 100, "frame=@k,16")
	s.sameStack(s.ids["k"], minStack(s.ids["k"], s.NeedOf(s.ids["k"]))) // there is no other side
	s.Sass = &link.Link{Said: map[link.CounterpartFact]string{{Kernel: "k", Attr: cuda.AttrMinStackSize}: "\x01\x00\x00\x00"}}
	s.body("k").Names = s.body("k").Names[:1]
	s.sameStack(s.ids["k"], minStack(s.ids["k"], s.NeedOf(s.ids["k"])))
	s.sameStack(&link.Identity{Name: "k"}, link.Fact{Attr: cuda.AttrMinStackSize})
	if s.Verdict.Total != 0 {
		t.Error(s.Verdict)
	}
}
