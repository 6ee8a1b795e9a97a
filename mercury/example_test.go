package mercury_test

import (
	"fmt"

	"github.com/twinlink/twinlink/mercury"
)

// Make the SASS word of a record as ptxas 13.0 wrote it for sm_100. The bits of
// Schedule are the finalizer's: a record doesn't hold them, so the word that
// is in the file lends them.
func ExampleDecode() {
	record := []byte{0x01, 0x0b, 0x04, 0x0a, 0xf8, 0x00, 0x04, 0, 0, 0, 0x41, 0, 0, 0x04, 0, 0}
	there := []mercury.Word{{Hi: 0x000e300000000800, Lo: 0x0000df00ff017b82}} // LDC R1, c[0x0][0x37c]
	made, mask := make([]mercury.Word, 1), make([]mercury.Word, 1)
	if why := mercury.Decode(100, record, there, made, mask); why != mercury.Known {
		fmt.Println(why)
		return
	}
	fmt.Println("same:", (made[0].Lo^there[0].Lo)&mask[0].Lo == 0 && (made[0].Hi^there[0].Hi)&mask[0].Hi == 0)
	// Output:
	// same: true
}
