package diff

// Filter selects differences by key. A pattern is a key in which * stands for
// any run of characters and ? for one.
type Filter struct {
	Only   []string
	Ignore []string
}

// Apply returns the differences that count, and the patterns of Ignore that
// match none: they are out of date.
func (f *Filter) Apply(all []Difference) (kept []Difference, useless []string) {
	used := make([]bool, len(f.Ignore))
	for _, d := range all {
		if len(f.Only) > 0 && !matchAny(f.Only, d.Key) {
			continue
		}
		ignored := false
		for i, p := range f.Ignore {
			if Match(p, d.Key) {
				used[i], ignored = true, true
			}
		}
		if !ignored {
			kept = append(kept, d)
		}
	}
	for i, p := range f.Ignore {
		if !used[i] {
			useless = append(useless, p)
		}
	}
	return kept, useless
}

func matchAny(patterns []string, key string) bool {
	for _, p := range patterns {
		if Match(p, key) {
			return true
		}
	}
	return false
}

// Match reports whether a pattern matches a whole key.
func Match(pattern, key string) bool {
	// star and from are where the last * stands and where it gave up to: on a
	// mismatch it takes one character more.
	p, k, star, from := 0, 0, -1, 0
	for k < len(key) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, k
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == key[k]):
			p++
			k++
		case star >= 0:
			from++
			p, k = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
