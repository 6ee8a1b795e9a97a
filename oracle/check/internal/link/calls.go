package link

// callees is a list without doubles, in the order of insertion.
type callees struct {
	List []*Identity
	Set  map[*Identity]bool
}

// Add adds a function.
func (l *callees) Add(y *Identity) {
	if l.Set == nil {
		l.Set = map[*Identity]bool{}
	}
	if !l.Set[y] {
		l.Set[y] = true
		l.List = append(l.List, y)
	}
}
