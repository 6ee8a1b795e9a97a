package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// Link is a link of the corpus with its inputs changed.
type Link struct {
	Case    string // of corpus/testdata/links
	Inputs  []engine.Input
	Options engine.Options
	release string
	args    []string // as nvlink has the options; none where it has no such link

	// Linked is set by Judge: there was an output.
	Linked bool
}

// base is a recorded link as the engine takes it.
type base struct {
	id      string
	inputs  []engine.Input
	options engine.Options
	release string
	args    []string
}

// recorded are the links of both corpora: up to sm_90a, and from sm_100 on.
var recorded = sync.OnceValues(func() ([]corpus.Case, error) {
	list, err := corpus.Cases()
	if err != nil {
		return nil, err
	}
	programs, err := corpus.Mercury()
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	for _, p := range programs {
		list = append(list, p.Cases...)
	}
	return list, nil
})

// bases are the recorded links whose inputs are all there.
var bases = sync.OnceValues(func() ([]base, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	var list []base
	for i := range cases {
		c := &cases[i]
		release, ok := cmdline.ParseRelease(c.Release)
		if !ok || !c.Complete() {
			continue
		}
		cmd, err := cmdline.Parse(release, c.Args, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
		if err != nil {
			continue // a case about the command line
		}
		b := base{id: c.ID(), options: cmd.Options, release: c.Release, args: optionsOf(c)}
		for _, in := range c.Inputs {
			b.inputs = append(b.inputs, engine.Input{Name: in.Name, Data: in.Data})
		}
		list = append(list, b)
	}
	if len(list) == 0 {
		return nil, errors.New("fuzz: no link of the corpus can be used")
	}
	return list, nil
})

// Bases returns how many links there are to begin with.
func Bases() (int, error) {
	list, err := bases()
	return len(list), err
}

// ReadLink generates a case: a link of the corpus, one option turned, and
// changes to one of its inputs or to all.
func ReadLink(r *Reader) (Link, error) {
	list, err := bases()
	if err != nil {
		return Link{}, err
	}
	b := &list[int(r.Uint16())%len(list)]
	l := Link{Case: b.id, Options: b.options, release: b.release, args: b.args}
	o := &l.Options
	switch r.Byte() % 16 {
	case 1:
		l.turn(&o.Debug, "-g", "--debug")
	case 2:
		l.turn(&o.Relocatable, "-r", "--relocatable-link")
	case 3:
		l.turn(&o.PreserveRelocs, "--preserve-relocs", "-preserve-relocs")
	case 4:
		l.turn(&o.ForceRela, "--force-rela", "-force-rela")
	case 5:
		o.KernelsUsed = append(slices.Clone(o.KernelsUsed), "k")
		l.args = append(slices.Clone(l.args), "-kernels-used=k")
	case 6:
		o.Toolkit, l.args = "", nil
	}
	one := r.Byte()
	for i, in := range b.inputs {
		if one < 128 || int(one)%len(b.inputs) == i {
			in.Data = Mutate(r, in.Data)
		}
		l.Inputs = append(l.Inputs, in)
	}
	if r.Byte() == 1 {
		l.Inputs = append(l.Inputs, l.Inputs[0]) // everything is defined twice
	}
	return l, nil
}

// turn gives a switch or takes it away.
func (l *Link) turn(on *bool, names ...string) {
	l.args = slices.DeleteFunc(slices.Clone(l.args), func(a string) bool { return slices.Contains(names, a) })
	if *on = !*on; *on {
		l.args = append(l.args, names[0])
	}
}

// Judge links and adds the link to what it finds, so that nvlink can be asked about it.
func (l *Link) Judge() *Divergence {
	d := l.judge()
	if l.args == nil {
		return d
	}
	return d.of(&Question{Release: l.release, Args: l.args, Inputs: l.Inputs})
}

// judge links. A refusal is a *engine.LinkError that says something; an output
// opens; and the same again gives the same.
func (l *Link) judge() *Divergence {
	size := 0
	for _, in := range l.Inputs {
		size += len(in.Data)
	}
	var out *engine.Output
	var err error
	if d := within(l.Case, size, func() *Divergence {
		out, err = engine.Link(l.Inputs, l.Options)
		return nil
	}); d != nil {
		return d
	}
	if err != nil {
		var refused *engine.LinkError
		if !errors.As(err, &refused) || len(refused.Diags) == 0 || refused.Exit == 0 {
			return &Divergence{Key: l.Case, What: fmt.Sprintf("refused by %T, %v", err, err)}
		}
		return nil
	}
	l.Linked = true
	if _, err := cubin.Open("output", out.Image); err != nil {
		return &Divergence{Key: l.Case, What: fmt.Sprintf("the output doesn't open: %v", err)}
	}
	again, err := engine.Link(l.Inputs, l.Options)
	if err != nil || !bytes.Equal(out.Image, again.Image) {
		return &Divergence{Key: l.Case, What: fmt.Sprintf("the same link gives another output: %v", err)}
	}
	return nil
}

// Files returns every cubin of the corpus, inputs and outputs, each once.
func Files() ([][]byte, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	seen := map[*byte]bool{}
	var list [][]byte
	add := func(data []byte) {
		if len(data) > 0 && !seen[&data[0]] {
			seen[&data[0]] = true
			list = append(list, data)
		}
	}
	for i := range cases {
		for _, in := range cases[i].Inputs {
			add(in.Data)
		}
		add(cases[i].Output)
	}
	return list, nil
}
