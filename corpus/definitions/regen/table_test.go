package main

import (
	"testing"

	"github.com/twinlink/twinlink/corpus/definitions"
)

// Each side's objects hold its own number, in the files of every release.
func TestStands(t *testing.T) {
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"11.8/sm_75/func.b": "b", "12.4/sm_75/func.a": "a", "12.4/sm_75/func.b": "b", "13.0/sm_75/func.b": "b", "13.0/sm_75/entry.a": "a",
		"12.4/sm_75/global_init.a": "a", "13.0/sm_75/global_init.b": "b",
		"12.4/sm_75/global.a": "", "13.0/sm_75/global_static_init.a": "", "13.0/sm_75/func_static.a": "",
	} {
		if objects[key] == nil {
			t.Fatalf("no object %s", key)
		}
		if got := stands(objects[key]); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
