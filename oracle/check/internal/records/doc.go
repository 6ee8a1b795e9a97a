// Package records checks the relocations that stay for the driver, and what --preserve-relocs
// writes down.
package records
