package mercury_test

import (
	"testing"

	"github.com/twinlink/twinlink/internal/enginetest"
)

// What nvlink did of recorded links.
func TestRecordedLinks(t *testing.T) { enginetest.Links(t) }

// Records of all types, one of many.
func TestVectors(t *testing.T) { enginetest.Vectors(t, 41) }
