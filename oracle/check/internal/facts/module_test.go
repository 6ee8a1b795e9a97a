package facts

import (
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/link"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// TestModuleFacts: what .nv.info must have of what an input's says: of a kernel the most registers of all that it reaches.
func TestModuleFacts(t *testing.T) {
	const says = "registers=@k,9 frame=@k,16 most=@k,0"
	type functions = []function
	k := function{name: "k", is: "kernel", module: says, calls: "f"}
	f := function{name: "f", module: "registers=@f,20 frame=@f,8 most=@f,4"}
	f10 := function{name: "f", module: "registers=@f,5"}
	as := func(x function, is string) function { x.is += " " + is; return x }
	for i, x := range []struct {
		release   oracle.Release
		sm        int
		r         bool
		functions functions
		of        int // module
		want      string
	}{
		{130, 90, false, functions{k, f}, 0, "frame:k=10000000 registers:k=14000000"},
		{130, 90, false, functions{k, f10}, 0, "frame:k=10000000 registers:k=09000000"},
		{130, 90, false, functions{k, f}, 1, "frame:f=08000000 registers:f=14000000"},
		{130, 90, true, functions{k, f}, 0, "frame:k=10000000 most:k=00000000 registers:k=09000000"},

		// -r by 13.5 may omit that there is no stack.
		{135, 100, true, functions{k, f}, 0, "frame:k=10000000 most:k=00000000? registers:k=09000000"},
		{135, 100, true, functions{k, f}, 1, "frame:f=08000000 most:f=04000000 registers:f=14000000"},
		{134, 100, true, functions{k, f}, 0, "frame:k=10000000 most:k=00000000 registers:k=09000000"},
		{135, 90, true, functions{k, f}, 0, "frame:k=10000000 most:k=00000000 registers:k=09000000"},
		{136, 100, true, functions{{name: "k", is: "kernel", module: "frame=@k,0"}}, 0, "frame:k=00000000"},

		// What is gone, and definitions that lost, say nothing.
		{130, 90, false, functions{k, as(f, "gone")}, 1, ""},
		{130, 90, false, functions{k, as(f, "lost")}, 1, ""},
		{130, 90, false, functions{k, as(f, "replaced")}, 1, ""},
		{130, 90, false, functions{k, as(f, "undefined"), {name: "o", is: "kernel", module: "registers=@f,7"}}, 1, "registers:f=07000000"},

		// A kernel that nobody asked for, one with several definitions, and functions under names of the driver's.
		{130, 90, false, functions{as(k, "unasked"), f}, 0, "frame:k=10000000 registers:k=14000000|09000000"},
		{130, 90, false, functions{as(k, "several"), f}, 0, "frame:k=10000000 registers:k=14000000+"},
		{130, 90, false, functions{{name: "k", is: "kernel", calls: "free"}, {name: "free", module: "registers=@free,5 frame=@free,4", calls: "f"}, f}, 1, "frame:free=04000000 registers:free=05000000|14000000"},
		{130, 90, false, functions{{name: "k", is: "kernel", calls: "free"}, {name: "free", module: "registers=@free,5", calls: "f"}, f10}, 1, "registers:free=05000000"},
		{130, 90, true, functions{{name: "k", is: "kernel", calls: "free"}, {name: "free", module: "registers=@free,5", calls: "f"}, f}, 1, "registers:free=05000000"},
		{130, 90, false, functions{{name: "k", is: "kernel", calls: "free"}, {name: "free", module: "registers=@free,300", calls: "f"}, {name: "f", module: "registers=@f,60"}}, 1, "registers:free=2c010000"},
	} {
		s := sceneOf(t, x.release, x.sm, x.functions...)
		s.Relocatable = x.r
		if got := textOf(s.moduleFacts(nil, s.Modules[x.of])); got != x.want {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}

	// A record about no symbol, or about no function, is what it is; a special section's name is nobody's code.
	s := sceneOf(t, 130, 90, k, f)
	m := s.Modules[1]
	data := &link.Identity{Name: "data", Info: byte(cuda.STTObject)}
	m.Refs[1] = link.Ref{ID: data}
	m.Infos[3] = []image.Attribute{{Format: cuda.FormatSized, Attr: cuda.AttrRegcount, Value: []byte("\x01\x00\x00\x00\x05\x00\x00\x00")}, {Format: cuda.FormatHalf, Attr: cuda.AttrCudaApiVersion, Value: []byte("\x82\x00")}}
	if got := textOf(s.moduleFacts(nil, m)); got != "EIATTR_CUDA_API_VERSION=8200 registers:data=05000000" {
		t.Error(got)
	}
	m.Refs[1] = link.Ref{}
	if list := s.moduleFacts([]link.Fact{{}}, m); len(list) != 3 || list[1].File != "f.cubin" || list[1].Optional {
		t.Errorf("%+v", list)
	}
	s = sceneOf(t, 130, 90, k, function{name: "f", is: "lost", module: "frame=@f,8"})
	s.Modules[1].Symbols[2].Special = true
	if got := textOf(s.moduleFacts(nil, s.Modules[1])); got != "frame:f=08000000" {
		t.Error(got)
	}

	// Which of the code's names it is about is as the input has it.
	s = sceneOf(t, 130, 90, k, f)
	second := &link.Identity{Name: "second", Info: byte(cuda.STTFunc), Live: true, Code: s.body("f"), Def: s.ids["f"].Def}
	s.Modules[1].Refs[2] = link.Ref{ID: second}
	if list := s.moduleFacts(nil, s.Modules[1]); !slices.ContainsFunc(list, func(x link.Fact) bool { return x.Attr == cuda.AttrFrameSize && x.Key.ID == second }) {
		t.Errorf("%s", textOf(list))
	}

	// The SASS side says how many registers a kernel has of which more is known than needed.
	s = sceneOf(t, 130, 100, as(k, "several"), f)
	s.Sass = &link.Link{Said: map[link.CounterpartFact]string{{Kernel: "k", Attr: cuda.AttrRegcount}: sass.BytesOf(30)}}
	if got := textOf(s.moduleFacts(nil, s.Modules[0])); got != "frame:k=10000000 registers:k=1e000000" {
		t.Error(got)
	}
}

// output gives a link an output with such attributes, of the module and of functions: "k: crs=16; f: ...", a function twice
// has two sections.
func (s *scene) output(module, functions string) {
	o := s.Out
	o.Sections = []image.Section{{}, {Index: 1, Name: ".nv.info", Kind: cuda.SHTCudaInfo}}
	o.Infos, o.Bodies, o.Refs = make([][]image.Attribute, 2), make([]*link.Body, 2), []link.Ref{{}}
	o.Name, o.Symbols = "output", make([]image.Symbol, len(s.IDs)+1)
	attributesOf := func(text string) []image.Attribute {
		list, err := s.Out.ReadAttributes(&image.Section{Body: s.info(text)}, s.Budget)
		if err != nil {
			s.t.Fatal(err)
		}
		return list
	}
	o.Infos[1] = attributesOf(module)
	for i, id := range s.IDs {
		o.Refs = append(o.Refs, link.Ref{ID: id})
		o.Symbols[i+1] = image.Symbol{Name: id.Name}
		if id.Code == nil {
			continue
		}
		o.Bodies = append(o.Bodies, id.Code)
		o.Infos = append(o.Infos, nil)
		o.Sections = append(o.Sections, image.Section{Index: len(o.Sections), Name: ".text." + id.Name, Kind: cuda.SHTProgbits, Flags: cuda.SHFExec})
		s.Areas = append(s.Areas, id.Code.Area)
	}
	for part := range strings.SplitSeq(functions, ";") {
		name, text, _ := strings.Cut(strings.TrimSpace(part), ":")
		if s.ids[name] == nil {
			continue
		}
		at := slices.Index(o.Bodies, s.body(name))
		o.Sections = append(o.Sections, image.Section{Index: len(o.Sections), Name: ".nv.info." + name, Kind: cuda.SHTCudaInfo, Info: uint32(at)})
		o.Infos, o.Bodies = append(o.Infos, attributesOf(text)), append(o.Bodies, nil)
	}
	o.All = o.Sections
}

// TestCompare changes a right output in one place each.
func TestCompare(t *testing.T) {
	k := function{name: "k", is: "kernel", module: "registers=@k,9 frame=@k,16", info: "crs=16 exits=16 parameter=0,1", calls: "f"}
	f := function{name: "f", module: "registers=@f,20 frame=@f,8", info: "crs=32 externs=@u"}
	u := function{name: "u", is: "undefined"}
	const module = "registers=@k,20 frame=@k,16 registers=@f,20 frame=@f,8 stack=@k,24"
	const functions = "k: crs=48 exits=16 parameter=0,1 externs=@u; f: crs=32 externs=@u"
	none := func(*scene) {}
	for i, x := range []struct {
		module, functions string
		change            func(s *scene)
		want              string
	}{
		{module, functions, none, ""},
		{"stack=@k,24 frame=@f,8 registers=@k,20 frame=@k,16 registers=@f,20", "f: externs=@u crs=32; k: parameter=0,1 crs=48 externs=@u exits=16", none, ""},
		{module, "k: crs=48 exits=16; k: parameter=0,1 externs=@u; f: crs=32 externs=@u", none, ""}, // in two sections

		{"frame=@k,16 registers=@f,20 frame=@f,8 stack=@k,24", functions, none, "fact.missing k.cubin .nv.info k REGCOUNT 14000000/"},
		{"registers=@k,9 frame=@k,16 registers=@f,20 frame=@f,8 stack=@k,24", functions, none, "fact.value k.cubin .nv.info k REGCOUNT 14000000/09000000"},
		{"registers=@k,20 frame=@k,16 registers=@f,20 frame=@f,8", functions, none, "fact.missing k.cubin .nv.info k MIN_STACK_SIZE 18000000/"},
		{"registers=@k,20 frame=@k,16 registers=@f,20 frame=@f,8 stack=@k,16", functions, none, "fact.value k.cubin .nv.info k MIN_STACK_SIZE 18000000/10000000"},
		{module + " stack=@f,8", functions, none, "fact.stray  .nv.info f MIN_STACK_SIZE /08000000"},
		{module + " stack=@o,8", functions, none, "fact.stray  .nv.info o MIN_STACK_SIZE /08000000"},
		{module + " stack=@k,24", functions, none, "fact.stray  .nv.info k MIN_STACK_SIZE /18000000"},
		{module + " most=@f,8", functions, none, "fact.stray  .nv.info f MAX_STACK_SIZE /08000000"},
		{module, "k: crs=16 exits=16 parameter=0,1 externs=@u; f: crs=32 externs=@u", none, "fact.value k.cubin .nv.info.k k CRS_STACK_SIZE 30000000/10000000"},
		{module, "k: crs=48 exits=32 parameter=0,1 externs=@u; f: crs=32 externs=@u", none, "fact.value k.cubin .nv.info.k k EXIT_INSTR_OFFSETS 10000000/20000000"},
		{module, "k: crs=48 exits=16 parameter=3,1 externs=@u; f: crs=32 externs=@u", none, ""}, // a number that nothing reads
		{module, "k: crs=48 exits=16 parameter=0,2 externs=@u; f: crs=32 externs=@u", none, "fact.value k.cubin .nv.info.k k KPARAM_INFO 01000000/02000000"},
		{module, "k: crs=48 exits=16 parameter=0,1 externs=@u; f: externs=@u", none, "fact.missing f.cubin .nv.info.f f CRS_STACK_SIZE 20000000/"},
		{module, "k: crs=48 exits=16 parameter=0,1; f: crs=32 externs=@u", none, "fact.missing k.cubin .nv.info.k k EXTERNS u/"},
		{module, "k: crs=48 exits=16 parameter=0,1 externs=@u z; f: crs=32 externs=@u", none, "fact.stray  .nv.info.k k CTAIDZ_USED /0000"},
		{module, "f: crs=32 externs=@u", none, "fact.missing k.cubin .nv.info.k k EXTERNS u/; fact.missing k.cubin .nv.info.k k KPARAM_INFO 01000000/; fact.missing k.cubin .nv.info.k k EXIT_INSTR_OFFSETS 10000000/; fact.missing k.cubin .nv.info.k k CRS_STACK_SIZE 30000000/"},

		// Code that is gone has none; who owns a section must be code of the link.
		{module, "k: crs=48 exits=16 parameter=0,1 externs=@u", func(s *scene) { s.body("f").Area.Out = nil }, ""},
		{module, functions, func(s *scene) { s.Out.Sections[3].Kind = cuda.SHTNote }, ""},
		{module, functions, func(s *scene) { s.Out.Sections[4].Info = 1 }, "section.stray  .nv.info.k  belongs to no code of the link /; fact.missing k.cubin .nv.info.k k EXTERNS u/; fact.missing k.cubin .nv.info.k k KPARAM_INFO 01000000/; fact.missing k.cubin .nv.info.k k EXIT_INSTR_OFFSETS 10000000/; fact.missing k.cubin .nv.info.k k CRS_STACK_SIZE 30000000/"},
		{module, "k: crs=48 exits=16 parameter=0,1 externs=@u; f: crs=32 externs=@u; f: z", func(s *scene) { s.Out.Sections[6].Info = 7 }, "section.stray  .nv.info.f  belongs to no code of the link /"},
		{module, functions, func(s *scene) { s.Out.Sections[4].Name = ".nv.info.x" }, "section.header  .nv.info.x  name .nv.info.k/.nv.info.x"},

		{"registers=@k,20 frame=@k,16 stack=@k,24", "k: crs=48 exits=16 parameter=0,1 externs=@u; f: z", func(s *scene) { s.ids["f"].Live, s.body("f").Live = false, false }, ""},
		{"registers=@k,20 frame=@k,16 stack=@k,24 stack=@f,8", "k: crs=48 exits=16 parameter=0,1 externs=@u", func(s *scene) {
			s.ids["f"].Name, s.ids["f"].Live, s.body("f").Live = "free", false, false
		}, "fact.stray  .nv.info free MIN_STACK_SIZE /08000000"},
		{module, functions, func(s *scene) { s.Areas = append(s.Areas, &link.Area{Name: ".nv.global", Out: &image.Section{}}) }, ""},

		// A file in the middle.
		{"registers=@k,9 frame=@k,16 registers=@f,20 frame=@f,8", "k: crs=16 exits=16 parameter=0,1; f: crs=32 externs=@u", func(s *scene) { s.Relocatable = true }, ""},

		// A kernel that stays though nobody asked for it may say its stack.
		{module, functions, func(s *scene) { s.ids["k"].Asked, s.Kernels = false, nil }, ""},
		{"registers=@k,20 frame=@k,16 registers=@f,20 frame=@f,8", functions, func(s *scene) { s.ids["k"].Asked, s.Kernels = false, nil }, ""},
		{"registers=@k,20 frame=@k,16 registers=@f,20 frame=@f,8 stack=@k,8", functions, func(s *scene) { s.ids["k"].Asked, s.Kernels = false, nil }, "fact.value k.cubin .nv.info k MIN_STACK_SIZE 18000000/08000000"},
		{module + " stack=@f,8", functions, func(s *scene) { s.ids["k"].Asked, s.Kernels = false, nil }, "fact.stray  .nv.info f MIN_STACK_SIZE /08000000"},

		// One under a name of the driver's may say its stack as well.
		{module + " stack=@f,8", functions, func(s *scene) { s.ids["f"].Name = "free"; s.Out.Sections[5].Name = s.body("f").InfoSection() }, ""},
		{module, functions, func(s *scene) { s.ids["f"].Name = "free"; s.Out.Sections[5].Name = s.body("f").InfoSection() }, ""},
		{module + " stack=@f,9", functions, func(s *scene) { s.ids["f"].Name = "free"; s.Out.Sections[5].Name = s.body("f").InfoSection() }, "fact.value f.cubin .nv.info free MIN_STACK_SIZE 08000000/09000000"},
	} {
		s := sceneOf(t, 130, 90, k, f, u, function{name: "o", is: "kernel", module: ""})
		s.Modules, s.Kernels = s.Modules[:2], s.Kernels[:1]
		s.ids["o"].Asked, s.ids["o"].Live, s.ids["o"].Code = false, false, nil
		s.output(x.module, x.functions)
		x.change(s)
		if err := s.compareFacts(); err != nil {
			t.Fatal(err)
		}
		if got := saidWhere(s.check); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
}

// saidWhere are the findings with the file and the place that they are about.
func saidWhere(c *check) string {
	var list []string
	for _, f := range c.Verdict.Findings {
		list = append(list, strings.Join([]string{f.Kind.String(), f.File, f.Section, f.Symbol, strings.TrimPrefix(f.Detail, "EIATTR_"), f.Want + "/" + f.Got}, " "))
	}
	return strings.Join(list, "; ")
}
