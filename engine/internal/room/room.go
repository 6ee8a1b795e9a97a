// Package room cuts tables from memory that the caller of a link gave.
//
// Go clears what it takes from its heap, also where the system has just done so. A
// large link makes tables of many megabytes, of which it needs a part only: from
// memory that is zero and that nothing else uses, they cost what is written of them.
package room

import (
	"reflect"
	"unsafe"
)

// Room is what is left of such memory. Its zero value has none.
type Room struct{ rest []byte }

// Of returns memory as room. It must be zero, and nobody else's from now on.
func Of(memory []byte) Room { return Room{memory} }

// Make returns n zero elements, of the room where it has as much left, else of the
// heap. The collector doesn't look into the room: an element must not point anywhere.
func Make[T any](r *Room, n int) []T {
	var element T
	size, align := unsafe.Sizeof(element), unsafe.Alignof(element)
	pad := -uintptr(unsafe.Pointer(unsafe.SliceData(r.rest))) % align
	left := uintptr(len(r.rest))
	if n <= 0 || size == 0 || left < pad || uintptr(n) > (left-pad)/size || points(reflect.TypeFor[T]()) {
		return make([]T, n)
	}
	end := pad + uintptr(n)*size
	b := r.rest[pad:end:end]
	r.rest = r.rest[end:]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// points reports whether values of a type may hold pointers.
func points(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return points(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if points(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128 || t.Kind() == reflect.Uintptr // numbers are before all others
}
