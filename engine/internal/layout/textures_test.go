package layout_test

import (
	"testing"

	"github.com/twinlink/twinlink/internal/enginetest"
)

// Records of every type to images, on both sides: which ask for a slot, and what is there.
func TestImagesByType(t *testing.T) { enginetest.Vectors(t, 1, "/rela-tex0") }
