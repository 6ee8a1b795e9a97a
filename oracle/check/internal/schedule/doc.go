// Package schedule judges code that was rescheduled: no result is used before it is there.
package schedule
