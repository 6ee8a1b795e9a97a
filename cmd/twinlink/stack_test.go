package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestStack explains the kernel of what nvlink 12.4 linked.
func TestStack(t *testing.T) {
	folder(t, "12.4-sm_80")
	got := twinlink("stack", "linked.cubin")
	got.want(t, exitOK)
	if !strings.Contains(got.out, "k: 24 registers, 0 bytes of stack\n") {
		t.Errorf("printed\n%s", got.out)
	}
	got = twinlink("stack", "--all", "--format=json", "linked.cubin")
	got.want(t, exitOK)
	var doc struct {
		Functions []struct {
			Function string
			Path     []struct{ Function string }
		}
	}
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || len(doc.Functions) != 3 || len(doc.Functions[0].Path) == 0 {
		t.Errorf("%v: %s", err, got.out)
	}
	write(t, "text", "text")
	if got := twinlink("stack", "text"); got.exit != exitRefused {
		t.Errorf("no ELF file: exit %d", got.exit)
	}
}
