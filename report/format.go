package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Format names a face of a report.
type Format string

// The faces.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	JSON     Format = "json"
	HTML     Format = "html" // one self-contained page
	SARIF    Format = "sarif"
	JUnit    Format = "junit"
)

// Formats lists the faces, the default first.
func Formats() []Format { return []Format{Text, Markdown, JSON, HTML, SARIF, JUnit} }

// ErrEmpty is the error of a report without a row: nothing was compared, which
// must not look like success.
var ErrEmpty = errors.New("report: nothing was compared")

// Write writes one face of a report. The same report gives the same bytes.
func Write(w io.Writer, r *Report, f Format) error {
	if !slices.Contains(Formats(), f) {
		return fmt.Errorf("report: no format %q", f)
	}
	if len(r.Rows) == 0 && len(r.Relocations) == 0 {
		return ErrEmpty
	}
	switch f {
	case Markdown:
		return WriteMarkdown(w, r)
	case JSON:
		return WriteJSON(w, r)
	case HTML:
		return WriteHTML(w, r)
	case SARIF:
		return WriteSARIF(w, r)
	case JUnit:
		return WriteJUnit(w, r)
	}
	return WriteText(w, r)
}
