package diag

import (
	"errors"
	"testing"
)

// Lines as nvlink prints them.
func TestLines(t *testing.T) {
	for s, want := range map[Severity]string{Info: "nvlink info    : x", Warning: "nvlink warning : x", Error: "nvlink error   : x", Fatal: "nvlink fatal   : x", Plain: "x"} {
		d := Diagnostic{Severity: s, Text: "x"}
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A refusal is one fatal message and status 1; its error is all messages, and the fault after it.
func TestRefuse(t *testing.T) {
	e := Refuse(WrongArch, "a.cubin", "arch of '%s' is %d", "a.cubin", 3)
	want := Diagnostic{Severity: Fatal, Kind: WrongArch, File: "a.cubin", Text: "arch of 'a.cubin' is 3"}
	if len(e.Diags) != 1 || e.Diags[0] != want || e.Exit != 1 || e.Unwrap() != nil {
		t.Errorf("%+v", e)
	}
	e.Diags = append(e.Diags, Diagnostic{Severity: Error, Text: "y"})
	if got := e.Error(); got != "nvlink fatal   : arch of 'a.cubin' is 3\nnvlink error   : y" {
		t.Errorf("%q", got)
	}
	behind := errors.New("behind")
	if e.Err = behind; !errors.Is(e, behind) {
		t.Error("the fault behind it is lost")
	}
}

// A log has failed once an error is said, and keeps what is said in order.
func TestLog(t *testing.T) {
	var l Log
	for _, s := range []Severity{Info, Warning, Fatal} {
		if l.Say(Diagnostic{Severity: s}); l.Failed {
			t.Errorf("failed by severity %d", s)
		}
	}
	if l.Print("text"); l.Failed || len(l.Diags) != 4 || l.Diags[3] != (Diagnostic{Severity: Plain, Text: "text"}) || l.Diags[1].Severity != Warning {
		t.Errorf("%+v", l)
	}
	if l.Say(Diagnostic{Severity: Error}); !l.Failed {
		t.Error("an error is no failure")
	}
}
