// Package schedule judges code that was scheduled anew: no result is used before it is there.
package schedule
