package verdict

import "fmt"

// Hex prints a number as findings do.
func Hex(n uint64) string { return fmt.Sprintf("0x%x", n) }
