package relocs

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// Numbers are in the files as JSON numbers below 1024 and as hexadecimal
// strings from there on, since most readers of JSON lose bits above 2^53.

// Number is an unsigned 64-bit number.
type Number uint64

// MarshalJSON writes 17 or "0x1234".
func (n Number) MarshalJSON() ([]byte, error) {
	if n < 1024 {
		return strconv.AppendUint(nil, uint64(n), 10), nil
	}
	return fmt.Appendf(nil, `"0x%x"`, uint64(n)), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (n *Number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return err
	}
	*n = Number(v)
	if again, _ := n.MarshalJSON(); string(again) != string(b) {
		return fmt.Errorf("number %s is not in canonical form, %s", b, again)
	}
	return nil
}

// Signed is a signed 64-bit number: -3, "0x1234", "-0x1234".
type Signed int64

// MarshalJSON writes the number.
func (n Signed) MarshalJSON() ([]byte, error) {
	if n >= 0 {
		return Number(n).MarshalJSON()
	}
	if n > -1024 {
		return strconv.AppendInt(nil, int64(n), 10), nil
	}
	return fmt.Appendf(nil, `"-0x%x"`, -uint64(n)), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and nothing else.
func (n *Signed) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		s = s[1 : len(s)-1]
	}
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return err
	}
	*n = Signed(v)
	if again, _ := n.MarshalJSON(); string(again) != string(b) {
		return fmt.Errorf("number %s is not in canonical form, %s", b, again)
	}
	return nil
}

// Hex is bytes as hexadecimal digits.
type Hex []byte

// MarshalText writes the digits.
func (h Hex) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h), nil }

// UnmarshalText reads digits.
func (h *Hex) UnmarshalText(b []byte) error {
	out, err := hex.AppendDecode(nil, b)
	*h = out
	return err
}
