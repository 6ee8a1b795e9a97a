package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A case of a release that the corpus names tools of must be made. Of another it is named and its files are left alone.
func TestMissingTools(t *testing.T) {
	const text = `{"schema": 1, "tools": [%s],
 "programs": [{"name":"p","about":"","reaches":[],"sources":["a.ptx"],"cases": [
   {"name":"c","release":"13.3","arch":"sm_90","inputs":[{"name":"a.cubin","file":"c/a.cubin","source":"a.ptx"}],
    "args":["a.cubin","-o","out.cubin"],"exit":0,"output":"c/out.cubin","sha256":"00"}]}]}`
	files := map[string]string{"p/a.ptx": "", "p/c/a.cubin": "input", "p/c/out.cubin": "output"}
	for _, tt := range []struct {
		name, tools, only string
		failure           string
		notes             int
	}{
		{name: "another release", notes: 1},
		{name: "a release of the corpus", only: "p", failure: "no ptxas of release 13.3", tools: `{"release":"13.3","ptxas":"Build x","nvlink":"Build x"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			files["manifest.json"] = strings.Replace(text, "%s", tt.tools, 1)
			for name, data := range files {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := &regen{root: root, tools: tools{root: t.TempDir()}, only: tt.only}
			differences, err := r.run()
			if tt.failure != "" {
				if err == nil || !strings.Contains(err.Error(), tt.failure) {
					t.Fatalf("got error %v, want one about %q", err, tt.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(differences) > 0 || len(r.notes) != tt.notes {
				t.Errorf("differences %q, notes %q, want none and %d", differences, r.notes, tt.notes)
			}
			for _, name := range []string{"p/c/a.cubin", "p/c/out.cubin"} {
				if data, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(data) != files[name] {
					t.Errorf("%s is now %q, %v", name, data, err)
				}
			}
		})
	}
}
