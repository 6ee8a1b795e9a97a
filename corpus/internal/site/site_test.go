package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// TestBuild writes the ledger's page and the index, and a page for nothing
// that failed.
func TestBuild(t *testing.T) {
	whole := pages
	defer func() { pages = whole }()
	pages = pages[2:]
	folder := filepath.Join(t.TempDir(), "site")
	if err := build(context.Background(), folder); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil || !strings.Contains(string(index), `<a href="claims.html">`) {
		t.Errorf("%v: %s", err, index)
	}
	page, err := os.ReadFile(filepath.Join(folder, "claims.html"))
	if err != nil || !strings.Contains(string(page), "RC-001") {
		t.Errorf("no claim on the page: %v", err)
	}
}

// TestRoles: CONST_FIELD19_28 writes an offset and a bank.
func TestRoles(t *testing.T) {
	recipe, err := oracle.RecipeOf(cuda.R_CUDA_CONST_FIELD19_28)
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]bool{}
	for _, s := range recipe.Steps() {
		roles[role(s)] = true
	}
	if !roles["bank"] || !roles["value"] {
		t.Errorf("roles %v of %s", roles, recipe)
	}
}
