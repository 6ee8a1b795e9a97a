package power

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Place is a condition of the source: what an if, a for or a case asks, or one side of && and ||.
type Place struct {
	File string
	Line int
	Text string
	Func string // the function's name
	In   string // what asks it: "if", "for", "case", "&&", "||", or "order" for the edge of a comparison
}

const conditionPackage = "github.com/twinlink/twinlink/fuzz/power/condition"

// Conditions writes an overlay into dir in which every condition of the packages that decide something, below a
// folder, tells package condition what it came to.
func (r *Root) Conditions(under, dir string) (overlay string, places []Place, err error) {
	replace := map[string]string{}
	for _, folder := range slices.Sorted(keys(decides)) {
		if !strings.HasPrefix(folder+"/", under) {
			continue
		}
		files, err := filepath.Glob(filepath.Join(r.Dir, filepath.FromSlash(folder), "*.go"))
		if err != nil {
			return "", nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return "", nil, err
			}
			c := conditions{text: text, file: folder + "/" + filepath.Base(file), first: len(places)}
			if text, err = c.hook(); err != nil {
				return "", nil, err
			}
			if len(c.places) == 0 {
				continue
			}
			places = append(places, c.places...)
			full, err := filepath.Abs(file)
			if err != nil {
				return "", nil, err
			}
			replace[full] = filepath.Join(dir, flat(c.file))
			if err := os.WriteFile(replace[full], text, 0o644); err != nil {
				return "", nil, err
			}
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, places, os.WriteFile(overlay, list, 0o644)
}

// conditions are those of one file.
type conditions struct {
	text    []byte
	file    string
	first   int // number of the file's first
	set     *token.FileSet
	places  []Place
	inside  string // function
	changes []insertion
}

// insertion is text inserted, in the place of some bytes.
type insertion struct {
	at, skip int
	text     string
}

// hook returns the file's text with calls around its conditions.
func (c *conditions) hook() ([]byte, error) {
	c.set = token.NewFileSet()
	tree, err := parser.ParseFile(c.set, c.file, c.text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			c.inside = f.Name.Name
			ast.Inspect(f.Body, c.look)
		}
	}
	c.insert(int(tree.Name.End())-c.set.File(tree.Pos()).Base(), 0, "; import hooked \""+conditionPackage+"\"")
	slices.SortStableFunc(c.changes, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out []byte
	last := 0
	for _, i := range c.changes {
		out = append(append(out, c.text[last:i.at]...), i.text...)
		last = i.at + i.skip
	}
	return append(out, c.text[last:]...), nil
}

func (c *conditions) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		c.whole(n.Cond, "if")
	case *ast.ForStmt:
		if n.Cond != nil {
			c.whole(n.Cond, "for")
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					c.whole(e, "case")
				}
			}
		}
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			for _, side := range []ast.Expr{n.X, n.Y} {
				if b, ok := ast.Unparen(side).(*ast.BinaryExpr); !ok || b.Op != n.Op {
					c.whole(side, n.Op.String())
				}
			}
		}
		if call := map[token.Token]string{token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual"}[n.Op]; call != "" {
			k := c.add(n, "order")
			c.insert(c.at(n.Pos()), 0, fmt.Sprintf("hooked.%s(%d, ", call, k))
			c.insert(c.at(n.OpPos), len(n.Op.String()), ",")
			c.insert(c.at(n.End()), 0, ")")
		}
	}
	return true
}

// whole puts a call around a condition.
func (c *conditions) whole(e ast.Expr, in string) {
	k := c.add(e, in)
	c.insert(c.at(e.Pos()), 0, fmt.Sprintf("hooked.Is(%d, ", k))
	c.insert(c.at(e.End()), 0, ")")
}

func (c *conditions) add(e ast.Expr, in string) int {
	text := strings.Join(strings.Fields(string(c.text[c.at(e.Pos()):c.at(e.End())])), " ")
	c.places = append(c.places, Place{c.file, c.set.Position(e.Pos()).Line, text, c.inside, in})
	return c.first + len(c.places) - 1
}

func (c *conditions) at(p token.Pos) int { return c.set.Position(p).Offset }

func (c *conditions) insert(at, skip int, text string) {
	c.changes = append(c.changes, insertion{at, skip, text})
}
