package layout

import (
	"math/bits"

	"github.com/twinlink/twinlink/engine/internal/model"
	"github.com/twinlink/twinlink/engine/internal/reach"
)

// class is variables that share an address: no two have a user in common.
type class struct {
	members []model.SymID
	users   []uint64 // a bit for each kernel, as far as the last
	size    uint64
	align   uint64
}

// missing returns the first kernel from a number on that doesn't use the class, at
// most the end.
func (c *class) missing(from, end int) int {
	for from < end && from/64 < len(c.users) {
		w := c.users[from/64] >> (from % 64)
		n := bits.TrailingZeros64(^w)
		if n < 64-from%64 {
			return min(from+n, end)
		}
		from += 64 - from%64
	}
	return min(from, end)
}

// fits reports whether none of some kernels uses the class.
func (c *class) fits(users reach.Kernels) bool {
	for _, r := range users {
		for k := int(r.From); k < int(r.To) && k/64 < len(c.users); k += 64 - k%64 {
			if c.users[k/64]&mask(k, int(r.To)) != 0 {
				return false
			}
		}
	}
	return true
}

// mask has the bits of the kernels from k on, below the end and in k's word.
func mask(k, end int) uint64 {
	m := ^uint64(0) << (k % 64)
	if left := end - k/64*64; left < 64 {
		m &= 1<<left - 1
	}
	return m
}

// add adds a variable and its users.
func (c *class) add(v model.SymID, sym *model.Symbol, users reach.Kernels) {
	c.members = append(c.members, v)
	c.size = max(c.size, sym.Size)
	c.align = max(c.align, sym.Value)
	if len(users) == 0 {
		return
	}
	if n := int(users[len(users)-1].To+63) / 64; n > len(c.users) {
		c.users = append(c.users, make([]uint64, n-len(c.users))...)
	}
	for _, r := range users {
		for k := int(r.From); k < int(r.To); k += 64 - k%64 {
			c.users[k/64] |= mask(k, int(r.To))
		}
	}
}

// classes puts each variable of several kernels, or of none, into the first
// class that it fits.
func (l *Layout) classes(s *sharedLayout) []*class {
	var list []*class
	free := newLevels(len(s.Kernels)) // of each kernel: how many classes it uses before the first it doesn't
	for _, v := range s.Multi {
		users := s.users[v]
		at := free.highest(users)
		for at < len(list) && !list[at].fits(users) {
			at++
		}
		if at == len(list) {
			list = append(list, &class{})
		}
		list[at].add(v, &l.Syms[v], users)
		free.raise(users, list)
	}
	return list
}

// colour gives the variables of several kernels, or of none, their offsets. Each
// class is after those before it, so that a kernel's last one says where what the
// kernel holds ends.
func (l *Layout) colour(s *sharedLayout) {
	s.ends = make([]uint64, len(s.Kernels))
	list := l.classes(s)
	for _, c := range list {
		off := model.AlignUp(s.poolEnd, c.align)
		s.poolEnd = off + c.size
		for _, v := range c.members {
			l.place(v, off)
			l.Syms[v].Sec = l.PoolShared()
			l.makePooled(s, v)
		}
	}
	open := newSkips(len(s.Kernels))
	for i := len(list) - 1; i >= 0; i-- {
		for _, v := range list[i].members {
			end := l.Syms[v].Value + l.Syms[v].Size
			for _, r := range s.users[v] {
				for k := open.from(r.From); k < r.To; k = open.from(k) {
					s.ends[k] = end
					open.close(k)
				}
			}
		}
	}
}

// makePooled makes sections of kernels that a filter hides and that use a variable.
func (l *Layout) makePooled(s *sharedLayout, v model.SymID) {
	if len(s.naming[v]) == 0 || !l.KernelsHidden() {
		return
	}
	for k := range l.reaching(s, s.naming[v]) {
		if l.sharedSection(s.Kernels[k]) == model.Absent {
			l.newShared(s.Kernels[k])
		}
	}
}

// skips finds the kernels that are still open.
type skips []int32

func newSkips(n int) skips {
	s := make(skips, n+1)
	for k := range s {
		s[k] = int32(k)
	}
	return s
}

// from returns the first open kernel from k on; the number of kernels, where there
// is none.
func (s skips) from(k int32) int32 {
	for s[k] != k {
		s[k] = s[s[k]]
		k = s[k]
	}
	return k
}

func (s skips) close(k int32) { s[k] = k + 1 }
