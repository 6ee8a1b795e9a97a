package power

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The lists hold faults that somebody thought of. Drawn faults are small changes at places drawn at random: they show
// what the checks would find of faults that nobody thought of. Some change nothing; the table says how many live, and
// which.

// decides are the folders of packages that decide something, and the area whose detectors look at them. The longest
// name that fits counts.
var decides = map[string]string{
	"engine": "engine-resolve", "engine/internal/release": "engine-resolve", "engine/internal/names": "engine-resolve", "engine/internal/diag": "engine-resolve",
	"engine/descriptor": "descriptor", "engine/internal/layout": "engine-layout", "engine/internal/merge": "engine-merge",
	"engine/internal/model": "engine-merge", "engine/internal/input": "engine-merge", "engine/internal/resolve": "engine-resolve",
	"engine/internal/sass": "engine-resolve", "engine/internal/output": "engine-resolve", "engine/internal/reach": "engine-resources",
	"engine/internal/resources": "engine-resources", "engine/internal/mercury": "mercury", "engine/internal/resched": "mercury",
	"oracle/check": "oracle-check", "oracle": "oracle", "oracle/internal/capsule": "oracle", "selfcheck": "selfcheck", "capsule": "capsule",
	"internal/finalizer": "capsule", "internal/cmdline": "options", "internal/inputs": "options", "internal/registration": "options",
	"internal/ownwarnings": "report", "internal/verify": "report", "report": "report", "cmd/twinlink": "report", "internal/capsule/model": "capsule",
	"cubin": "container", "internal/container": "container", "mercury": "decoder", "fuzz": "report",
}

// Draw returns n faults at random places of the packages that decide something, by a seed, of each area the same number
// as far as it has them; under names a folder that they have to be below.
func (r *Root) Draw(n int, seed uint64, under string) ([]Fault, error) {
	areas := map[string][]Fault{}
	for _, dir := range slices.Sorted(keys(decides)) {
		if !strings.HasPrefix(dir, strings.TrimSuffix(under, "/")) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(r.Dir, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			list, err := candidates(file, dir+"/"+filepath.Base(file))
			if err != nil {
				return nil, err
			}
			area := decides[dir]
			for i := range list {
				list[i].Area = area
			}
			areas[area] = append(areas[area], list...)
		}
	}
	for _, list := range areas {
		shuffle(list, seed)
	}
	return inTurn(areas, n), nil
}

// shuffle puts faults into an order of chance in which those of a changed version stand as they did: it goes by what a
// fault is and which of its kind in its file, not by where it stands.
func shuffle(list []Fault, seed uint64) {
	count := map[string]int{}
	key := map[string]uint64{}
	for i := range list {
		f := &list[i]
		what := fmt.Sprintf("%s\x00%s\x00%s", f.File, f.context, f.New)
		count[what]++
		h := fnv.New64a()
		fmt.Fprintf(h, "%d\x00%d\x00%s", seed, count[what], what)
		key[f.ID()] = rand.New(rand.NewPCG(h.Sum64(), seed)).Uint64() // sums of like texts are alike
	}
	slices.SortStableFunc(list, func(a, b Fault) int { return cmp.Compare(key[a.ID()], key[b.ID()]) })
}

// inTurn takes one fault of each area after the other.
func inTurn(areas map[string][]Fault, n int) (all []Fault) {
	names := slices.Sorted(keys(areas))
	for k := 0; len(all) < n; k++ {
		before := len(all)
		for _, name := range names {
			if list := areas[name]; k < len(list) && len(all) < n {
				all = append(all, list[k])
			}
		}
		if len(all) == before {
			break
		}
	}
	return all
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// swaps are operators, and what a person writes for them by mistake.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.ADD: "-", token.SUB: "+",
	token.AND: "|", token.OR: "&", token.LAND: "||", token.LOR: "&&", token.SHL: ">>", token.SHR: "<<", token.AND_NOT: "&",
}

// candidates returns every fault that can be drawn in a file.
func candidates(file, name string) ([]Fault, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var list []Fault
	add := func(kind string, from, to token.Pos, replacement string) {
		a, b := set.Position(from).Offset, set.Position(to).Offset
		line := set.Position(from).Line
		begin, end := strings.LastIndexByte(string(text[:a]), '\n')+1, len(text)
		if i := strings.IndexByte(string(text[b:]), '\n'); i >= 0 {
			end = b + i
		}
		list = append(list, Fault{context: strings.TrimSpace(string(text[begin:end])) + kind, Name: fmt.Sprintf("%s:%d:%d-%s", strings.TrimSuffix(name, ".go"), line, set.Position(from).Column, kind),
			File: name, Old: string(text[a:b]), New: replacement, at: a, drawn: true})
	}
	source := func(n ast.Node) string {
		return string(text[set.Position(n.Pos()).Offset:set.Position(n.End()).Offset])
	}
	value := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			for i := 1; i < len(n.Elts); i++ {
				a, b := n.Elts[i-1], n.Elts[i]
				if _, keyed := a.(*ast.KeyValueExpr); !keyed && source(a) != source(b) {
					add("order", a.Pos(), b.End(), source(b)+string(text[set.Position(a.End()).Offset:set.Position(b.Pos()).Offset])+source(a))
				}
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseUint(n.Value, 0, 63); n.Kind == token.INT && err == nil {
				add("number", n.Pos(), n.End(), fmt.Sprint(v+1))
			}
		case *ast.Ident:
			if n.Name == "true" || n.Name == "false" {
				add("turned", n.Pos(), n.End(), "!"+n.Name)
			}
		}
		return true
	}
	for _, d := range tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				for _, e := range s.(*ast.ValueSpec).Values {
					ast.Inspect(e, value)
				}
			}
		}
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" {
			continue
		}
		if last := len(f.Body.List) - 1; last > 0 {
			if _, ok := f.Body.List[last].(*ast.ReturnStmt); ok {
				last-- // it may return nothing itself
			}
			at := f.Body.List[last].Pos()
			add("early", at, at, "return "+nothing(f.Type.Results, source)+"; ")
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				add("never", n.Cond.Pos(), n.Cond.End(), "false && ("+source(n.Cond)+")")
				add("always", n.Cond.Pos(), n.Cond.End(), "true || ("+source(n.Cond)+")")
			case *ast.SwitchStmt:
				for _, c := range n.Body.List {
					list := c.(*ast.CaseClause).List
					for i, e := range list {
						switch {
						case n.Tag == nil:
							add("never", e.Pos(), e.End(), "false && ("+source(e)+")")
							add("always", e.Pos(), e.End(), "true || ("+source(e)+")")
						case i > 0:
							add("without", list[i-1].End(), e.End(), "")
						}
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.NOT {
					add("not", n.OpPos, n.X.Pos(), "")
				}
			case *ast.BinaryExpr:
				if s, ok := swaps[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
					add("operator", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), s)
				}
				if n.Op == token.LAND || n.Op == token.LOR {
					add("left", n.Pos(), n.End(), source(n.X))
					add("right", n.Pos(), n.End(), source(n.Y))
				}
			case *ast.CallExpr:
				if name := source(n.Fun); name == "max" || name == "min" {
					add("other", n.Fun.Pos(), n.Fun.End(), map[string]string{"max": "min", "min": "max"}[name])
					break
				}
				for i := 1; i < len(n.Args); i++ {
					if a, b := n.Args[i-1], n.Args[i]; source(a) != source(b) && !n.Ellipsis.IsValid() {
						add("swapped", a.Pos(), b.End(), source(b)+", "+source(a))
					}
				}
			case *ast.BasicLit:
				if v, err := strconv.ParseUint(n.Value, 0, 63); n.Kind == token.INT && err == nil {
					add("number", n.Pos(), n.End(), fmt.Sprint(v+1))
					if v > 1 {
						add("less", n.Pos(), n.End(), fmt.Sprint(v-1))
					}
				}
			case *ast.ExprStmt:
				if _, ok := n.X.(*ast.CallExpr); ok {
					add("dropped", n.Pos(), n.End(), "")
				}
			case *ast.ReturnStmt:
				if last := len(n.Results) - 1; last >= 0 && source(n.Results[last]) == "err" {
					add("unsaid", n.Results[last].Pos(), n.Results[last].End(), "error(nil)")
				}
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE && len(n.Lhs) == 1 {
					add("dropped", n.Pos(), n.End(), "_ = "+source(n.Rhs[0]))
				}
			case *ast.IncDecStmt:
				add("dropped", n.Pos(), n.End(), "")
			case *ast.BranchStmt:
				if n.Tok == token.CONTINUE && n.Label == nil {
					add("dropped", n.Pos(), n.End(), "")
				}
			case *ast.Ident:
				if n.Name == "true" || n.Name == "false" {
					add("turned", n.Pos(), n.End(), "!"+n.Name)
				}
			}
			return true
		})
	}
	return list, nil
}

// nothing are the zero values of a function's results.
func nothing(results *ast.FieldList, source func(ast.Node) string) string {
	var list []string
	if results != nil {
		for _, r := range results.List {
			for range max(len(r.Names), 1) {
				list = append(list, "*new("+source(r.Type)+")")
			}
		}
	}
	return strings.Join(list, ", ")
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}
