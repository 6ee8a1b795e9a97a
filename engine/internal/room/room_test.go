package room

import (
	"reflect"
	"testing"
	"unsafe"
)

type flat struct {
	a uint64
	b [2]int16
}

// Tables lie in the room one after the other, each as its elements are aligned.
func TestMake(t *testing.T) {
	memory := make([]byte, 1000)
	within := func(p unsafe.Pointer) bool {
		at := uintptr(p) - uintptr(unsafe.Pointer(&memory[0]))
		return at < uintptr(len(memory))
	}
	r := Of(memory)
	bytes := Make[byte](&r, 3)
	list := Make[flat](&r, 10)
	if !within(unsafe.Pointer(&bytes[0])) || !within(unsafe.Pointer(&list[0])) || uintptr(unsafe.Pointer(&list[0]))%unsafe.Alignof(list[0]) != 0 {
		t.Error("a table isn't in the room, or not aligned")
	}
	bytes = append(bytes[:2], 1, 2, 3)
	list[0].a, list[9].b[1] = ^uint64(0), -1
	if more := Make[uint64](&r, 1); more[0] != 0 || !within(unsafe.Pointer(&more[0])) {
		t.Error("a table begins inside another")
	}
	if bytes[2] != 1 || len(list) != 10 || cap(list) != 10 {
		t.Error("a table has another's elements")
	}
}

// What has pointers, or doesn't fit, is the heap's.
func TestMakeElsewhere(t *testing.T) {
	memory := make([]byte, 1000)
	r := Of(memory)
	_ = Make[struct {
		flat
		p *int
	}](&r, 1)
	_ = Make[string](&r, 1)
	_ = Make[[]int](&r, 1)
	_ = Make[[2]*int](&r, 1)
	if list := Make[flat](&r, 100); len(list) != 100 || len(r.rest) != len(memory) {
		t.Errorf("%d elements, %d bytes left", len(list), len(r.rest))
	}
	if list := Make[flat](new(Room), 5); len(list) != 5 {
		t.Errorf("%d elements without any room", len(list))
	}
	if list := Make[int](&r, 0); len(list) != 0 {
		t.Errorf("%d elements, want none", len(list))
	}
}

// The room is given to its last byte, but not beyond; what a table is padded by counts.
func TestMakeFits(t *testing.T) {
	memory := make([]uint64, 4) // aligned to 8
	all := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 32)
	for _, c := range []struct{ before, n, left int }{{0, 4, 0}, {0, 5, 32}, {0, 3, 8}, {1, 3, 0}, {1, 4, 31}, {8, 3, 0}, {8, 4, 24}, {31, 1, 1}, {32, 1, 0}, {3, 0, 29}} {
		r := Of(all)
		_ = Make[byte](&r, c.before)
		list := Make[uint64](&r, c.n)
		if len(list) != c.n || cap(list) != c.n || len(r.rest) != c.left {
			t.Errorf("%d behind %d bytes: %d of them, %d bytes left, want %d", c.n, c.before, len(list), len(r.rest), c.left)
		}
	}
	short := Of(all[:30])
	_ = Make[byte](&short, 29)
	if list := Make[uint64](&short, 1); len(list) != 1 || len(short.rest) != 1 {
		t.Errorf("less is left than a table is padded by: %d elements, %d bytes left", len(list), len(short.rest))
	}
	r := Of(all)
	if list := Make[struct{}](&r, 5); len(list) != 5 || len(r.rest) != 32 {
		t.Error("elements of no size")
	}
}

func TestPoints(t *testing.T) {
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"bool", points(reflect.TypeFor[bool]()), false}, {"int8", points(reflect.TypeFor[int8]()), false}, {"uint64", points(reflect.TypeFor[uint64]()), false},
		{"float64", points(reflect.TypeFor[float64]()), false}, {"complex128", points(reflect.TypeFor[complex128]()), false}, {"uintptr", points(reflect.TypeFor[uintptr]()), true},
		{"string", points(reflect.TypeFor[string]()), true}, {"pointer", points(reflect.TypeFor[*int]()), true}, {"slice", points(reflect.TypeFor[[]int]()), true},
		{"map", points(reflect.TypeFor[map[int]int]()), true}, {"function", points(reflect.TypeFor[func()]()), true}, {"interface", points(reflect.TypeFor[any]()), true},
		{"unsafe pointer", points(reflect.TypeFor[unsafe.Pointer]()), true}, {"channel", points(reflect.TypeFor[chan int]()), true},
		{"array", points(reflect.TypeFor[[3]int]()), false}, {"array of pointers", points(reflect.TypeFor[[3]*int]()), true},
		{"structure", points(reflect.TypeFor[flat]()), false}, {"structure with a pointer", points(reflect.TypeFor[struct {
			flat
			p *int
		}]()), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
}
