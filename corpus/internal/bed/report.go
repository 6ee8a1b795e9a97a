package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// sum counts the links of one row.
type sum struct {
	Links    int `json:"links"`
	Same     int `json:"same"`
	Refused  int `json:"refused_alike"`
	Differ   int `json:"differ"`
	Silent   int `json:"silent"`   // of Differ: without a warning of twinlink's own
	Needless int `json:"needless"` // of Same: with one
	Skipped  int `json:"skipped"`
}

func (s *sum) add(v verdict) {
	s.Links++
	switch v.class {
	case "same":
		s.Same++
		if v.warned {
			s.Needless++
		}
	case "refused alike":
		s.Refused++
	case "differ":
		s.Differ++
		if v.silent {
			s.Silent++
		}
	default:
		s.Skipped++
	}
}

// share is same and refused alike, of those that were compared.
func (s *sum) share() string {
	n := s.Links - s.Skipped
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(s.Same+s.Refused)/float64(n))
}

// bucket is the links that differ by one cause.
type bucket struct {
	Cause    string         `json:"cause"`
	Mercury  bool           `json:"sm_100_and_up"`
	Count    int            `json:"count"`
	Silent   int            `json:"silent"`
	Releases map[string]int `json:"releases"`
	Options  map[string]int `json:"options"`
	Families map[string]int `json:"programs"`
	Smallest int            `json:"smallest_link"`
	Key      string         `json:"key"`
	Folder   string         `json:"folder"`
	bytes    int
	silent   bool // the example has no warning
	example  *link
}

// outcome is all that a run came to.
type outcome struct {
	Seed     uint64          `json:"seed"`
	Links    int             `json:"links"`
	Objects  map[string]int  `json:"objects"` // by program
	Sums     map[string]*sum `json:"sums"`    // by release and kind
	Against  map[string]*sum `json:"against"` // by linker: each alone
	Buckets  []*bucket       `json:"buckets"`
	Skipped  map[string]int  `json:"skipped"`
	CantAsk  map[string]int  `json:"cant_ask"`
	Disagree map[string]int  `json:"nvidia_disagrees"`
}

func (b *bed) outcome(links []*link) *outcome {
	o := &outcome{
		Seed: b.seed, Links: len(links), Objects: map[string]int{}, Sums: map[string]*sum{}, Against: map[string]*sum{},
		Skipped: map[string]int{}, CantAsk: map[string]int{}, Disagree: map[string]int{},
	}
	for family, list := range b.pool {
		o.Objects[family] = len(list)
	}
	buckets := map[string]*bucket{}
	for _, l := range links {
		if l == nil {
			o.Skipped["nothing drawn"]++
			continue
		}
		v := judge(l)
		for _, row := range []string{l.plan.release + "\t" + l.plan.kind(), l.plan.release + "\tall", "all\t" + l.plan.kind(), "all\tall"} {
			at(o.Sums, row).add(v)
		}
		for _, a := range l.asked {
			at(o.Against, a.who).add(compare(l, a))
		}
		for _, n := range l.notes {
			o.CantAsk[n]++
		}
		if v.among != "" {
			o.Disagree[v.among]++
		}
		switch v.class {
		case "skipped":
			o.Skipped[v.bucket]++
		case "differ":
			collect(buckets, l, v)
		}
	}
	for _, key := range sortedKeys(buckets) {
		o.Buckets = append(o.Buckets, buckets[key])
	}
	slices.SortStableFunc(o.Buckets, func(x, y *bucket) int { return cmp.Compare(y.Count, x.Count) })
	for i, x := range o.Buckets {
		x.Folder = fmt.Sprintf("%03d", i+1)
	}
	return o
}

func at(m map[string]*sum, key string) *sum {
	if m[key] == nil {
		m[key] = &sum{}
	}
	return m[key]
}

func collect(buckets map[string]*bucket, l *link, v verdict) {
	m := mercury(l.plan.arch)
	key := fmt.Sprint(m, " ", v.bucket)
	x := buckets[key]
	if x == nil {
		x = &bucket{Cause: v.bucket, Mercury: m, Releases: map[string]int{}, Options: map[string]int{}, Families: map[string]int{}}
		buckets[key] = x
	}
	x.Count++
	if v.silent {
		x.Silent++
	}
	x.Releases[l.plan.release]++
	x.Families[l.plan.objects[0].Family]++
	x.Options[l.plan.options()]++
	size := 0
	for _, in := range l.plan.objects {
		size += len(in.data)
	}
	// One without a warning shows more than a smaller one with it.
	if x.example == nil || v.silent && !x.silent || v.silent == x.silent && size < x.bytes {
		x.example, x.silent, x.bytes, x.Key, x.Smallest = l, v.silent, size, v.key, l.plan.number
	}
}

// write writes the outcome as text.
func (o *outcome) write(w io.Writer) error {
	fmt.Fprintf(w, "%d links from seed %d, of %d programs\n\n", o.Links, o.Seed, len(o.Objects))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	table := func(head string, rows map[string]*sum) {
		fmt.Fprintln(t, head+"\tlinks\tsame\trefused alike\tdiffer\tsilent\tneedless warning\tskipped\talike")
		for _, key := range sortedKeys(rows) {
			s := rows[key]
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", key, s.Links, s.Same, s.Refused, s.Differ, s.Silent, s.Needless, s.Skipped, s.share())
		}
		fmt.Fprintln(t)
	}
	table("release\tkind", o.Sums)
	table("against", o.Against)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, m := range []struct {
		name string
		rows map[string]int
	}{{"skipped", o.Skipped}, {"can't be asked", o.CantAsk}, {"NVIDIA's linkers disagree", o.Disagree}} {
		for _, key := range sortedKeys(m.rows) {
			fmt.Fprintf(w, "%s: %d: %s\n", m.name, m.rows[key], key)
		}
	}
	for _, x := range o.Buckets {
		where := "sm_90a and below"
		if x.Mercury {
			where = "sm_100 and up"
		}
		fmt.Fprintf(w, "\n%s  %d links (%d silent), %s: %s\n     smallest: link %d, %d bytes, %s\n     releases %v; options %v; programs %v\n",
			x.Folder, x.Count, x.Silent, where, x.Cause, x.Smallest, x.bytes, x.Key, x.Releases, x.Options, x.Families)
	}
	return nil
}

// save writes report.txt, report.json and each bucket's smallest link.
func (o *outcome) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var text strings.Builder
	err := o.write(&text)
	data, jsonErr := json.MarshalIndent(o, "", "  ")
	err = errors.Join(err, jsonErr, os.WriteFile(filepath.Join(dir, "report.txt"), []byte(text.String()), 0o644), os.WriteFile(filepath.Join(dir, "report.json"), data, 0o644))
	for _, x := range o.Buckets {
		err = errors.Join(err, x.example.save(filepath.Join(dir, x.Folder)))
	}
	return err
}

// save writes what a link read and made: "cmd" runs it again.
func (l *link) save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	job := l.plan.job()
	var from strings.Builder
	files := map[string][]byte{}
	for _, o := range l.plan.objects {
		files[o.Name] = o.data
		fmt.Fprintf(&from, "# %s: %s, %s\n", o.Name, o.Family, o.How)
	}
	for _, o := range l.plan.parted {
		files[o.Name] = o.data
		fmt.Fprintf(&from, "# in the part: %s: %s, %s\n", o.Name, o.Family, o.How)
	}
	quoted := make([]string, len(job.Args))
	for i, a := range job.Args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	files["cmd"] = []byte(fmt.Sprintf("%s# linker of %s, link %d\nnvlink %s\n", from.String(), l.plan.release, l.plan.number, strings.Join(quoted, " ")))
	for _, a := range append([]*answer{l.ours}, l.asked...) {
		name := strings.ReplaceAll(a.who, " ", "-")
		if a.output != nil {
			files[name+".out"] = a.output
		}
		files[name+".log"] = []byte(fmt.Sprintf("%s%s\nexit %d %s\n", a.stdout, a.stderr, a.exit, a.died))
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
