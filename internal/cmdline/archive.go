package cmdline

import "github.com/twinlink/twinlink/engine"

const (
	archiveMagic = "!<arch>\n"
	thinMagic    = "!<thin>\n"
)

func isArchive(data []byte) bool {
	return len(data) >= 8 && (string(data[:8]) == archiveMagic || string(data[:8]) == thinMagic)
}

// BadArchive is the judgement about an archive that isn't one. Older releases take a
// nonsense size as it stands, and run out of memory.
func BadArchive(r Release, name string) InputKind {
	text := "unexpected archive format"
	if !r.Cuda13() {
		text = "Memory allocation failure"
	}
	j := reject(engine.Malformed, name, text)
	j.Messages = append(j.Messages, engine.Diagnostic{Severity: engine.Fatal, Kind: engine.Malformed, File: name, Text: "elfLink internal error"})
	return j
}
