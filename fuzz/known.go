package fuzz

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Known is one mix on which two opinions are known to part. It is known by its
// content and covers no other mix.
type Known struct {
	Content string   // of the mix, see Mix.Content
	Opinion string   // who parts from the engine: "oracle" or "nvlink"
	What    []string // every kind of finding of the oracle; for nvlink "bytes", "links" or "refuses"
	Wrong   string   // "engine" or "oracle": whom nvlink doesn't bear out; "?" where nobody asked
	Why     string
	Mix     string // the mix in words, for people
}

//go:embed testdata/known.tsv
var knownText string

// KnownMixes reads testdata/known.tsv: a line for each mix, the fields of Known
// with tabs between. The tests compare the list with what they find, in both
// directions; "go test ./fuzz -run TestMixes -update" writes it.
var KnownMixes = sync.OnceValues(func() ([]Known, error) { return readKnown(knownText) })

func readKnown(text string) ([]Known, error) {
	var list []Known
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("known.tsv: line %d has %d fields, want 6", n+1, len(f))
		}
		list = append(list, Known{Content: f[0], Opinion: f[1], What: strings.Split(f[2], ","), Wrong: f[3], Why: f[4], Mix: f[5]})
	}
	return list, nil
}

func (k *Known) line() string {
	return strings.Join([]string{k.Content, k.Opinion, strings.Join(k.What, ","), k.Wrong, k.Why, k.Mix}, "\t")
}

// Content names the mix by what it is made of: release, arguments and inputs.
func (m *Mix) Content() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n", m.Release, m.Args)
	for _, in := range m.Inputs {
		fmt.Fprintf(h, "%d\n", len(in.Data))
		h.Write(in.Data)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// known reports whether it is known that an opinion parts on this very mix, in
// exactly this way.
func (m *Mix) known(opinion string, what []string) bool {
	list, err := KnownMixes()
	if err != nil {
		return false
	}
	content := m.Content()
	return slices.ContainsFunc(list, func(k Known) bool {
		return k.Opinion == opinion && k.Content == content && slices.Equal(k.What, what)
	})
}

// A fuzzer that ends at every mix that is like a known one finds nothing else, so
// a target asks for less than the tests do: that each kind of what is wrong is
// known of some mix with as many sides.

// class is what a mix has in common with others.
func class(opinion, arch, what string) string {
	side := "one side"
	if strings.HasPrefix(arch, "sm_1") {
		side = "two sides"
	}
	return opinion + "|" + side + "|" + what
}

// knownClasses are the classes of KnownMixes.
var knownClasses = sync.OnceValues(func() (map[string]bool, error) {
	list, err := KnownMixes()
	if err != nil {
		return nil, err
	}
	classes := map[string]bool{}
	for _, k := range list {
		_, arch, _ := strings.Cut(k.Mix, "-arch=")
		for _, what := range k.What {
			classes[class(k.Opinion, arch, what)] = true
		}
	}
	return classes, nil
})

// alike reports whether all that an opinion finds wrong is known of mixes of this
// class.
func (m *Mix) alike(opinion string) bool {
	classes, err := knownClasses()
	if err != nil || len(m.What) == 0 {
		return false
	}
	return !slices.ContainsFunc(m.What, func(what string) bool { return !classes[class(opinion, m.Arch, what)] })
}

// knownKeys are divergences that questions of a kind are known to have: key, who is wrong, why.
//
//go:embed testdata/keys.tsv
var knownKeys string

// broken are the kinds whose files no compiler makes.
var broken = [...]string{"edits", "limits", "fields", "parts", "sides"}

// unknown returns a divergence that is not in testdata/keys.tsv. What the oracle says of a link of broken files is no
// divergence: no link of them is right.
func (k *Kind) unknown(d *Divergence) *Divergence {
	if d == nil || slices.Contains(broken[:], k.Name) && strings.HasPrefix(d.Key, k.Name+"-oracle-") && !strings.HasSuffix(d.Key, "-panic") && !strings.HasSuffix(d.Key, "-time") {
		return nil
	}
	return unknown(d)
}

// unknown returns a divergence whose key is not in testdata/keys.tsv.
func unknown(d *Divergence) *Divergence {
	if d == nil {
		return nil
	}
	found := strings.Replace(strings.Replace(d.Key, "alone-", "programs-", 1), "options-", "programs-", 1) // of the same programs
	for line := range strings.Lines(knownKeys) {
		key, _, ok := strings.Cut(line, "\t")
		if prefix, any := strings.CutSuffix(key, "*"); ok && (key == found || any && strings.HasPrefix(found, prefix)) {
			return nil
		}
	}
	return d
}
