package diff

import (
	"bufio"
	"encoding/json"
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

// JSON prints the differences as an array.
func JSON(w io.Writer, list []Difference) error {
	if list == nil {
		list = []Difference{}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(list)
}
