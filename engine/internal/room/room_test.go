package room

import (
	"testing"
	"unsafe"
)

type flat struct {
	a uint64
	b [2]int16
}

// Tables lie in the room one behind the other, each as its elements are aligned.
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
