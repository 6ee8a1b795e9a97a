package lto

import (
	"bytes"
	"context"
	"fmt"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// Module is LTO IR: a fatbinary that holds it, or the bare IR.
type Module struct {
	Name string
	Data []byte
	Bare bool
}

// Program is what is optimized together.
type Program struct {
	Arch    string // "sm_90"
	Modules []Module
	// Partial has the result linked with objects that are no LTO IR.
	Partial bool
	// Kernels and Variables are what is kept, names or patterns with *; Trim drops
	// variables that nothing refers to. Whole programs only.
	Kernels, Variables []string
	Trim               bool

	// Objects are cubins that Link links with the modules, which follow them.
	Objects []Module

	Xnvvm []string // -Xnvvm
	Ofc   string   // -Ofc, "" for none
}

// Error says why something was not compiled. Reason may have several lines.
type Error struct {
	Name   string // the input, "" for all of them
	Reason string
}

// Error returns the reason after the input's name.
func (e *Error) Error() string {
	if e.Name == "" {
		return e.Reason
	}
	return e.Name + ": " + e.Reason
}

// CanMix reports whether programs with Partial can be optimized.
func (t *Tools) CanMix() bool { return major(t.release) >= 13 }

// Optimize makes one PTX text of a program's modules. With Partial, kernels and
// variables stay visible, but functions become local or go: see [DefinesFunctions].
func (t *Tools) Optimize(ctx context.Context, p *Program) ([]byte, error) {
	if t.library == nil {
		return nil, &Error{Reason: t.missing}
	}
	if p.Partial && !t.CanMix() {
		return nil, &Error{Reason: "link-time optimization of some of the inputs: nvJitLink has it from 13.0 on, and this is " + t.release}
	}
	res, err := t.ask(ctx, p.question("-ptx"))
	if err != nil {
		return nil, err
	}
	return ptxOf(res.Output), nil
}

// ptxOf is the text that the library ends with a blank and a NUL.
func ptxOf(output []byte) []byte {
	text, _, _ := bytes.Cut(output, []byte{0})
	return bytes.TrimSuffix(text, []byte(" "))
}

// Link optimizes a program's modules and has the library link them after the
// objects: it keeps names visible that objects need, which Optimize can't. said
// is what the library printed.
func (t *Tools) Link(ctx context.Context, p *Program, options []string) (image []byte, said string, err error) {
	if t.library == nil {
		return nil, "", &Error{Reason: t.missing}
	}
	q := p.question("")
	q.Options = append(q.Options, options...)
	q.Inputs = append(p.objects(), q.Inputs...)
	res, err := t.ask(ctx, q)
	if err != nil {
		return nil, "", err
	}
	return res.Output, res.Message() + "\n" + res.Info, nil // 13.x has warnings in its log of remarks
}

// ask puts a question to the library. What is not linked is an *Error.
func (t *Tools) ask(ctx context.Context, q nvjitlink.Question) (*nvjitlink.Result, error) {
	res, err := t.library.Link(ctx, q)
	if err != nil {
		return nil, err
	}
	return t.judged(q, res)
}

// judged is an answer with which the library linked everything without a complaint.
func (t *Tools) judged(q nvjitlink.Question, res *nvjitlink.Result) (*nvjitlink.Result, error) {
	if res.Outcome == nvjitlink.Linked && !res.Complained() {
		return res, nil
	}
	e := &Error{Reason: fmt.Sprintf("nvJitLink %s: %s", t.release, res)}
	if res.Outcome == nvjitlink.Refused && res.Step == nvjitlink.AddData && res.Input < len(q.Inputs) {
		e.Name = q.Inputs[res.Input].Name
	}
	if m := res.Message(); m != "" {
		e.Reason += ": " + m
	}
	return nil, e
}

// objects are the inputs that are linked, not optimized.
func (p *Program) objects() (list []nvjitlink.Input) {
	for _, o := range p.Objects {
		list = append(list, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: o.Name, Data: o.Data})
	}
	return list
}

// question asks for PTX with "-ptx", for an image with "".
func (p *Program) question(output string) nvjitlink.Question {
	q := nvjitlink.Question{Options: []string{"-arch=" + p.Arch, "-lto"}, PTX: output != ""}
	if q.PTX {
		q.Options = append(q.Options, output)
	}
	if p.Partial && q.PTX {
		q.Options = append(q.Options, "-r")
	} else {
		for _, k := range p.Kernels {
			q.Options = append(q.Options, "-kernels-used="+k)
		}
		for _, v := range p.Variables {
			q.Options = append(q.Options, "-variables-used="+v)
		}
		if p.Trim && len(p.Variables) == 0 {
			q.Options = append(q.Options, "-optimize-unused-variables")
		}
	}
	for _, o := range p.Xnvvm {
		q.Options = append(q.Options, "-Xnvvm="+o)
	}
	if p.Ofc != "" {
		q.Options = append(q.Options, "-Ofc="+p.Ofc)
	}
	for i := range p.Modules {
		m := &p.Modules[i]
		kind := nvjitlink.Fatbin
		if m.Bare {
			kind = nvjitlink.LTOIR
		}
		q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: kind, Name: m.Name, Data: m.Data})
	}
	return q
}

// DefinesFunctions reports whether a PTX text defines functions that are no
// kernels.
func DefinesFunctions(ptx []byte) bool {
	for len(ptx) > 0 {
		line, rest, _ := bytes.Cut(ptx, []byte("\n"))
		ptx = rest
		if !bytes.HasPrefix(line, []byte(".func")) && !bytes.HasPrefix(line, []byte(".visible .func")) && !bytes.HasPrefix(line, []byte(".weak .func")) {
			continue
		}
		// A definition has a body before the next semicolon.
		if at := bytes.IndexAny(rest, "{;"); at >= 0 && rest[at] == '{' {
			return true
		}
	}
	return false
}
