package link

import (
	"errors"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/verdict"
)

// Output is the file under judgement, with what its sections and symbols stand
// for.
type Output struct {
	*image.Image
	Areas   []*Area // by section index
	Bodies  []*Body // by section index of the code
	Refs    []Ref   // by symbol index
	Infos   [][]image.Attribute
	infoOf  map[int][]image.Attribute // by section index of the code
	Lists   []Relocs
	Named   map[int]map[uint64]image.Named // by section index and place
	ListsOf map[int][]int                  // indices into lists, by section index of the target; not those of .nv.resolvedrela
}

// ReadOutput reads the output and takes from it what the options leave open.
func (c *Link) ReadOutput(data []byte) error {
	var other *image.Image
	if c.Sass != nil {
		other = c.Sass.Out.Image
	}
	f, err := image.ReadImage("output", data, c.Side, other, c.Budget)
	if err != nil {
		return c.Unreadable(err)
	}
	o := &Output{Image: f, Areas: make([]*Area, len(f.Sections)), Bodies: make([]*Body, len(f.Sections)),
		Refs: make([]Ref, len(f.Symbols)), Infos: make([][]image.Attribute, len(f.Sections)), ListsOf: map[int][]int{}}
	for i := range f.Sections {
		s := &f.Sections[i]
		switch s.Kind {
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela:
			list, err := f.ReadRecords(s, c.Budget)
			if err != nil {
				return c.Unreadable(err)
			}
			if int(s.Info) >= len(f.Sections) {
				return c.Unreadable(f.Bad(s, uint64(s.Info)))
			}
			if s.Kind != cuda.SHTCudaResolvedRela {
				o.ListsOf[int(s.Info)] = append(o.ListsOf[int(s.Info)], len(o.Lists))
			}
			o.Lists = append(o.Lists, Relocs{s, int(s.Info), list})
		case cuda.SHTCudaInfo:
			if o.Infos[i], err = f.ReadAttributes(s, c.Budget); err != nil {
				return c.Unreadable(err)
			}
		}
	}
	c.Out = o
	if c.SM = verdict.SmOf(c.Options.Arch); c.SM == 0 {
		c.SM = c.newestSM()
	}
	c.chooseRelease()
	c.Relocatable = c.Options.Relocatable && c.Release >= 130
	if c.SM >= 90 && !c.Options.NoReserved && c.Out.Side != image.MercurySide {
		c.Reserved = ReservedShared
	}
	return nil
}

// Unreadable turns a refusal of the output into a finding, but for that of the
// budget.
func (c *Link) Unreadable(err error) error {
	var r *verdict.Refusal
	if !errors.As(err, &r) || r.Kind == verdict.TooMuch {
		return err
	}
	c.Verdict.Add(verdict.Finding{Kind: verdict.Unreadable, File: r.File, Section: r.Section, Offset: r.Offset, Detail: r.Kind.String()})
	return nil
}

const (
	oldestRelease oracle.Release = 110
	newestRelease oracle.Release = 199 // of the 13s and what may follow in their form
)

// chooseRelease settles whose forms the output must have: those of the release
// that was asked for, or of the one that its header names. A linker may be newer
// than its inputs' toolkit and not older.
func (c *Link) chooseRelease() {
	oldest := oracle.Release(0)
	for _, m := range c.Modules {
		oldest = max(oldest, m.Release())
	}
	if c.Asked != 0 && oldest > c.Asked {
		oldest = c.Asked // it reads them, or nobody would ask
	}
	c.Release = c.Out.Release()
	valid := c.Release >= oldestRelease && c.Release <= newestRelease && (c.Out.Header.Osabi == cuda.OSABICuda13) == c.NewForm()
	if want := c.Asked; want != 0 && want != c.Release {
		f := verdict.Finding{Kind: verdict.HeaderField, Want: fmt.Sprint(want), Got: fmt.Sprint(c.Release), Detail: "release of the linker"}
		if valid && c.Release >= oldest {
			c.Verdict.Habit(f)
		} else {
			c.Verdict.Add(f)
			c.Release = want
		}
		return
	}
	if !valid || c.Release < oldest {
		c.Verdict.Add(verdict.Finding{Kind: verdict.HeaderField, Want: "at least " + fmt.Sprint(oldest), Got: fmt.Sprint(c.Release), Detail: "release of the linker, older than the inputs'"})
		c.Release = max(oldest, oldestRelease)
	}
}

// newestSM is the newest architecture that an input was made for.
func (c *Link) newestSM() int {
	newest := 0
	for _, m := range c.Modules {
		newest = max(newest, m.SM())
	}
	return newest
}

// NamesAt lists what the records of a section of the output say.
func (o *Output) NamesAt(index int) map[uint64]image.Named {
	if o.Named == nil {
		o.Named = map[int]map[uint64]image.Named{}
	}
	names, known := o.Named[index]
	if !known {
		names = map[uint64]image.Named{}
		o.Named[index] = names
		for _, i := range o.ListsOf[index] {
			for _, r := range o.Lists[i].List {
				if int(r.Symbol) < len(o.Symbols) {
					n := o.NamedBy(&o.Sections[index], r)
					n.Index = r.Symbol
					names[r.Offset] = n
				}
			}
		}
	}
	return names
}
