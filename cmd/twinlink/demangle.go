package main

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// NVIDIA's tools show C++ names with a blank before * and &, and lambdas as
// "[lambda(int) (instance 1)]" where others have "{lambda(int)#1}".
var (
	pointer = regexp.MustCompile(`([\w>\])])([*&])`)
	lambda  = regexp.MustCompile(`\{lambda(\([^{}]*\))#(\d+)\}`)
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
	text = lambda.ReplaceAllString(text, "[lambda$1 (instance $2)]")
	return pointer.ReplaceAllString(text, "$1 $2")
}
