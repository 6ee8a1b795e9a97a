package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/opinion"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/oracle/check"
)

// Links that nobody recorded, of objects that are sound: programs of the corpus
// together, their modules in any order. What comes out is
// as real as the corpus is, so all three witnesses have to say the same.

// Mix is a link of sound objects.
type Mix struct {
	Release string // "12.4"
	Arch    string
	Modules []string // where each input is from, "alias/12.4-sm_50/a.cubin"
	Inputs  []engine.Input
	Args    []string

	// What Judge and JudgeWitness found out.
	Linked   bool
	Refused  bool
	foretold bool     // a warning says that nvlink's image may be another
	Parts    bool     // an opinion parts from the engine
	What     []string // kinds of all that the oracle finds wrong, each once; or how nvlink parts
}

// pool is the programs of one release for one architecture, each as the modules
// of which nvlink made something.
type pool struct {
	release, arch string
	programs      [][]module
}

type module struct {
	from string
	data []byte
}

// pools are the programs of the corpus by release and architecture, the largest
// pools first.
var pools = sync.OnceValues(func() ([]pool, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	var list []pool
	seen := map[*byte]bool{}
	for i := range cases {
		c := &cases[i]
		if !c.Linked() || !c.Complete() || seen[&c.Inputs[0].Data[0]] {
			continue
		}
		seen[&c.Inputs[0].Data[0]] = true
		var program []module
		for _, in := range c.Inputs {
			program = append(program, module{c.ID() + "/" + in.Name, in.Data})
		}
		at := slices.IndexFunc(list, func(p pool) bool { return p.release == c.Release && p.arch == c.Arch })
		if at < 0 {
			at = len(list)
			list = append(list, pool{release: c.Release, arch: c.Arch})
		}
		list[at].programs = append(list[at].programs, program)
	}
	slices.SortStableFunc(list, func(a, b pool) int { return len(b.programs) - len(a.programs) })
	if len(list) == 0 {
		return nil, errors.New("fuzz: the corpus has no programs")
	}
	return list, nil
})

// mixOptions are the options of which a mix gets one, or none.
var mixOptions = [...][]string{nil, nil, nil, nil, {"-g"}, {"-r"}, {"--preserve-relocs"}, {"--force-rela"}, {"-kernels-used=k"}, {"-r", "-g"}, {"--preserve-relocs", "-g"}}

// ReadMix generates a case: one to three programs together, their modules in
// some order, at times one less or one twice.
func ReadMix(r *Reader) (Mix, error) {
	list, err := pools()
	if err != nil {
		return Mix{}, err
	}
	p := &list[int(r.Byte())%len(list)]
	m := Mix{Release: p.release, Arch: p.arch, Args: []string{"-arch=" + p.arch}}
	m.Args = append(m.Args, mixOptions[int(r.Byte())%len(mixOptions)]...)
	var modules []module
	for range 1 + int(r.Byte())%3 {
		modules = append(modules, p.programs[int(r.Uint16())%len(p.programs)]...)
	}
	for range r.Byte() % 4 {
		i, j := r.Below(len(modules)), r.Below(len(modules))
		modules[i], modules[j] = modules[j], modules[i]
	}
	switch r.Byte() % 16 {
	case 1:
		if len(modules) > 1 {
			modules = modules[1:]
		}
	case 2:
		modules = append(modules, modules[0])
	}
	for i, mod := range modules {
		m.add(i, mod)
	}
	m.Args = append(m.Args, "-o", "out.cubin")
	return m, nil
}

func (m *Mix) add(i int, mod module) {
	name := fmt.Sprintf("m%d.cubin", i)
	m.Modules = append(m.Modules, mod.from)
	m.Inputs = append(m.Inputs, engine.Input{Name: name, Data: mod.data})
	m.Args = append(m.Args, name)
}

// question is the mix as a question.
func (m *Mix) question() *Question {
	options := slices.DeleteFunc(slices.Clone(m.Args[:len(m.Args)-2]), func(a string) bool { return strings.HasSuffix(a, ".cubin") })
	return &Question{Release: m.Release, Args: options, Inputs: m.Inputs, From: m.Modules}
}

// story tells the case, so that it can be made by hand.
func (m *Mix) story() string {
	text := "nvlink " + m.Release + " " + strings.Join(m.Args, " ") + "\n"
	for i, from := range m.Modules {
		text += fmt.Sprintf("%s is corpus/testdata/links/%s\n", m.Inputs[i].Name, from)
	}
	return text
}

func (m *Mix) options() (engine.Options, error) {
	release, ok := cmdline.ParseRelease(m.Release)
	if !ok {
		return engine.Options{}, fmt.Errorf("fuzz: no release %s", m.Release)
	}
	cmd, err := cmdline.Parse(release, m.Args, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err != nil {
		return engine.Options{}, err
	}
	return cmd.Options, nil
}

// Judge links with the engine and shows the output to the oracle, which must
// accept it, but for what is known of mixes of this class. Parts says whether
// that was so.
func (m *Mix) Judge() *Divergence {
	d := m.judge().of(m.question())
	m.Parts = d != nil
	if d != nil && (m.alike("oracle") || m.byNvlink()) {
		return nil
	}
	return unknown(d)
}

// byNvlink reports whether something is among what is wrong that nvlink is known to make so. It takes
// other things along, which TestMixes looks at.
func (m *Mix) byNvlink() bool {
	return slices.Contains(m.What, check.PointerMissing.String()) || slices.Contains(m.What, check.SharedPlace.String())
}

func (m *Mix) judge() *Divergence {
	m.What = nil
	out, d := m.link()
	if d != nil || out == nil {
		return d
	}
	var inputs []check.Input
	for _, in := range m.Inputs {
		inputs = append(inputs, check.Input{Name: in.Name, Data: in.Data})
	}
	verdict := check.Check(inputs, out, opinion.CheckOptions(m.Release, m.Args))
	if verdict.Agrees() || m.sharedEarly(&verdict) || pointersLeft(&verdict) {
		return nil
	}
	for _, f := range verdict.Findings {
		m.What = append(m.What, f.Kind.String())
	}
	if len(m.What) == 0 {
		m.What = []string{"not judged"}
	}
	slices.Sort(m.What)
	m.What = slices.Compact(m.What)
	return &Divergence{Key: m.key("oracle", m.What), What: "the oracle does not accept the engine's output: " + strings.Join(m.What, ", "),
		Traces: []Trace{{"link", m.story()}, {"oracle", head(verdict.String(), 20)}}}
}

// key says of which kind a divergence is. Links with -r are apart, since nvlink 13.0 makes many wrong.
func (m *Mix) key(opinion string, what []string) string {
	kind := "mix"
	if slices.Contains(m.Args, "-r") {
		kind = "mix-r"
	}
	return kind + "-" + opinion + "-" + strings.Join(what, "+")
}

// link runs the engine; no output and no divergence is a refusal.
func (m *Mix) link() ([]byte, *Divergence) {
	options, err := m.options()
	if err != nil {
		return nil, &Divergence{Key: "mix", What: err.Error()}
	}
	size := 0
	for _, in := range m.Inputs {
		size += len(in.Data)
	}
	var out *engine.Output
	if d := within("mix", size, func() *Divergence {
		out, err = engine.Link(m.Inputs, options)
		return nil
	}); d != nil {
		d.Traces = append(d.Traces, Trace{"link", m.story()})
		return nil, d
	}
	m.Linked, m.Refused = err == nil, err != nil
	if err != nil {
		return nil, nil
	}
	m.foretold = foretold(out.Diags)
	return out.Image, nil
}

// sharedEarly reports whether all that is wrong is what nvlink 13.0's -r is known
// for: shared variables get a place before the final link, and fields that name them
// are filled.
func (m *Mix) sharedEarly(v *check.Verdict) bool {
	return m.Release == "13.0" && v.Total > 0 && v.Total <= len(v.Findings) && slices.Contains(m.Args, "-r") &&
		slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == check.SharedPlace }) &&
		!slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind != check.SharedPlace && f.Kind != check.RelocationField })
}

// forgotten are the kinds of what is wrong about kernels too where a function is not there.
var forgotten = []check.Kind{check.FactValue, check.FactMissing, check.SharedSize, check.CallMissing}

// pointersLeft reports whether all that is wrong is that pointers stay zero, as nvlink of
// every release leaves them, that what only they name is not there, and that kernels
// which would reach it are told less.
func pointersLeft(v *check.Verdict) bool {
	left := map[string]bool{}
	for _, f := range v.Findings {
		if f.Kind == check.PointerMissing {
			left[f.Symbol] = true
		}
	}
	return v.Total > 0 && v.Total <= len(v.Findings) && !slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return !left[f.Symbol] && !slices.Contains(forgotten, f.Kind) }) && len(left) > 0
}

// JudgeWitness asks nvlink of the case's release too. Where it made an output the
// engine's is the same to the byte; where it refused the engine refuses too.
// That it dies or hangs is its own affair, where the engine didn't. What is known
// of mixes of this class is passed over.
func (m *Mix) JudgeWitness(ctx context.Context, set *nvidia.Toolset) *Divergence {
	d := unknown(m.judgeWitness(ctx, set).of(m.question()))
	if d != nil && m.alike("nvlink") {
		return nil
	}
	return d
}

func (m *Mix) judgeWitness(ctx context.Context, set *nvidia.Toolset) *Divergence {
	mine, d := m.link()
	if d != nil {
		return d
	}
	var files []nvidia.File
	for _, in := range m.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	res, err := set.Link(ctx, m.Release, m.question().Args, files)
	if err != nil {
		return &Divergence{Key: "mix-witness", What: err.Error()}
	}
	what, key := "", "mix-nvlink"
	m.What = []string{"bytes"}
	switch res.Outcome {
	case nvidia.Success:
		if mine == nil {
			m.What = []string{"links"}
			what, key = "the engine refuses what nvlink links", "mix-nvlink-links"
			break
		}
		if bytes.Equal(mine, res.Output) || m.foretold {
			return nil
		}
		kind, first := difference(mine, res.Output)
		what, key = "bytes differ: "+first, "mix-nvlink-"+kind
	case nvidia.Refused:
		if mine == nil {
			return nil
		}
		m.What = []string{"refuses"}
		what, key = "the engine links what nvlink refuses", "mix-nvlink-refused"
	default:
		return nil
	}
	return &Divergence{Key: key, What: what, Traces: []Trace{
		{"link", m.story()},
		{"nvlink", res.String() + "\n" + head(res.Message(), 10)},
		{"engine", m.refusal()},
	}}
}

// refusal says what the engine says of the case.
func (m *Mix) refusal() string {
	options, err := m.options()
	if err != nil {
		return err.Error()
	}
	if _, err := engine.Link(m.Inputs, options); err != nil {
		return head(err.Error(), 10)
	}
	return "linked"
}

// head returns the first n lines.
func head(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	if len(lines) > n {
		lines = append(lines[:n], "...")
	}
	return strings.Join(lines, "")
}
