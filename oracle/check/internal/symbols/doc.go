// Package symbols checks the symbol table, and that objects lie inside their sections, aligned
// and apart.
package symbols
