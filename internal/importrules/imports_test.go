package importrules

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/twinlink/twinlink"

// edge is one import, seen in one file. Packages of the module are written as
// their folders; the standard library is omitted.
type edge struct {
	from, to string
	test     bool
	file     string
}

// readEdges parses the imports of every Go file, whatever its build tags, so
// that an edge can't hide after another system's.
func readEdges(root string) ([]edge, map[string]bool, error) {
	var list []edge
	packages := map[string]bool{}
	err := walk(root, func(name string) error {
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(name))
		packages[from] = true
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to, ok := outside(to); ok && to != from {
				list = append(list, edge{from, to, strings.HasSuffix(name, "_test.go"), name})
			}
		}
		return nil
	})
	return list, packages, err
}

// outside shortens an import path; ok is false for the standard library.
func outside(path string) (short string, ok bool) {
	if inner, ok := strings.CutPrefix(path, module+"/"); ok {
		return inner, true
	}
	first, _, _ := strings.Cut(path, "/")
	return path, strings.Contains(first, ".") || path == "C"
}

// walk calls do with the name of every file below root that is the project's.
func walk(root string, do func(name string) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && name != ".ci" && strings.HasPrefix(d.Name(), ".") || name == "bin" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return do(filepath.ToSlash(name))
	})
}

func match(pattern, name string) bool {
	folder, deep := strings.CutSuffix(pattern, "/...")
	return name == folder || deep && strings.HasPrefix(name, folder+"/")
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, name) })
}

// judge returns what is against the rules, sorted.
func judge(edges []edge, packages map[string]bool, rules []rule) []string {
	faults := map[string]bool{}
	find := func(name string) *rule {
		for i := range rules {
			if match(rules[i].from, name) {
				return &rules[i]
			}
		}
		return nil
	}
	for name := range packages {
		if find(name) == nil {
			faults[fmt.Sprintf("%s: no row of internal/importrules/edges_test.go is about this package", name)] = true
		}
	}
	for _, e := range edges {
		r := find(e.from)
		if r == nil || matchAny(r.to, e.to) || e.test && matchAny(r.test, e.to) {
			continue
		}
		faults[fmt.Sprintf("%s imports %s: not an edge of internal/importrules/edges_test.go", e.file, e.to)] = true
	}
	for _, fault := range apart(edges) {
		faults[fault] = true
	}
	return slices.Sorted(maps.Keys(faults))
}

// apart holds the two counterparts apart whatever the table says: what both reach is
// cuda alone, neither reaches another module, and neither's tests import the
// other.
func apart(edges []edge) []string {
	next := map[string][]string{}
	var faults []string
	for _, e := range edges {
		if !e.test {
			next[e.from] = append(next[e.from], e.to)
			continue
		}
		if match("engine/...", e.from) && match("oracle/...", e.to) || match("oracle/...", e.from) && match("engine/...", e.to) {
			faults = append(faults, fmt.Sprintf("%s imports %s: a counterpart's test asks the other counterpart", e.file, e.to))
		}
	}
	reach := func(root string) map[string]bool {
		seen := map[string]bool{}
		var visit func(name string)
		visit = func(name string) {
			if !seen[name] {
				seen[name] = true
				for _, to := range next[name] {
					visit(to)
				}
			}
		}
		for from := range next {
			if match(root, from) {
				visit(from)
			}
		}
		return seen
	}
	engine, oracle := reach("engine/..."), reach("oracle/...")
	for name := range engine {
		if oracle[name] && name != "cuda" {
			faults = append(faults, fmt.Sprintf("engine and oracle both reach %s", name))
		}
	}
	for root, seen := range map[string]map[string]bool{"engine": engine, "oracle": oracle} {
		for name := range seen {
			if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") || name == "C" {
				faults = append(faults, fmt.Sprintf("%s reaches %s, which is not of this module", root, name))
			}
		}
	}
	return faults
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+module+"\n") {
		t.Fatalf("no root of the module above: %v", err)
	}
	return root
}

func TestEdges(t *testing.T) {
	edges, packages, err := readEdges(moduleRoot(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 15 || len(edges) < 50 {
		t.Fatalf("only %d packages and %d edges were found", len(packages), len(edges))
	}
	for _, fault := range judge(edges, packages, rules) {
		t.Error(fault)
	}
}

// The test of the test: each planted edge must be found, and no other.
func TestPlantedEdges(t *testing.T) {
	sound := []edge{
		{"engine", "cubin", false, "engine/a.go"},
		{"engine", "engine/descriptor", false, "engine/a.go"},
		{"engine/descriptor", "cuda", false, "engine/descriptor/a.go"},
		{"cubin", "cuda", false, "cubin/a.go"},
		{"oracle", "cuda", false, "oracle/a.go"},
		{"oracle/check", "oracle", false, "oracle/check/a.go"},
		{"report", tablewriter, false, "report/a.go"},
		{"report", cmp, true, "report/a_test.go"},
	}
	packages := map[string]bool{}
	for _, e := range sound {
		packages[e.from] = true
	}
	if faults := judge(sound, packages, rules); len(faults) > 0 {
		t.Fatalf("the sound graph: %q", faults)
	}
	for _, c := range []struct {
		planted edge
		want    string
	}{
		{edge{"oracle", "cubin", false, "oracle/b.go"}, "engine and oracle both reach cubin"},
		{edge{"oracle/check", "engine/descriptor", false, "oracle/check/b.go"}, "engine and oracle both reach engine/descriptor"},
		{edge{"engine", "oracle", false, "engine/b.go"}, "engine/b.go imports oracle"},
		{edge{"engine", "oracle", true, "engine/b_test.go"}, "a counterpart's test asks the other counterpart"},
		{edge{"oracle/check", "engine", true, "oracle/check/b_test.go"}, "a counterpart's test asks the other counterpart"},
		{edge{"cubin", "golang.org/x/exp/slices", false, "cubin/b.go"}, "engine reaches golang.org/x/exp/slices"},
		{edge{"engine", "C", false, "engine/b.go"}, "engine reaches C"},
		{edge{"report", cmp, false, "report/b.go"}, "report/b.go imports " + cmp},
		{edge{"report", "engine", false, "report/b.go"}, "report/b.go imports engine"},
		{edge{"engine", "dump", false, "engine/b.go"}, "engine/b.go imports dump"},
	} {
		got := strings.Join(judge(append(sound[:len(sound):len(sound)], c.planted), packages, rules), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q", c.planted, got)
		}
	}
	packages["newcomer"] = true
	if faults := judge(sound, packages, rules); len(faults) != 1 || !strings.Contains(faults[0], "newcomer: no row") {
		t.Errorf("a package without a row: %q", faults)
	}
}
