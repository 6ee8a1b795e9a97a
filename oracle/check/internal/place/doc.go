// Package place finds out where everything lies. Places are read from the output: by
// symbols, by relocated fields, by records, by content. Any order will do.
package place
