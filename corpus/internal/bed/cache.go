package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// cache keeps what a run made, under the hash of what it was made from.
type cache struct{ dir string }

// made is what came of a step: files by name, or why there are none.
type made struct {
	Files map[string][]byte `json:"-"`
	Names []string          `json:"names"`
	Fault string            `json:"fault,omitempty"`
}

func keyOf(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// get returns what was kept under a key, or makes and keeps it. An error of make
// is not kept.
func (c *cache) get(key string, make func() (*made, error)) (*made, error) {
	dir := filepath.Join(c.dir, "made", key[:2], key)
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return c.put(dir, make)
	}
	if err != nil {
		return nil, err
	}
	m := &made{Files: map[string][]byte{}}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	for i, name := range m.Names {
		if m.Files[name], err = os.ReadFile(filepath.Join(dir, number(i))); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// put makes, and keeps it whole or not at all.
func (c *cache) put(dir string, make func() (*made, error)) (*made, error) {
	m, err := make()
	if err != nil {
		return nil, err
	}
	m.Names = sortedKeys(m.Files)
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	temporary, err := os.MkdirTemp(parent, ".new")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	for i, name := range m.Names {
		if err := os.WriteFile(filepath.Join(temporary, number(i)), m.Files[name], 0o644); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(temporary, "index.json"), text, 0o644)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, there := os.Stat(dir); there != nil {
			return nil, err
		}
	}
	return m, nil
}
