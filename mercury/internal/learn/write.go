package learn

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/mercury/internal/fit"
)

// Write writes models as lines of the table.
func Write(tag uint32, sms []int, release string, models []*fit.Model, free map[string]bitSet) string {
	var b strings.Builder
	var list []string
	for _, s := range sms {
		list = append(list, strconv.Itoa(s))
	}
	fmt.Fprintf(&b, "form\t%08x\t%s\t%s\n", tag, strings.Join(list, ","), release)
	for _, m := range models {
		model(&b, m, free)
	}
	return b.String()
}

func model(b *strings.Builder, m *fit.Model, free map[string]bitSet) {
	var slots []string
	for _, s := range m.Slots {
		slots = append(slots, fmt.Sprintf("%d+%d", s.At, s.Width))
	}
	fmt.Fprintf(b, "model\t%s\t%s\n", strings.Join(slots, " "), locks(m.Locked))
	if len(m.Key) > 0 {
		fmt.Fprintf(b, "key\t%s\n", list(m.Key))
	}
	for k, v := range m.Variants {
		if len(v.Open) > 0 || v.Samples < fewest {
			continue
		}
		var keys []string
		for _, x := range slices.Sorted(maps.Keys(m.Select)) {
			if m.Select[x] == k {
				keys = append(keys, strconv.FormatUint(x, 16))
			}
		}
		fmt.Fprintf(b, "shape\t%s\t%s\t%d\n", v.Sig, strings.Join(keys, " "), v.Samples)
		shape(b, v, free[v.Sig])
	}
}

// fewest is the number of distinct samples below which a shape is omitted.
const fewest = 20

func locks(all []fit.Lock) string {
	var out []string
	for i := 0; i < len(all); {
		n, v := 1, all[i].Value
		for i+n < len(all) && n < 64 && all[i+n].At == all[i].At+n {
			v |= all[i+n].Value << n
			n++
		}
		out = append(out, fmt.Sprintf("%d+%d=%x", all[i].At, n, v))
		i += n
	}
	return strings.Join(out, " ")
}

func list(at []int) string {
	var out []string
	for _, i := range at {
		out = append(out, strconv.Itoa(i))
	}
	return strings.Join(out, ",")
}

func shape(b *strings.Builder, v *fit.Variant, free map[int]bool) {
	words := make([]uint64, v.Size)
	for _, r := range v.Rules {
		if r.Kind == fit.Const && !free[r.Dst] {
			words[r.Dst>>6] |= r.Add << (r.Dst & 63)
		}
	}
	b.WriteString("const")
	for i := 0; i < len(words); i += 2 {
		fmt.Fprintf(b, "\t%016x%016x", words[i+1], words[i])
	}
	b.WriteString("\n")
	bits := slices.Sorted(maps.Keys(free))
	for i := 0; i < len(bits); {
		n := 1
		for i+n < len(bits) && bits[i+n] == bits[i]+n && (bits[i]+n)&63 != 0 {
			n++
		}
		fmt.Fprintf(b, "free\t%d+%d\n", bits[i], n)
		i += n
	}
	var rules []fit.Rule
	for _, r := range v.Rules {
		if r.Kind != fit.Const && (r.Kind == fit.Sum || !free[r.Dst]) {
			rules = append(rules, r)
		}
	}
	for i := 0; i < len(rules); {
		r, n := rules[i], 1
		switch r.Kind {
		case fit.Bits, fit.Not:
			for i+n < len(rules) && rules[i+n].Kind == r.Kind && rules[i+n].Dst == r.Dst+n && rules[i+n].Src == r.Src+n && (r.Dst+n)&63 != 0 {
				n++
			}
			fmt.Fprintf(b, "%s\t%d+%d\t%d\n", map[fit.Kind]string{fit.Bits: "bit", fit.Not: "not"}[r.Kind], r.Dst, n, r.Src)
		case fit.Sum:
			if r.Key == nil {
				fmt.Fprintf(b, "sum\t%d+%d\t%d\t%x\n", r.Dst, r.Width, r.Src, r.Add)
			} else {
				fmt.Fprintf(b, "sum\t%d+%d\t%d\t%s\t%s\n", r.Dst, r.Width, r.Src, list(r.Key), rows(r.Rows))
			}
		}
		i += n
	}
	tables(b, rules)
}

// tables writes bits that the same key chooses together.
func tables(b *strings.Builder, rules []fit.Rule) {
	groups := map[string][]fit.Rule{}
	var order []string
	for _, r := range rules {
		if r.Kind != fit.Table {
			continue
		}
		name := list(r.Key) + " " + strings.Join(keysOf(r.Rows), " ")
		if groups[name] == nil {
			order = append(order, name)
		}
		groups[name] = append(groups[name], r)
	}
	for _, name := range order {
		g := groups[name]
		var dst []int
		all := map[uint64]uint64{}
		for k, r := range g {
			dst = append(dst, r.Dst)
			for x, v := range r.Rows {
				all[x] |= v << k
			}
		}
		fmt.Fprintf(b, "table\t%s\t%s\t%s\n", list(dst), list(g[0].Key), rows(all))
	}
}

func keysOf(rows map[uint64]uint64) []string {
	var out []string
	for _, x := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, strconv.FormatUint(x, 16))
	}
	return out
}

func rows(rows map[uint64]uint64) string {
	var out []string
	for _, x := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, fmt.Sprintf("%x=%x", x, rows[x]))
	}
	return strings.Join(out, " ")
}
