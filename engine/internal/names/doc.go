// Package names numbers the names of a link and makes string tables of them.
package names
