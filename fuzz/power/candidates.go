package power

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
)

// swaps are operators, and what a person writes for them by mistake.
var swaps = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==", token.ADD: "-", token.SUB: "+",
	token.AND: "|", token.OR: "&", token.LAND: "||", token.LOR: "&&", token.SHL: ">>", token.SHR: "<<", token.AND_NOT: "&",
}

// drawer lists the faults that can be drawn in a file.
type drawer struct {
	name string
	set  *token.FileSet
	text []byte
	list []Fault
}

// candidates returns every fault that can be drawn in a file.
func candidates(file, name string) ([]Fault, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := drawer{name: name, set: token.NewFileSet(), text: text}
	tree, err := parser.ParseFile(d.set, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			if decl.Tok == token.VAR {
				d.variables(decl)
			}
		case *ast.FuncDecl:
			if decl.Body != nil && decl.Name.Name != "String" {
				d.early(decl)
				ast.Inspect(decl.Body, d.inFunction)
			}
		}
	}
	return d.list, nil
}

// add lists a fault that has some text in place of what is between two places.
func (d *drawer) add(kind string, from, to token.Pos, replacement string) {
	a, b := d.set.Position(from).Offset, d.set.Position(to).Offset
	line := d.set.Position(from).Line
	begin, end := strings.LastIndexByte(string(d.text[:a]), '\n')+1, len(d.text)
	if i := strings.IndexByte(string(d.text[b:]), '\n'); i >= 0 {
		end = b + i
	}
	d.list = append(d.list, Fault{context: strings.TrimSpace(string(d.text[begin:end])) + kind,
		Name: fmt.Sprintf("%s:%d:%d-%s", strings.TrimSuffix(d.name, ".go"), line, d.set.Position(from).Column, kind),
		File: d.name, Old: string(d.text[a:b]), New: replacement, at: a, drawn: true})
}

// between is the text from one place to another.
func (d *drawer) between(from, to token.Pos) string {
	return string(d.text[d.set.Position(from).Offset:d.set.Position(to).Offset])
}

func (d *drawer) source(n ast.Node) string { return d.between(n.Pos(), n.End()) }

// variables draws in the values of variables of the package: its tables.
func (d *drawer) variables(g *ast.GenDecl) {
	for _, s := range g.Specs {
		for _, e := range s.(*ast.ValueSpec).Values {
			ast.Inspect(e, d.inValue)
		}
	}
}

func (d *drawer) inValue(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		return false
	case *ast.CompositeLit:
		for i := 1; i < len(n.Elts); i++ {
			a, b := n.Elts[i-1], n.Elts[i]
			if _, keyed := a.(*ast.KeyValueExpr); !keyed && d.source(a) != d.source(b) {
				d.add("order", a.Pos(), b.End(), d.source(b)+d.between(a.End(), b.Pos())+d.source(a))
			}
		}
	case *ast.BasicLit:
		d.number(n)
	case *ast.Ident:
		d.turned(n)
	}
	return true
}

// number draws in a number, which it returns; 0 for what is none.
func (d *drawer) number(n *ast.BasicLit) uint64 {
	v, err := strconv.ParseUint(n.Value, 0, 63)
	if n.Kind != token.INT || err != nil {
		return 0
	}
	d.add("number", n.Pos(), n.End(), fmt.Sprint(v+1))
	return v
}

func (d *drawer) turned(n *ast.Ident) {
	if n.Name == "true" || n.Name == "false" {
		d.add("turned", n.Pos(), n.End(), "!"+n.Name)
	}
}

// early draws a return before a function's last statement.
func (d *drawer) early(f *ast.FuncDecl) {
	last := len(f.Body.List) - 1
	if last <= 0 {
		return
	}
	if _, ok := f.Body.List[last].(*ast.ReturnStmt); ok {
		last-- // it may return nothing itself
	}
	at := f.Body.List[last].Pos()
	d.add("early", at, at, "return "+d.nothing(f.Type.Results)+"; ")
}

// inFunction draws at a node of a function.
func (d *drawer) inFunction(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		d.condition(n.Cond)
	case *ast.SwitchStmt:
		d.cases(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			d.add("not", n.OpPos, n.X.Pos(), "")
		}
	case *ast.BinaryExpr:
		if s, ok := swaps[n.Op]; ok && !isText(n.X) && !isText(n.Y) {
			d.add("operator", n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), s)
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			d.add("left", n.Pos(), n.End(), d.source(n.X))
			d.add("right", n.Pos(), n.End(), d.source(n.Y))
		}
	case *ast.CallExpr:
		d.call(n)
	case *ast.BasicLit:
		if v := d.number(n); v > 1 {
			d.add("less", n.Pos(), n.End(), fmt.Sprint(v-1))
		}
	case *ast.Ident:
		d.turned(n)
	case ast.Stmt:
		d.statement(n)
	}
	return true
}

// condition makes what is asked never and always true.
func (d *drawer) condition(e ast.Expr) {
	d.add("never", e.Pos(), e.End(), "false && ("+d.source(e)+")")
	d.add("always", e.Pos(), e.End(), "true || ("+d.source(e)+")")
}

func (d *drawer) cases(n *ast.SwitchStmt) {
	for _, c := range n.Body.List {
		list := c.(*ast.CaseClause).List
		for i, e := range list {
			switch {
			case n.Tag == nil:
				d.condition(e)
			case i > 0:
				d.add("without", list[i-1].End(), e.End(), "")
			}
		}
	}
}

func (d *drawer) call(n *ast.CallExpr) {
	if other := map[string]string{"max": "min", "min": "max"}[d.source(n.Fun)]; other != "" {
		d.add("other", n.Fun.Pos(), n.Fun.End(), other)
		return
	}
	for i := 1; i < len(n.Args); i++ {
		if a, b := n.Args[i-1], n.Args[i]; d.source(a) != d.source(b) && !n.Ellipsis.IsValid() {
			d.add("swapped", a.Pos(), b.End(), d.source(b)+", "+d.source(a))
		}
	}
}

// statement draws what leaves a statement out.
func (d *drawer) statement(n ast.Stmt) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			d.add("dropped", n.Pos(), n.End(), "")
		}
	case *ast.ReturnStmt:
		if last := len(n.Results) - 1; last >= 0 && d.source(n.Results[last]) == "err" {
			d.add("unsaid", n.Results[last].Pos(), n.Results[last].End(), "error(nil)")
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE && len(n.Lhs) == 1 {
			d.add("dropped", n.Pos(), n.End(), "_ = "+d.source(n.Rhs[0]))
		}
	case *ast.IncDecStmt:
		d.add("dropped", n.Pos(), n.End(), "")
	case *ast.BranchStmt:
		if n.Tok == token.CONTINUE && n.Label == nil {
			d.add("dropped", n.Pos(), n.End(), "")
		}
	}
}

// nothing are the zero values of a function's results.
func (d *drawer) nothing(results *ast.FieldList) string {
	var list []string
	if results != nil {
		for _, r := range results.List {
			for range max(len(r.Names), 1) {
				list = append(list, "*new("+d.source(r.Type)+")")
			}
		}
	}
	return strings.Join(list, ", ")
}

func isText(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING
}
