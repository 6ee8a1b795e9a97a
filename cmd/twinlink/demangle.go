package main

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// NVIDIA's tools show C++ names with a blank before * and &, and lambdas as
// "[lambda(int) (instance 1)]" where others have "{lambda(int)#1}", const before
// the type it qualifies, and which of its destructors deletes.
var (
	pointer   = regexp.MustCompile(`([\w>\])])([*&])`)
	qualified = regexp.MustCompile(`([\w:]+) const\b`)
	lambda    = regexp.MustCompile(`\{lambda(\([^{}]*\))#(\d+)\}`)
)

// demangled is a C++ name as NVIDIA's tools show it; any other name is itself.
func demangled(name string) string {
	if !strings.HasPrefix(name, "_Z") {
		return name
	}
	text, err := demangle.ToString(name)
	if err != nil {
		return name
	}
	text = qualified.ReplaceAllString(text, "const $1")
	if strings.HasSuffix(name, "D0Ev") {
		text += " [deleting]"
	}
	text = lambda.ReplaceAllString(text, "[lambda$1 (instance $2)]")
	return pointer.ReplaceAllString(text, "$1 $2")
}
