package inputs

import (
	"fmt"
	"strings"
)

// RegisterText is the file that --register-link-binaries asks for: a line for
// each linked object, by the identifier that nvcc gave it, or by its path from
// the root. Every character that a C name can't have is made an underscore.
// folder is the working folder.
func RegisterText(folder string, list []Registration) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "#define NUM_PRELINKED_OBJECTS %d\n", len(list))
	for _, r := range list {
		name := r.ID
		if r.Path != "" {
			name = r.Path
			if !strings.HasPrefix(name, "/") {
				name = folder + "/" + name
			}
			name = cIdentifier(name)
		}
		fmt.Fprintf(&b, "DEFINE_REGISTER_FUNC(%s)\n", name)
	}
	return []byte(b.String())
}

// cIdentifier replaces bytes, not characters.
func cIdentifier(path string) string {
	out := []byte(path)
	for i, c := range out {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
			out[i] = '_'
		}
	}
	return string(out)
}
