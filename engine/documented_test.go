package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// Types that are under internal show their fields to nobody who reads the documentation of
// this package, so that the comments here name all of them.
func TestFieldsAreDocumented(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "engine.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			comments[g.Specs[0].(*ast.TypeSpec).Name.Name] = g.Doc.Text()
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[engine.Input](), reflect.TypeFor[engine.Options](), reflect.TypeFor[engine.CommandLine](),
		reflect.TypeFor[engine.HostUse](), reflect.TypeFor[engine.LinkError](), reflect.TypeFor[engine.Diagnostic](),
	} {
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(comments[typ.Name()]) {
				t.Errorf("the comment of %s doesn't name %s", typ.Name(), name)
			}
		}
	}
}
