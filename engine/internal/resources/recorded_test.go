package resources_test

import (
	"testing"

	"github.com/twinlink/twinlink/internal/enginetest"
)

// What nvlink did of recorded links.
func TestRecordedLinks(t *testing.T) { enginetest.Links(t) }
