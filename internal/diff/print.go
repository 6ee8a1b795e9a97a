package diff

import (
	"bufio"
	"fmt"
	"io"
)

// Text prints a line for each difference: key, then what each file has.
func Text(w io.Writer, list []Difference) error {
	b := bufio.NewWriter(w)
	for _, d := range list {
		fmt.Fprintf(b, "%s: %s -> %s\n", d.Key, tell(d.A), tell(d.B))
	}
	return b.Flush()
}

func tell(value *string) string {
	switch {
	case value == nil:
		return "(none)"
	case *value == "":
		return `""`
	}
	return *value
}
