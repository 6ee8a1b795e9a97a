package model

import (
	"slices"
)

// Arena cuts short lists from pieces of arenaPiece elements.
type Arena[T any] struct{ rest []T }

const ArenaPiece = 1024

// ArenaOf returns an arena that cuts from elements, all zero, before it makes any.
func ArenaOf[T any](elements []T) Arena[T] { return Arena[T]{elements} }

// List returns an empty list with room for n elements.
func (a *Arena[T]) List(n int) []T {
	if n > len(a.rest) {
		if n > ArenaPiece/4 {
			return make([]T, 0, n)
		}
		a.rest = make([]T, ArenaPiece)
	}
	list := a.rest[:0:n]
	a.rest = a.rest[n:]
	return list
}

// Room makes room for n more elements; a list that has none is cut again.
func (a *Arena[T]) Room(list []T, n int) []T {
	if list == nil {
		return a.List(n)
	}
	return slices.Grow(list, n)
}
