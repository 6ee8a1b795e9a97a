package claims

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// most open claims the project allows itself.
const mostOpen = 40

// TestLedger wants every claim of the list judged, and a judgement to say what it has to.
func TestLedger(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	open := 0
	for _, c := range list {
		seen[c.ID[:2]]++
		if slices.ContainsFunc(list, func(d Claim) bool { return c.ID == d.ID && c.Statement != d.Statement }) {
			t.Errorf("%s: twice", c.ID)
		}
		if (c.Verdict == Confirmed) != (c.Truth == "") {
			t.Errorf("%s: %s, and truth is %q", c.ID, c.Verdict, c.Truth)
		}
		if c.Verdict == Open {
			open++
		}
		if c.Document == "" || c.Place == "" || c.System == "" || c.Statement == "" || c.Kind == "" || c.By[0] == "" {
			t.Errorf("%s: an empty column", c.ID)
		}
	}
	for document, want := range map[string]int{"RC": 178, "RA": 142, "AG": 105, "CM": 214, "NV": 113} {
		if seen[document] != want {
			t.Errorf("%s: %d claims, wanted %d", document, seen[document], want)
		}
	}
	if open > mostOpen {
		t.Errorf("%d claims are open", open)
	}
}

// tests finds the Go tests of a package: name → text of the file.
func tests(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				found[fn.Name.Name] = string(text)
			}
		}
	}
	return found
}

// TestBy wants whatever decided a claim to exist, and an experiment to name the claims that it decides.
func TestBy(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]map[string]string{}
	texts := map[string]string{}
	read := func(name string) string {
		if _, ok := texts[name]; !ok {
			b, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				t.Error(err)
			}
			texts[name] = string(b)
		}
		return texts[name]
	}
	for _, c := range list {
		for _, by := range c.By {
			f := strings.Fields(by)
			switch {
			case by == "reading": // addReadings holds the places to it
			case len(f) == 3 && f[0] == "test" && f[1] == "internal/documents":
				t.Errorf("%s: decided by what we made of the documents", c.ID)
			case len(f) == 3 && f[0] == "test":
				if packages[f[1]] == nil {
					packages[f[1]] = tests(t, f[1])
				}
				text, ok := packages[f[1]][f[2]]
				if !ok {
					t.Errorf("%s: no test %s in %s", c.ID, f[2], f[1])
				} else if (strings.HasPrefix(f[1], "internal/claims/") || f[1] == "internal/nv50") && !strings.HasPrefix(c.ID, "TL-") && !strings.Contains(text, c.ID) {
					t.Errorf("%s: %s doesn't name it", c.ID, f[2])
				}
			case len(f) == 2 && f[0] == "vectors":
				file, group, _ := strings.Cut(f[1], "/")
				if !strings.Contains(read("corpus/testdata/relocs/data/"+file+".json"), `"name":"`+group+`"`) {
					t.Errorf("%s: no group %s", c.ID, f[1])
				}
			case len(f) == 2 && f[0] == "contradiction":
				if !strings.Contains(read("internal/documents/CONTRADICTIONS.md"), "\n| "+f[1]+" |") {
					t.Errorf("%s: no row %s", c.ID, f[1])
				}
			case len(f) == 2 && f[0] == "reason":
				if !strings.Contains(read("docs/claims/README.md"), "\n### "+f[1]+"\n") || c.Verdict != NotObservable {
					t.Errorf("%s: %s by reason %s", c.ID, c.Verdict, f[1])
				}
			default:
				t.Errorf("%s: by %q", c.ID, by)
			}
		}
	}
}

// TestExperimentsAreUsed wants no experiment without a claim, and no claim in an experiment that another decided.
func TestExperimentsAreUsed(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	cited := map[string]bool{}
	for _, c := range list {
		for _, by := range c.By {
			cited[by] = true
		}
	}
	id := regexp.MustCompile(`\b(RC|RA|AG|CM|NV)-\d{3}\b`)
	for _, folder := range []string{"internal/claims/experiments"} {
		for name, text := range tests(t, folder) {
			if name != "TestMain" && !cited["test "+folder+" "+name] {
				t.Errorf("no claim is decided by %s", name)
			}
			for _, claim := range id.FindAllString(text, -1) {
				if !slices.ContainsFunc(list, func(c Claim) bool { return c.ID == claim }) {
					t.Errorf("%s names %s", name, claim)
				}
			}
		}
	}
}

// TestReadings refuses places that decide nothing.
func TestReadings(t *testing.T) {
	claim := func(by ...string) []Claim { return []Claim{{ID: "RC-001", By: by}} }
	for _, c := range []struct {
		list []Claim
		text string
		ok   bool
	}{
		{claim("reading"), readingColumns + "\nRC-001\ta.txt\tx\tb.txt\ty\n", true},
		{claim("reading"), readingColumns + "\n", false},
		{claim("test a b"), readingColumns + "\nRC-001\ta.txt\tx\tb.txt\ty\n", false},
		{claim("reading"), readingColumns + "\nRC-001\ta.txt\tx\tb.txt\tx\n", false},
		{claim("reading"), readingColumns + "\nRC-001\ta.txt\t\tb.txt\tx\n", false},
		{claim("reading"), readingColumns + "\nRC-001\ta.txt\tx\n", false},
		{claim("reading"), "", false},
	} {
		if err := addReadings(c.list, c.text); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// TestWrite wants the claims of a system, and no others.
func TestWrite(t *testing.T) {
	list, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteText(&text, Filter{System: "trace"}.Apply(list)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "RC-151  not-observable") || strings.Contains(text.String(), "RC-001") {
		t.Error(text.String())
	}
}

// TestParse refuses tables that aren't one.
func TestParse(t *testing.T) {
	for _, text := range []string{"", "id\n", columns + "\na\tb", columns + "\n" + strings.Repeat("x\t", 8) + "y"} {
		if _, err := parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
