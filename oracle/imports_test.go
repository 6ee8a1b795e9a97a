package oracle

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The oracle may share nothing with the engine but the vocabulary: everything
// below this folder imports the standard library, package cuda and itself.
// Tests may read what nvlink wrote as well, write it in another layout, and try planted faults.
func TestNothingButTheVocabularyIsImported(t *testing.T) {
	const module = "github.com/twinlink/twinlink/"
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(name, "/")
			ours := name == module+"cuda" || name == module+"oracle" || strings.HasPrefix(name, module+"oracle/")
			if strings.HasSuffix(path, "_test.go") {
				ours = ours || strings.HasPrefix(name, module+"corpus") || name == module+"internal/oracletest" || name == module+"internal/ptxgen" || name == module+"internal/relayout" || name == module+"fuzz/power/trial" || strings.HasPrefix(name, module+"internal/nvidia")
			}
			if strings.Contains(first, ".") && !ours {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Fatalf("%d files, %v", files, err)
	}
}
