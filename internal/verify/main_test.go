package verify_test

import (
	"testing"

	"github.com/twinlink/twinlink/internal/nvjitlink/nvjitlinktest"
)

func TestMain(m *testing.M) { nvjitlinktest.Main(m) }
