package check

import (
	"errors"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// output is the file under judgement, with what its sections and symbols stand
// for.
type output struct {
	*image
	areas   []*area // by section index
	bodies  []*body // by section index of the code
	refs    []ref   // by symbol index
	infos   [][]attribute
	infoOf  map[int][]attribute // by section index of the code
	lists   []relocs
	named   map[int]map[uint64]named // by section index and place
	listsOf map[int][]int            // indices into lists, by section index of the target; not those of .nv.resolvedrela
}

// readOutput reads the output and takes from it what the options leave open.
func (c *check) readOutput(data []byte) error {
	var other *image
	if c.sass != nil {
		other = c.sass.out.image
	}
	f, err := readImage("output", data, c.side, other, c.budget)
	if err != nil {
		return c.unreadable(err)
	}
	o := &output{image: f, areas: make([]*area, len(f.sections)), bodies: make([]*body, len(f.sections)),
		refs: make([]ref, len(f.symbols)), infos: make([][]attribute, len(f.sections)), listsOf: map[int][]int{}}
	for i := range f.sections {
		s := &f.sections[i]
		switch s.kind {
		case cuda.SHTRel, cuda.SHTRela, cuda.SHTCudaResolvedRela:
			list, err := f.readRecords(s, c.budget)
			if err != nil {
				return c.unreadable(err)
			}
			if int(s.info) >= len(f.sections) {
				return c.unreadable(f.bad(s, uint64(s.info)))
			}
			if s.kind != cuda.SHTCudaResolvedRela {
				o.listsOf[int(s.info)] = append(o.listsOf[int(s.info)], len(o.lists))
			}
			o.lists = append(o.lists, relocs{s, int(s.info), list})
		case cuda.SHTCudaInfo:
			if o.infos[i], err = f.readAttributes(s, c.budget); err != nil {
				return c.unreadable(err)
			}
		}
	}
	c.out = o
	c.chooseRelease()
	if c.sm = smOf(c.options.Arch); c.sm == 0 {
		c.sm = c.newestSM()
	}
	c.relocatable = c.options.Relocatable && c.release >= 130
	if c.sm >= 90 && !c.options.NoReserved && c.out.side != mercurySide {
		c.reserved = reservedShared
	}
	return nil
}

// unreadable turns a refusal of the output into a finding, but for that of the
// budget.
func (c *check) unreadable(err error) error {
	var r *Refusal
	if !errors.As(err, &r) || r.Kind == TooMuch {
		return err
	}
	c.verdict.add(Finding{Kind: Unreadable, File: r.File, Section: r.Section, Offset: r.Offset, Detail: r.Kind.String()})
	return nil
}

// release is the toolkit an image's header names: e_version up to 12.x, from
// 13.0 on the API word of .note.nv.cuinfo.
func (f *image) release() oracle.Release {
	if f.header.osabi != cuda.OSABICuda13 {
		return oracle.Release(f.header.version)
	}
	for i := range f.sections {
		if s := &f.sections[i]; s.name == ".note.nv.cuinfo" && len(s.body) >= 32 {
			return oracle.Release(word(s.body, 28))
		}
	}
	return 130
}

const (
	oldestRelease oracle.Release = 110
	newestRelease oracle.Release = 199 // of the 13s and what may follow in their form
)

// chooseRelease settles whose forms the output must have: those of the release
// that was asked for, or of the one that its header names. A linker may be newer
// than its inputs' toolkit and not older.
func (c *check) chooseRelease() {
	oldest := oracle.Release(0)
	for _, m := range c.modules {
		oldest = max(oldest, m.release())
	}
	if c.asked != 0 && oldest > c.asked {
		oldest = c.asked // it reads them, or nobody would ask
	}
	c.release = c.out.release()
	valid := c.release >= oldestRelease && c.release <= newestRelease && (c.out.header.osabi == cuda.OSABICuda13) == (c.release >= 130)
	if want := c.asked; want != 0 && want != c.release {
		f := Finding{Kind: HeaderField, Want: fmt.Sprint(want), Got: fmt.Sprint(c.release), Detail: "release of the linker"}
		if valid && c.release >= oldest {
			c.verdict.habit(f)
		} else {
			c.verdict.add(f)
			c.release = want
		}
		return
	}
	if !valid || c.release < oldest {
		c.verdict.add(Finding{Kind: HeaderField, Want: "at least " + fmt.Sprint(oldest), Got: fmt.Sprint(c.release), Detail: "release of the linker, older than the inputs'"})
		c.release = max(oldest, oldestRelease)
	}
}

// newestSM is the newest architecture that an input was made for.
func (c *check) newestSM() int {
	newest := 0
	for _, m := range c.modules {
		newest = max(newest, m.sm())
	}
	return newest
}

func (f *image) sm() int {
	if f.header.osabi != cuda.OSABICuda13 {
		return int(f.header.flags & cuda.EFLegacySM)
	}
	return int(f.header.flags & cuda.EFSMMask >> cuda.EFSMShift)
}
