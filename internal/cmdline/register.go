package cmdline

import (
	"fmt"
	"strings"
)

// RegisterText is the file --register-link-binaries asks for: a line for each
// linked object, by its path from the root with every character a C name
// can't have made an underscore. folder is the working folder.
func RegisterText(folder string, inputs []string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "#define NUM_PRELINKED_OBJECTS %d\n", len(inputs))
	for _, path := range inputs {
		if !strings.HasPrefix(path, "/") {
			path = folder + "/" + path
		}
		fmt.Fprintf(&b, "DEFINE_REGISTER_FUNC(%s)\n", cIdentifier(path))
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
