package verdict

import (
	"strings"
	"testing"
)

// Every kind of finding has a key of its own, of two words or three.
func TestKeys(t *testing.T) {
	seen := map[string]Kind{}
	for k := Unreadable; int(k) < len(kindNames); k++ {
		if was, ok := seen[k.String()]; ok || k.String() == "?" || strings.Count(k.String(), ".") != 1 {
			t.Errorf("kind %d is %q as kind %d", k, k, was)
		}
		seen[k.String()] = k
	}
	if Kind(0).String() != "?" || Kind(len(kindNames)).String() != "?" || seen["pointer.missing"] != PointerMissing || seen["output.unreadable"] != Unreadable || seen["code.schedule"] != CodeSchedule {
		t.Error("the keys don't stand with their kinds")
	}
}

// Every kind of refusal has a text.
func TestRefusalNames(t *testing.T) {
	if len(refusalNames) != int(TooMuch)+1 || RefusalKind(len(refusalNames)).String() != "?" || RefusalKind(0).String() != "?" {
		t.Error("kinds that there aren't have a text")
	}
}
