package verdict

import "strings"

// trimRel is the section that a section of records is for.
func trimRel(name string) string {
	for _, prefix := range [...]string{".nv.merc", ".rela", ".rel"} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			name = name[len(prefix):]
		}
	}
	return name
}

// IsDebug reports whether a section holds debug information.
func IsDebug(name string) bool {
	return strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, ".nv_debug_")
}
