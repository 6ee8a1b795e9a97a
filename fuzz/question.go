package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/objects"
)

// Question is a link as a command line and its files, fit for any linker.
type Question struct {
	Release string // of nvlink, "12.4"
	Args    []string
	Inputs  []engine.Input
	// Final has the options of a second link, of what the first made; nil: there is none.
	Final []string
	// From names what of the corpus went in: modules, or the link that was edited.
	From []string
}

// Command is the whole command line of the first link.
func (q *Question) Command(output string) []string {
	args := slices.Clone(q.Args)
	for _, in := range q.Inputs {
		args = append(args, in.Name)
	}
	return append(args, "-o", output)
}

// Kind is a way to make questions of bytes.
type Kind struct {
	Name string
	Size int // of an input in bytes that is enough for it
	Read func(*Reader) (Question, error)
}

// Kinds are all of them.
var Kinds = [...]Kind{
	{"objects", 400, readObjects},
	{"programs", 64, readPrograms},
	{"edits", 256, readEdits},
	{"alone", 64, readAlone},
	{"limits", 128, readLimits},
	{"options", 64, readOptions},
	{"fields", 64, readFields},
	{"parts", 160, readParts},
	{"sides", 128, readSides},
}

// KindOf is the kind of a name, nil for none.
func KindOf(name string) *Kind {
	for i := range Kinds {
		if Kinds[i].Name == name {
			return &Kinds[i]
		}
	}
	return nil
}

// Question n of a kind is the same on every machine.
func (k *Kind) Question(n uint64) (Question, error) {
	return k.Read(NewReader(SeededInput(k.Name, n, k.Size)))
}

// Remake makes question n of a kind as it was when From, the release and the options were written down, however much
// has come into the corpus since.
func (k *Kind) Remake(n uint64, was *Question) (Question, error) {
	switch k.Name {
	case "programs", "alone", "options":
		q := Question{Release: was.Release, Args: was.Args, Final: was.Final, From: was.From}
		all, err := modulesByName()
		if err != nil {
			return q, err
		}
		for i, from := range was.From {
			data, ok := all[from]
			if !ok {
				return q, fmt.Errorf("fuzz: the corpus has no %s", from)
			}
			q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: data})
		}
		return q, nil
	case "edits", "limits", "fields", "parts", "sides":
		list, err := editable()
		if err != nil {
			return Question{}, err
		}
		for i := range list {
			if len(was.From) == 1 && list[i].ID() == was.From[0] {
				r := NewReader(SeededInput(k.Name, n, k.Size))
				r.Uint16()
				switch k.Name {
				case "limits":
					return limitsOf(&list[i], r), nil
				case "fields":
					return fieldsOf(&list[i], r), nil
				case "parts":
					return partsOf(&list[i], r), nil
				case "sides":
					return sidesOf(&list[i], r), nil
				}
				return editsOf(&list[i], r), nil
			}
		}
		return Question{}, fmt.Errorf("fuzz: the corpus has no %v", was.From)
	}
	return k.Question(n)
}

// modulesByName are all files that recorded links have.
var modulesByName = sync.OnceValues(func() (map[string][]byte, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for i := range cases {
		for _, in := range cases[i].Inputs {
			all[cases[i].ID()+"/"+in.Name] = in.Data
		}
	}
	return all, nil
})

// SeededInput is input n of an endless list.
func SeededInput(name string, n uint64, size int) []byte {
	var seed [32]byte
	copy(seed[8:], name)
	for i := range 8 {
		seed[i] = byte(n >> (8 * i))
	}
	random := rand.NewChaCha8(seed)
	b := make([]byte, size)
	_, _ = random.Read(b) // it has no error
	return b
}

// readObjects makes a link of objects that come from no file.
func readObjects(r *Reader) (Question, error) {
	l := objects.Read(r)
	q := Question{Release: l.Release(), Args: append([]string{"-arch=" + l.Arch()}, l.Args()...)}
	if l.Release() == "13.0" && l.Option%2 == 1 {
		q.Release = "13.5"
	}
	for _, o := range l.Objects() {
		q.Inputs = append(q.Inputs, engine.Input{Name: o.Name, Data: o.Data})
	}
	if slices.Contains(q.Args, "-r") && q.Release >= "13" {
		q.Final = q.Args[:1]
	}
	return q, nil
}

// questionOptions are the options of which a link of programs gets none, one or two.
var questionOptions = [...][]string{{"-g"}, {"-r"}, {"--preserve-relocs"}, {"--force-rela"}, {"-kernels-used=k"}, {"-kernels-used=second,k0,entry"},
	{"-variables-used=a"}, {"--reserve-null-pointer"}, {"--disable-smem-reservation=true"}, {"-w"}, {"-Werror"}, {"-extrawarn"}, {"-v"},
	{"--dump-callgraph"}, {"-suppress-stack-size-warning"}, {"-g", "-suppress-debug-info"}, {"--report-arch"}, {"-r"}, {"-g"}, {"--preserve-relocs"}}

// readPrograms makes a link of programs of the corpus together, by the nvlink of their release or by a later one.
func readPrograms(r *Reader) (Question, error) {
	list, err := pools()
	if err != nil {
		return Question{}, err
	}
	p := &list[int(r.Byte())%len(list)]
	q := Question{Release: p.release, Args: []string{"-arch=" + p.arch}}
	switch later := r.Byte() % 8; {
	case later == 1 && p.release < "13" && p.arch >= "sm_75":
		q.Release = "13.0"
	case later <= 2 && p.release >= "12.4" && p.arch >= "sm_75":
		q.Release = "13.5"
	case later == 3 && p.release == "11.8":
		q.Release = "12.4"
	}
	for range r.Byte() % 3 {
		q.Args = append(q.Args, questionOptions[int(r.Byte())%len(questionOptions)]...)
	}
	var modules []module
	for range 1 + r.Below(4) {
		modules = append(modules, p.programs[int(r.Uint16())%len(p.programs)]...)
	}
	for range r.Byte() % 6 {
		i, j := r.Below(len(modules)), r.Below(len(modules))
		modules[i], modules[j] = modules[j], modules[i]
	}
	switch r.Byte() % 16 {
	case 1, 2:
		if len(modules) > 1 {
			modules = modules[1:]
		}
	case 3:
		modules = append(modules, modules[0])
	}
	for i, m := range modules {
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: m.data})
		q.From = append(q.From, m.from)
	}
	if slices.Contains(q.Args, "-r") && q.Release >= "13" && r.Bool() {
		q.Final = q.Args[:1]
	}
	return q, nil
}

// readAlone makes a link of one program of the corpus, its modules in another order, with up to three options: of three
// in four the program has a Mercury side, of which programs do not link together.
func readAlone(r *Reader) (Question, error) {
	list, err := pools()
	if err != nil {
		return Question{}, err
	}
	p := &list[int(r.Byte())%len(list)]
	for range 8 {
		if strings.HasPrefix(p.arch, "sm_1") || r.Byte()%8 == 0 {
			break
		}
		p = &list[int(r.Byte())%len(list)]
	}
	q := Question{Release: p.release, Args: []string{"-arch=" + p.arch}}
	if r.Byte()%4 == 0 && p.release >= "12.4" && p.arch >= "sm_75" || p.release == "13.0" && r.Byte()%4 == 0 {
		q.Release = "13.5"
	}
	for range r.Byte() % 4 {
		q.Args = append(q.Args, questionOptions[int(r.Byte())%len(questionOptions)]...)
	}
	modules := slices.Clone(p.programs[int(r.Uint16())%len(p.programs)])
	for range r.Byte() % 4 {
		i, j := r.Below(len(modules)), r.Below(len(modules))
		modules[i], modules[j] = modules[j], modules[i]
	}
	for i, m := range modules {
		q.Inputs = append(q.Inputs, engine.Input{Name: fmt.Sprintf("m%d.cubin", i), Data: m.data})
		q.From = append(q.From, m.from)
	}
	if slices.Contains(q.Args, "-r") && r.Bool() {
		q.Final = q.Args[:1]
	}
	return q, nil
}

// editable are the recorded links whose files can be changed.
var editable = sync.OnceValues(func() ([]corpus.Case, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	var list []corpus.Case
	for i := range cases {
		if c := &cases[i]; c.Complete() && len(c.Inputs) > 0 && !slices.ContainsFunc(c.Args, func(a string) bool { return strings.Contains(a, "optf") }) {
			list = append(list, *c)
		}
	}
	return list, nil
})

// readEdits makes a recorded link with fields of one of its files changed, or of all.
func readEdits(r *Reader) (Question, error) {
	list, err := editable()
	if err != nil {
		return Question{}, err
	}
	return editsOf(&list[int(r.Uint16())%len(list)], r), nil
}

func editsOf(c *corpus.Case, r *Reader) Question { return changed(c, r, Mutate) }
