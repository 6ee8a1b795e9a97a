package lto

import (
	"errors"
	"reflect"
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// What the library answers is taken where it linked everything without a complaint; a refusal names the input it is about.
func TestJudged(t *testing.T) {
	tools := &Tools{release: "13.0"}
	q := nvjitlink.Question{Inputs: []nvjitlink.Input{{Name: "a"}, {Name: "b"}}}
	for _, c := range []struct {
		res  nvjitlink.Result
		want Error
	}{
		{nvjitlink.Result{Outcome: nvjitlink.Linked, Text: "warning : w", Output: []byte("x")}, Error{}},
		{nvjitlink.Result{Outcome: nvjitlink.Linked, Text: "error : e", Output: []byte("x")}, Error{"", "nvJitLink 13.0: linked, 1 bytes: error : e"}},
		{nvjitlink.Result{Outcome: nvjitlink.Refused, Step: nvjitlink.AddData, Input: 1, Code: 2, Log: "log"}, Error{"b", "nvJitLink 13.0: refused input 1: " + nvjitlink.Code(2).String() + ": log"}},
		{nvjitlink.Result{Outcome: nvjitlink.Refused, Step: nvjitlink.AddData, Input: 2, Code: 2}, Error{"", "nvJitLink 13.0: refused input 2: " + nvjitlink.Code(2).String()}},
		{nvjitlink.Result{Outcome: nvjitlink.Refused, Step: nvjitlink.Complete, Code: 2}, Error{"", "nvJitLink 13.0: refused (" + nvjitlink.Complete.String() + "): " + nvjitlink.Code(2).String()}},
		{nvjitlink.Result{Outcome: nvjitlink.Crashed, Step: nvjitlink.AddData, Signal: "SIGSEGV"}, Error{"", "nvJitLink 13.0: crashed (SIGSEGV)"}},
	} {
		res, err := tools.judged(q, &c.res)
		var fault *Error
		switch ok := c.want == (Error{}); {
		case ok && (err != nil || res != &c.res):
			t.Errorf("%v: %v", &c.res, err)
		case !ok && (res != nil || !errors.As(err, &fault) || *fault != c.want):
			t.Errorf("%v: %+v, want %+v", &c.res, err, c.want)
		}
	}
}

// PTX ends where the library's NUL stands, without the one blank before it; objects are cubins under their names.
func TestParts(t *testing.T) {
	for output, want := range map[string]string{"ptx\n \x00": "ptx\n", "ptx": "ptx", "a  ": "a ", "\x00b": "", "a\x00 ": "a"} {
		if got := string(ptxOf([]byte(output))); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	p := Program{Objects: []Module{{Name: "o", Data: []byte("1")}, {Name: "p", Data: []byte("2"), Bare: true}}}
	want := []nvjitlink.Input{{Kind: nvjitlink.Cubin, Name: "o", Data: []byte("1")}, {Kind: nvjitlink.Cubin, Name: "p", Data: []byte("2")}}
	if got := p.objects(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	for want, e := range map[string]Error{"why": {Reason: "why"}, "in: why": {"in", "why"}} {
		if e.Error() != want {
			t.Errorf("%q", e.Error())
		}
	}
}
