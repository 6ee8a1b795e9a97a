package power

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Building the program again for each fault costs more than all detectors together. So one program gets every fault that
// allows it, each with a number, and TWINLINK_FAULT says which one it has when it runs:
//
//	func size(n int) int {                      func size(n int) int {
//		return n + 1                                 switch powerAt(7) {
//	}                                                case 7:
//	                                                     return size_fault7(n)
//	                                                 }
//	                                                 return n + 1
//	                                             }
//
//	                                             func size_fault7(n int) int {
//	                                                 return n + 2
//	                                             }
//
// A fault in the value of a package's variable becomes a choice of two values. A fault anywhere else, in a constant, a
// type or a file of data, is built alone.
//
// Or TWINLINK_FAULT is the name of a file, which gets a byte for each place that the program came to: a test that
// doesn't come to a fault's place can't find it.

// switched are the faults of one file, put into its text.
type switched struct {
	file   string // from the root
	text   []byte
	spans  []span         // of the faulty copies in text
	shared map[string]int // place of each by Fault.ID: the number of the first in its function
}

// span is where a fault's code is.
type span struct {
	from, to int // bytes
	id       string
}

// change puts text in the place of others.
type change struct {
	at, end int
	text    string
	id      string
	order   int
}

// share puts the faults into the text of their file, but for those that have to be built alone.
func share(file string, text []byte, faults []*Fault, numbers map[*Fault]int) (*switched, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s := sharing{
		switched: &switched{file: file, shared: map[string]int{}},
		old:      text,
		at:       func(p token.Pos) int { return set.Position(p).Offset },
		cases:    map[*ast.FuncDecl][]string{},
		places:   map[*ast.FuncDecl]int{},
		values:   map[ast.Expr][]*Fault{},
	}
	for _, f := range faults {
		from := f.find(text)
		if from < 0 {
			continue
		}
		to := from + len(f.Old)
		if decl := function(tree, s.at, from, to); decl != nil {
			s.copyFunction(f, decl, from, to, numbers[f])
		} else if v := value(tree, s.at, from, to); v != nil {
			s.values[v] = append(s.values[v], f)
			s.shared[f.ID()] = numbers[f]
		}
	}
	for decl, list := range s.cases {
		at := s.at(decl.Body.Lbrace) + 1
		s.changes = append(s.changes, change{at: at, end: at, text: fmt.Sprintf("\nswitch powerAt(%d) {\n", s.places[decl]) + strings.Join(list, "") + "}\n"})
	}
	for v, list := range s.values {
		s.changes = append(s.changes, change{at: s.at(v.Pos()), end: s.at(v.End()), text: choice(text, s.at(v.Pos()), s.at(v.End()), list, numbers)})
	}
	s.write()
	return s.switched, nil
}

// sharing is a file that is being changed to hold all of its faults.
type sharing struct {
	*switched
	old     []byte
	at      func(token.Pos) int // offset in old
	changes []change
	cases   map[*ast.FuncDecl][]string // of the switch at its beginning
	places  map[*ast.FuncDecl]int      // number of its first fault
	values  map[ast.Expr][]*Fault
}

// copyFunction adds a copy of the function with fault f, number n, in bytes from to to.
func (s *sharing) copyFunction(f *Fault, decl *ast.FuncDecl, from, to, n int) {
	suffix := fmt.Sprintf("_fault%d", n)
	call, ok := forward(s.old, s.at, decl, suffix)
	if !ok {
		return
	}
	if len(s.cases[decl]) == 0 {
		s.places[decl] = n
	}
	s.cases[decl] = append(s.cases[decl], "case "+strconv.Itoa(n)+":\n"+call+"\n")
	name := s.at(decl.Name.End())
	faulty := string(s.old[s.at(decl.Pos()):name]) + suffix + string(s.old[name:from]) + f.New + string(s.old[to:s.at(decl.End())])
	s.changes = append(s.changes, change{at: len(s.old), end: len(s.old), id: f.ID(), order: n, text: "\n" + faulty + "\n"})
	s.shared[f.ID()] = s.places[decl]
}

// write makes the text with all changes.
func (s *sharing) write() {
	slices.SortStableFunc(s.changes, func(a, b change) int { return 2*(a.at-b.at) + sign(a.order-b.order) })
	var b bytes.Buffer
	last := 0
	for _, c := range s.changes {
		b.Write(s.old[last:c.at])
		if c.id != "" {
			s.spans = append(s.spans, span{b.Len(), b.Len() + len(c.text), c.id})
		}
		b.WriteString(c.text)
		last = c.end
	}
	b.Write(s.old[last:])
	s.text = b.Bytes()
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// choice is an expression that has a fault's value where the fault is switched on.
func choice(text []byte, from, to int, faults []*Fault, numbers map[*Fault]int) string {
	old := string(text[from:to])
	expr := old
	for _, f := range faults {
		expr = "powerPick(" + strconv.Itoa(numbers[f]) + ", " + expr + ",\n" + old[:f.find(text)-from] + f.New + old[f.find(text)-from+len(f.Old):] + ")"
	}
	return expr
}

// function returns the function whose body has the bytes from..to.
func function(tree *ast.File, at func(token.Pos) int, from, to int) *ast.FuncDecl {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Body != nil && at(f.Body.Lbrace) < from && to <= at(f.Body.Rbrace) {
			return f
		}
	}
	return nil
}

// value returns the value of a package's variable that has the bytes from..to.
func value(tree *ast.File, at func(token.Pos) int, from, to int) ast.Expr {
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Values) != len(v.Names) {
				continue
			}
			for _, e := range v.Values {
				if at(e.Pos()) <= from && to <= at(e.End()) {
					return e
				}
			}
		}
	}
	return nil
}

// forward is the statement that hands a function's arguments to its faulty copy.
func forward(text []byte, at func(token.Pos) int, decl *ast.FuncDecl, suffix string) (string, bool) {
	name := decl.Name.Name
	if name == "init" || name == "main" || name == "_" {
		return "", false
	}
	call := name + suffix
	if decl.Recv != nil {
		r := decl.Recv.List[0]
		if len(r.Names) == 0 || r.Names[0].Name == "_" {
			return "", false
		}
		call = r.Names[0].Name + "." + call
	}
	if decl.Type.TypeParams != nil {
		var list []string
		for _, p := range decl.Type.TypeParams.List {
			for _, n := range p.Names {
				list = append(list, n.Name)
			}
		}
		call += "[" + strings.Join(list, ", ") + "]"
	}
	var args []string
	for _, p := range decl.Type.Params.List {
		_, variadic := p.Type.(*ast.Ellipsis)
		names := p.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: "_"}}
		}
		for _, n := range names {
			switch {
			case n.Name == "_" && variadic:
			case n.Name == "_":
				args = append(args, "*new("+string(text[at(p.Type.Pos()):at(p.Type.End())])+")")
			case variadic:
				args = append(args, n.Name+"...")
			default:
				args = append(args, n.Name)
			}
		}
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if decl.Type.Results == nil || len(decl.Type.Results.List) == 0 {
		return call + "\nreturn", true
	}
	return "return " + call, true
}

// program is the source with all faults that can be switched on.
type program struct {
	overlay string
	numbers map[*Fault]int
	shared  map[string]int // place by Fault.ID
	files   map[string]*switched
}

// share writes an overlay with every fault that allows it into dir.
func (r *Root) share(faults []*Fault, dir string) (*program, error) {
	p := &program{overlay: filepath.Join(dir, "overlay.json"), numbers: map[*Fault]int{}, shared: map[string]int{}, files: map[string]*switched{}}
	byFile := map[string][]*Fault{}
	for n, f := range faults {
		p.numbers[f] = n
		if strings.HasSuffix(f.File, ".go") {
			byFile[f.File] = append(byFile[f.File], f)
		}
	}
	replace := map[string]string{}
	put := func(original, name string, text []byte) error {
		full, err := filepath.Abs(filepath.Join(r.Dir, filepath.FromSlash(original)))
		if err != nil {
			return err
		}
		name = filepath.Join(dir, name)
		replace[full] = name
		return os.WriteFile(name, text, 0o644)
	}
	for file, list := range byFile {
		text, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		s, err := share(file, text, list, p.numbers)
		if err != nil {
			return nil, err
		}
		if len(s.shared) == 0 {
			continue
		}
		p.files[file] = s
		maps.Copy(p.shared, s.shared)
		if err := put(file, flat(file), s.text); err != nil {
			return nil, err
		}
		pkg, _, _ := strings.Cut(string(text[bytes.Index(text, []byte("\npackage "))+1:]), "\n")
		if bytes.HasPrefix(text, []byte("package ")) {
			pkg, _, _ = strings.Cut(string(text), "\n")
		}
		folder := filepath.ToSlash(filepath.Dir(file))
		if err := put(folder+"/power_switch.go", flat(folder)+"~switch.go", []byte(pkg+fmt.Sprintf(switchText, filepath.Join(dir, "group"), len(faults)))); err != nil {
			return nil, err
		}
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(p.overlay, list, 0o644)
}

// switchText is what each package gets that has faults. A program started by another that cleans its environment has
// the same process group, after which a file is named.
const switchText = `

import (
	"os"
	"strconv"
	"syscall"
)

var powerFault, powerPlaces = func() (int, []byte) {
	what, ok := os.LookupEnv("TWINLINK_FAULT")
	if !ok {
		text, _ := os.ReadFile(%q + strconv.Itoa(syscall.Getpgrp()))
		what = string(text)
	}
	if n, err := strconv.Atoi(what); err == nil || what == "" {
		return n - 1, nil
	}
	f, err := os.OpenFile(what, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	places, err := syscall.Mmap(int(f.Fd()), 0, %d, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return -1, places
}()

func powerAt(place int) int {
	if powerPlaces != nil {
		powerPlaces[place] = 1
	}
	return powerFault
}

func powerPick[T any](fault int, sound, faulty T) T {
	if powerAt(fault) == fault {
		return faulty
	}
	return sound
}
`

// flat is a file's name without folders.
func flat(name string) string { return strings.ReplaceAll(name, "/", "~") }
