package mercury_test

import (
	"testing"

	"github.com/twinlink/twinlink/witness/witnesstest"
)

func TestMain(m *testing.M) { witnesstest.Main(m) }
