package corpus

import "testing"

func TestUnseen(t *testing.T) {
	file := []byte("abcdefghij")
	seen := func(b []byte) bool {
		return string(b[:3]) == "abc" && b[3] == 'd' && string(b[6:]) == "ghij"
	}
	if got := Unseen(file, 1, func(b []byte) bool { return !seen(b) }); got != "4-5" {
		t.Errorf("%q", got)
	}
	if got := Unseen(file, 4, func(b []byte) bool { return !seen(b) }); got != "4" {
		t.Errorf("%q", got)
	}
	if string(file) != "abcdefghij" {
		t.Errorf("changed to %q", file)
	}
}
