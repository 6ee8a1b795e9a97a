package verify_test

import (
	"reflect"
	"testing"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/oracle/check"
)

// TestOptionsHaveOneSpelling: what the checker is asked with is in the
// engine's options under the same name, but for how strict the check is.
func TestOptionsHaveOneSpelling(t *testing.T) {
	link := reflect.TypeFor[engine.Options]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[check.Options]()) {
		if f.Name == "Strict" {
			continue
		}
		same, ok := link.FieldByName(f.Name)
		switch {
		case !ok:
			t.Errorf("check.Options.%s has no like in engine.Options", f.Name)
		case same.Type.Kind() != f.Type.Kind():
			t.Errorf("%s is %s for the checker and %s for the engine", f.Name, f.Type, same.Type)
		}
	}
}
