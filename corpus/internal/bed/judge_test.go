package main

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
	"github.com/twinlink/twinlink/internal/splitmix"
)

// image is one of the recorded ones, with a byte changed where at isn't 0.
func image(t *testing.T, at int) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../internal/dump/testdata/13.0-sm_90-linked.cubin")
	if err != nil {
		t.Fatal(err)
	}
	if at > 0 {
		data[at] ^= 1
	}
	return data
}

func linkOf(ours *answer, asked ...*answer) *link {
	return &link{plan: &plan{arch: "sm_90", release: "13.0", objects: []*object{{Family: "f", defined: []string{"k", "kk"}, undefined: []string{"u"}, local: []string{"loc"}, data: []byte("12345")}}}, ours: ours, asked: asked}
}

// How a link is judged, for each way in which twinlink and NVIDIA's linkers can answer.
func TestVerdicts(t *testing.T) {
	same, other := image(t, 0), image(t, 0xe80+0x31)
	linked := func(who string, output []byte) *answer { return &answer{who: who, output: output} }
	refused := func(who, stderr string) *answer { return &answer{who: who, exit: 255, stderr: stderr} }
	jit := func(output []byte, text string) *answer {
		a := linked("nvJitLink 13.0", output)
		if output == nil {
			a.exit = 1
		}
		a.jit = &nvjitlink.Result{Text: text, Output: output}
		return a
	}
	warned := linked("twinlink", other)
	warned.warned = true
	needless := linked("twinlink", same)
	needless.warned = true
	for name, c := range map[string]struct {
		l    *link
		want verdict
	}{
		"the same":             {linkOf(linked("twinlink", same), linked("nvlink", same)), verdict{class: "same"}},
		"a needless warning":   {linkOf(needless, linked("nvlink", same)), verdict{class: "same", warned: true}},
		"nobody answers":       {linkOf(linked("twinlink", same)), verdict{class: "skipped", bucket: "no linker of NVIDIA's answered"}},
		"twinlink dies":        {linkOf(&answer{died: "panics"}, linked("nvlink", same)), verdict{class: "differ", bucket: "twinlink panics", silent: true}},
		"twinlink can't":       {linkOf(refused("twinlink", "nvlink error: -x 5 is not supported by twinlink\nmore"), linked("nvlink", same)), verdict{class: "skipped", bucket: "twinlink: nvlink error: -x N is not supported by twinlink"}},
		"refused alike":        {linkOf(refused("twinlink", "e"), refused("nvlink", "e")), verdict{class: "refused alike"}},
		"another message":      {linkOf(refused("twinlink", "e 'a'\nx"), refused("nvlink", "e 'a'\ny 0x1f 3")), verdict{class: "differ", bucket: "stderr: x | not | y N N", key: "stderr", silent: true}},
		"another output":       {linkOf(&answer{stdout: "x"}, &answer{}), verdict{class: "differ", bucket: "stdout: x | not | nothing", key: "stdout", silent: true}},
		"another status":       {linkOf(refused("twinlink", "e"), linked("nvlink", same)), verdict{class: "differ", bucket: "exit 255, not 0: e | not | nothing", key: "exit", silent: true}},
		"another image":        {linkOf(linked("twinlink", other), linked("nvlink", same)), verdict{class: "differ", silent: true}},
		"warned of":            {linkOf(warned, linked("nvlink", same)), verdict{class: "differ", warned: true}},
		"nvlink dies, next":    {linkOf(linked("twinlink", same), &answer{who: "nvlink", died: "hangs"}, jit(same, "")), verdict{class: "same"}},
		"nvlink dies":          {linkOf(linked("twinlink", same), &answer{who: "nvlink", died: "hangs"}), verdict{class: "skipped", bucket: "nvlink hangs"}},
		"both disagree":        {linkOf(linked("twinlink", same), linked("nvlink", same), jit(nil, "")), verdict{class: "same", among: "nvlink links, nvJitLink 13.0 refuses"}},
		"the image of another": {linkOf(linked("twinlink", same), linked("nvlink", same), jit(other, "")), verdict{class: "same", among: "images of nvlink and nvJitLink 13.0: "}},
		"jit alike":            {linkOf(refused("twinlink", "e"), jit(nil, "")), verdict{class: "refused alike"}},
		"jit links":            {linkOf(refused("twinlink", "e 7"), jit(same, "")), verdict{class: "differ", bucket: "refused, but nvJitLink links: e N", key: "outcome", silent: true}},
		"jit refuses":          {linkOf(linked("twinlink", same), jit(nil, "")), verdict{class: "differ", key: "outcome", silent: true}},
		"jit complains":        {linkOf(linked("twinlink", same), jit(same, "error : twice")), verdict{class: "differ", key: "outcome", silent: true}},
		"jit complains too":    {linkOf(refused("twinlink", "e"), jit(same, "error : twice")), verdict{class: "refused alike"}},
		"jit alone links":      {linkOf(refused("twinlink", "x "+refusedByNvlink), jit(same, "")), verdict{class: "skipped", bucket: "nvJitLink links what nvlink refuses: objects of 11.8 for sm_90"}},
	} {
		got := judge(c.l)
		if c.want.among != "" && strings.HasPrefix(got.among, c.want.among) {
			got.among = c.want.among
		}
		if c.want.class == "differ" && c.want.bucket == "" {
			if got.bucket == "" || got.key == "" {
				t.Errorf("%s: no cause: %+v", name, got)
			}
			got.bucket, got.key, c.want.key = "", "", ""
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if got := disagreement(linkOf(nil, refused("nvlink", ""), jit(same, "error : x"))); got != "nvlink refuses, nvJitLink 13.0 links, and reports an error" {
		t.Errorf("%s", got)
	}
	if got := images(linkOf(nil), other, same, false); !strings.HasPrefix(got.bucket, "text.*") || !strings.HasSuffix(got.key, "(and 0 more)") {
		t.Errorf("%+v", got)
	}
	if got := images(linkOf(nil), []byte("x"), same, false); got.class != "differ" || got.bucket != "file.bytes" {
		t.Errorf("%+v", got)
	}
}

// Causes have no names and no numbers.
func TestCauses(t *testing.T) {
	l := linkOf(nil)
	for key, want := range map[string]string{"info.kk.REGCOUNT": "info.*.REGCOUNT", "text.k": "text.*", "text.loc.0x40": "text.*.N", "info.u#2.X": "info.*.X", "k.info": "k.info", "section.nv.info.size": "section.nv.info.size"} {
		if got := general(l, key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	for text, want := range map[string]string{"size of 'k' is 12, not 0x1f": "size of '*' is N, not N", "3: ^f(int) [12] -> 4 5": "N: *", "sm_90": "sm_90"} {
		if got := generalText(l, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	const word = "0123456789abcdef0123456789abcdef"
	for _, c := range []struct{ key, a, b, want string }{
		{"info.x", "nothing", "1", ": missing"}, {"info.x", "1", "nothing", ": too many"}, {"section.x", "1", "2", ""}, {"program.0.x", "1", "2", ""}, {"header.shnum", "1", "2", ""}, {"header.shstrndx", "1", "2", ""},
		{"header.flags", "1", "2", ": 1 -> 2"}, {"compat.x", "1", strings.Repeat("2", 50), ": 1 -> " + strings.Repeat("2", 40)}, {"note.x", "1", "2", ": 1 -> 2"}, {"symbol.x", "1", "2", ""},
		{"text.k", word, word[:26] + "000000", ": operation 0x301, scheduling"}, {"text.k", word, word[:25] + "0000000", ": operation 0x301, operands"}, {"text.k", word, "0124" + word[4:], ": operation 0x301, and another"},
		{"text.k", word, "0153" + word[4:], ": operation 0x301, operands"}, {"text.k", word, "0193", ": operation 0x301, operands"}, {"text.k", "01 2", "0", ": ?"}, {"text.k", "xyzw", word, ": ?"}, {"text.k", "01 23 45", "01 23 46", ": operation 0x301, operands"},
	} {
		if got := surroundings(l, c.key, c.a, c.b); got != c.want {
			t.Errorf("%s, %s, %s: %q, want %q", c.key, c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct{ a, b, want string }{{"x\ny\n", "x\nz\n", "y | not | z"}, {"x\n", "x\ny\n", "nothing | not | y"}, {"", "y", "nothing | not | y"}, {"x\ny", "x", "y | not | nothing"}} {
		if got := firstDifferingLine(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
	if got := firstLine(" a\nb"); got != "a" {
		t.Error(got)
	}
	if got := l.names(); !slices.Equal(got, []string{"loc", "kk", "k", "u"}) {
		t.Errorf("%q", got)
	}
}

// Sums count each verdict once, and the share is of those that were compared.
func TestSums(t *testing.T) {
	var s sum
	if s.share() != "-" {
		t.Error(s.share())
	}
	for _, v := range []verdict{{class: "same"}, {class: "same", warned: true}, {class: "refused alike"}, {class: "differ"}, {class: "differ", silent: true}, {class: "skipped"}} {
		s.add(v)
	}
	if s != (sum{Links: 6, Same: 2, Refused: 1, Differ: 2, Silent: 1, Needless: 1, Skipped: 1}) || s.share() != "60.00 %" {
		t.Errorf("%+v, %s", s, s.share())
	}
	p := &plan{arch: "sm_100a", release: "13.0", objects: []*object{{Release: "13.0"}}}
	kinds := p.kind()
	p.objects[0].Release = "12.4"
	kinds += ", " + p.kind()
	p.args, p.arch = []string{"-g", "-kernels-used=k", "-a"}, "sm_90a"
	kinds += ", " + p.kind() + ", " + p.options()
	p.part = &part{}
	kinds += ", " + p.kind() + ", " + p.options()
	if want := "sm_100+ plain, sm_100+ mixed, sm_90a- options, -a -g -kernels-used, sm_90a- parts, -a -g -kernels-used over a part"; kinds != want {
		t.Errorf("%s, want %s", kinds, want)
	}
	if got := (&plan{}).options(); got != "none" {
		t.Error(got)
	}
}

// Links that differ by one cause are together, the most first; the example is the smallest that had no warning.
func TestOutcome(t *testing.T) {
	same := image(t, 0)
	of := func(bytes int, warned bool, stderr string) *link {
		l := linkOf(&answer{stderr: stderr, output: same, warned: warned}, &answer{who: "nvlink 13.0", output: same})
		l.plan.number, l.plan.objects[0].data = bytes, make([]byte, bytes)
		return l
	}
	rare := of(7, false, "rare")
	rare.notes = []string{"note"}
	alike := linkOf(&answer{output: same}, &answer{who: "nvlink 13.0", output: same})
	b := &bed{seed: 5, pool: map[string][]*object{"f": {{}, {}}}}
	o := b.outcome([]*link{nil, of(5, true, "often"), of(9, false, "often"), of(8, false, "often"), rare, alike, linkOf(&answer{output: same})})
	if o.Seed != 5 || o.Links != 7 || !reflect.DeepEqual(o.Objects, map[string]int{"f": 2}) || len(o.Buckets) != 2 || o.Skipped["nothing drawn"] != 1 || o.Skipped["no linker of NVIDIA's answered"] != 1 || o.CantAsk["note"] != 1 {
		t.Fatalf("%+v", o)
	}
	x := o.Buckets[0]
	if x.Count != 3 || x.Silent != 2 || x.Smallest != 8 || x.Folder != "001" || x.Releases["13.0"] != 3 || x.Options["none"] != 3 || x.Families["f"] != 3 || x.Key != "stderr" || x.Mercury || o.Buckets[1].Folder != "002" {
		t.Errorf("%+v", x)
	}
	want := sum{Links: 6, Same: 1, Differ: 4, Silent: 3, Skipped: 1}
	for _, row := range []string{"all\tall", "13.0\tall"} {
		if *o.Sums[row] != want {
			t.Errorf("%s: %+v", row, o.Sums[row])
		}
	}
	if got := *o.Against["nvlink 13.0"]; got != (sum{Links: 5, Same: 1, Differ: 4}) {
		t.Errorf("%+v", got)
	}
	var text strings.Builder
	if err := o.write(&text); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"7 links from seed 5, of 1 programs\n", "skipped: 1: nothing drawn\n", "can't be asked: 1: note\n", "\n001  3 links (2 silent), sm_90a and below: stderr: often | not | nothing\n     smallest: link 8, 8 bytes, stderr\n"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("no %q in\n%s", part, text.String())
		}
	}
}

// What was made is kept under its key, whole; what failed is kept as failed, an error isn't.
func TestCache(t *testing.T) {
	c := &cache{dir: t.TempDir()}
	key := keyOf("a", "b")
	if key == keyOf("ab") || key == keyOf("b", "a") || len(key) != 24 {
		t.Error(key)
	}
	wrong := errors.New("wrong")
	if _, err := c.get(key, func() (*made, error) { return nil, wrong }); err != wrong {
		t.Errorf("%v", err)
	}
	times := 0
	for range 2 {
		m, err := c.get(key, func() (*made, error) {
			times++
			return &made{Files: map[string][]byte{"z": []byte("1"), "y": nil}, Fault: "f"}, nil
		})
		if err != nil || times != 1 || string(m.Files["z"]) != "1" || len(m.Files) != 2 || m.Fault != "f" || !slices.Equal(m.Names, []string{"y", "z"}) {
			t.Errorf("%+v, %d times, %v", m, times, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, "made", "*", ".new*")); len(left) > 0 {
		t.Errorf("%v", left)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "made", key[:2], key, "index.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.get(key, nil); err == nil {
		t.Error("a broken index is read")
	}
}

// PTX says what it can be compiled for, and is written down to what a ptxas reads.
func TestPTX(t *testing.T) {
	for text, want := range map[string][3]bool{".target sm_80\n": {false, true, true}, "x\n.target sm_90a, debug": {false, false, true}, ".target sm_100a": {false, false, false}, "": {false, false, false}, ".target sm_50": {true, true, true}} {
		for i, arch := range []string{"sm_75", "sm_90", "sm_90a"} {
			if got := fits([]byte(text), arch); got != want[i] {
				t.Errorf("%q for %s: %v", text, arch, got)
			}
		}
	}
	if !fits(nil, "sm_50") {
		t.Error("what isn't PTX fits")
	}
	for _, c := range []struct{ text, release, want string }{
		{"//x\n.version 9.0\n.target", "12.4", "//x\n.version 8.4\n.target"}, {".version 8.5\n", "12.4", ".version 8.4\n"}, {".version 8.4\n", "12.4", ".version 8.4\n"}, {".version 7.9\n", "12.4", ".version 7.9\n"},
		{".version 9.9\n", "1.0", ".version 9.9\n"}, {"no version", "12.4", "no version"}, {".version 7.9", "11.8", ".version 7.8"},
	} {
		if got := string(lowered([]byte(c.text), c.release)); got != c.want {
			t.Errorf("%q by %s: %q, want %q", c.text, c.release, got, c.want)
		}
	}
	b := &bed{}
	for release, want := range map[string]string{"11.8": "11.8", "12.0": "12.0", "12.9": "12.0", "13.0": "13.0", "13.3": "13.0", "13.4": "13.4", "13.5": "13.4", "11.0": "11.8"} {
		if got := b.architectures(release); !slices.Equal(got, archsOf[want]) {
			t.Errorf("%s: %v", release, got)
		}
	}
	for arch, want := range map[string]int{"sm_90a": 90, "sm_100": 100, "sm_121f": 121, "x": 0, "": 0} {
		if got := archNumber(arch); got != want || mercury(arch) != (want >= 100) {
			t.Errorf("%s: %d", arch, got)
		}
	}
	for pair, want := range map[[2]string]int{{"11.8", "12.4"}: -1, {"12.10", "12.9"}: 1, {"13.0", "13.0"}: 0, {"13.0", "12.9"}: 1, {"", "11.8"}: -1} {
		if got := compareReleases(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d", pair, got)
		}
	}
}

// A list names programs with their flags and files beside it.
func TestList(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("p.ptx", "text")
	b := &bed{}
	if err := b.list(put("list", "# comment\n\nprog: -I$DIR/inc a.cu p.ptx -O3\nother: b.cu\n")); err != nil {
		t.Fatal(err)
	}
	flags := []string{"-I" + dir + "/inc", "-O3"}
	want := []source{{"prog", filepath.Join(dir, "a.cu"), "a.cu", nil, flags}, {"prog", filepath.Join(dir, "p.ptx"), "p.ptx", []byte("text"), flags}, {"other", filepath.Join(dir, "b.cu"), "b.cu", nil, nil}}
	if !reflect.DeepEqual(b.sources, want) {
		t.Errorf("%+v, want %+v", b.sources, want)
	}
	if err := b.list(put("bad", "\nno colon\n")); err == nil || err.Error() != filepath.Join(dir, "bad")+":2: no NAME with a colon" {
		t.Errorf("%v", err)
	}
	if b.list(put("gone", "x: none.ptx\n")) == nil || b.list(filepath.Join(dir, "none")) == nil {
		t.Error("what isn't there is read")
	}
}

// An object tells its architecture, its toolkit and its names.
func TestNewObject(t *testing.T) {
	for _, c := range []struct{ file, arch, release string }{{"13.0-sm_90-a.cubin", "sm_90", "13.0"}, {"12.4-sm_90-a.cubin", "sm_90", "12.4"}, {"11.8-sm_80-a.cubin", "sm_80", "11.8"}} {
		data, err := os.ReadFile("../../../internal/dump/testdata/" + c.file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o, err := newObject("f", "x.cubin", "how", data)
		if err != nil || o.Arch != c.arch || o.Release != c.release || o.Family != "f" || o.How != "how" || len(o.Hash) != 16 || len(o.defined) == 0 || len(o.kernels) == 0 {
			t.Errorf("%s: %+v, %v", c.file, o, err)
			continue
		}
		for _, k := range o.kernels {
			if !slices.Contains(o.defined, k) || slices.Contains(o.variables, k) || slices.Contains(o.undefined, k) {
				t.Errorf("%s: kernel %s in %+v", c.file, k, o)
			}
		}
		if o, err := newObject("f", outName, "how", data); err != nil || o.Name != "in."+outName {
			t.Errorf("%+v, %v", o, err)
		}
		if o, err := newObject("f", "y.sm_90a.cubin", "how", data); err != nil || o.Arch != "sm_90a" {
			t.Errorf("%+v, %v", o, err)
		}
	}
	if _, err := newObject("f", "x", "", []byte("nothing")); err == nil {
		t.Error("nothing is an object")
	}
}

// What is drawn: inputs by what they leave undefined, each name once, options of the release alone.
func TestDrawn(t *testing.T) {
	of := func(name string, size int, defined, undefined []string) *object {
		return &object{Name: name, Hash: "h" + name, data: make([]byte, size), defined: defined, undefined: undefined, kernels: defined}
	}
	a, b, c, d := of("a", 1, []string{"x"}, []string{"y"}), of("b", 1, []string{"y"}, []string{"z"}), of("c", 1, []string{"z"}, nil), of("d", 1, []string{"y", "x"}, nil)
	p := &plan{objects: []*object{a}}
	p.close(splitmix.New(1), []*object{c, b, d})
	if len(p.objects) != 3 || p.objects[1] != b || p.objects[2] != c {
		t.Errorf("%d objects", len(p.objects))
	}
	counterpart := of("e", 1, nil, nil)
	counterpart.Hash = a.Hash
	big := of("big", mostBytes, nil, nil)
	if got := dropSameNames([]*object{a, of("a", 1, nil, nil), counterpart, b, big}); !slices.Equal(got, []*object{a, b}) {
		t.Errorf("%d are left", len(got))
	}
	if got := dropSameNames([]*object{big, a}); !slices.Equal(got, []*object{big}) {
		t.Errorf("%d are left", len(got))
	}
	seen := map[string]int{}
	for n := range uint64(4000) {
		p := &plan{release: []string{"12.4", "13.0"}[n%2], objects: []*object{a, b}}
		p.drawOptions(splitmix.New(n))
		for _, o := range p.args {
			name, _, _ := strings.Cut(o, "=")
			seen[name]++
			if name == "--verbose-tkinfo" && p.release != "13.0" {
				t.Fatalf("%v for %s", p.args, p.release)
			}
		}
	}
	for _, o := range options {
		for _, arg := range o.args(splitmix.New(1), &plan{objects: []*object{a}}) {
			if name, _, _ := strings.Cut(arg, "="); len(options) > 10 && o.weight > 3 && seen[name] < 50 {
				t.Errorf("%s: %d times of 4000", name, seen[name])
			}
		}
	}
	for n := range uint64(500) {
		for _, name := range strings.Split(parts(splitmix.New(n), &plan{objects: []*object{a, b}}, func(o *object) []string { return o.kernels }), ",") {
			if name != "x" && name != "y" && name != "nothing_of_that_name" {
				t.Errorf("%q", name)
			}
		}
	}
	if got := where([]int{1, 2, 3}, func(n int) bool { return n > 1 }); !slices.Equal(got, []int{2, 3}) {
		t.Error(got)
	}
	if got := where([]int{1, 2}, func(n int) bool { return n > 5 }); !slices.Equal(got, []int{1, 2}) {
		t.Error(got)
	}
	for n := range uint64(300) {
		flags := drawFlags(splitmix.New(n), "11.8")
		if slices.Contains(flags, "-pic=true") || slices.Contains(flags, "-sanitize=memcheck") || len(flags) != len(slices.Compact(slices.Sorted(slices.Values(flags)))) {
			t.Errorf("%v", flags)
		}
	}
}
