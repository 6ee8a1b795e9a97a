package image

import (
	"errors"
	"testing"

	"github.com/twinlink/twinlink/oracle/check/verdict"
)

func TestBudget(t *testing.T) {
	b := Budget{left: 3}
	if err := b.Spend("a", 3); err != nil || b.left != 0 {
		t.Errorf("%v, %d left", err, b.left)
	}
	b.left = 3
	var over *verdict.Refusal
	if err := b.Spend("a", 4); !errors.As(err, &over) || *over != (verdict.Refusal{Kind: verdict.TooMuch, File: "a", Value: 4}) || b.left != 0 {
		t.Errorf("%v, %d left", err, b.left)
	}
}
