package main

import (
	"os"
	"testing"
)

// The committed page is that of the committed table.
func TestPage(t *testing.T) {
	table, err := os.ReadFile("../table.tsv")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/mercury-forms.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != describe(string(table)) {
		t.Error("docs/mercury-forms.md is not made of mercury/table.tsv: go run ./mercury/describe")
	}
}
