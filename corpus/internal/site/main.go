// Command site builds the static pages of the corpus: the reference of
// relocation types with the results on their vectors, the recorded links, and
// the ledger of claims.
//
//	go run ./corpus/internal/site -o FOLDER
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/report"
)

// page is one file of the site.
type page struct {
	name, about string
	make        func(context.Context) (*report.Report, error)
}

var pages = []page{
	{"relocations.html", "Relocation types: fields, recipes, descriptors, and the results on every vector", relocations},
	{"links.html", "Recorded links of nvlink 11.8, 12.4 and 13.0, linked and judged", recorded},
	{"claims.html", "Statements of five public documents, with verdicts", ledger},
}

func main() {
	out := flag.String("o", "site", "folder to write")
	flag.Parse()
	if err := build(context.Background(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func build(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var list bytes.Buffer
	for _, p := range pages {
		r, err := p.make(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		var b bytes.Buffer
		if err := report.Write(&b, r, report.HTML); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, p.name), b.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&list, "<li><a href=\"%s\">%s</a></li>\n", p.name, html.EscapeString(p.about))
	}
	index := fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>twinlink</title>
<style>:root { color-scheme: light dark; } body { margin: 2rem auto; max-width: 46rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }</style>
</head>
<body>
<h1>twinlink</h1>
<p>An independent way to link NVIDIA device code, and to check links. These pages show what it was compared with.</p>
<ul>
%s</ul>
</body>
</html>
`, list.String())
	return os.WriteFile(filepath.Join(folder, "index.html"), []byte(index), 0o644)
}
