package replay

import (
	"os"
	"path/filepath"
	"testing"
)

// Printed runs a program's work and returns what it prints, to both of its outputs, and how it failed.
func Printed(t *testing.T, work func() error) (text string, failed error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = out, errs }()
	failed = work()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), failed
}
