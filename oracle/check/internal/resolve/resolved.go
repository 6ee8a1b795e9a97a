package resolve

import "github.com/twinlink/twinlink/oracle/check/internal/link"

// Resolved is a link of which is known what each name stands for.
type Resolved struct {
	*link.Link

	moment    int             // of the last definition
	block     []link.Identity // for the next ones
	nameless  int             // symbols without a name that 12.x makes for undefined functions
	constants map[string]bool // see constantNames
	homes     *homes          // of the inputs' data, told by records
}
