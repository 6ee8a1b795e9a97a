package merge_test

import (
	"testing"

	"github.com/twinlink/twinlink/internal/enginetest"
)

// What nvlink did of recorded links.
func TestRecordedLinks(t *testing.T) { enginetest.Recorded(t) }

func TestReachedLinks(t *testing.T) { enginetest.Reached(t) }

func TestAnswers(t *testing.T) { enginetest.Answers(t) }

func TestDefinitions(t *testing.T) { enginetest.Definitions(t, 7) }
