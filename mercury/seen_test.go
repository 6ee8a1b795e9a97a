package mercury

import "testing"

// A line of the table of what was seen that has too few fields is an error.
func TestSeenRefuses(t *testing.T) {
	for _, line := range []string{"plain\t1", "tag\t1\t2", "regs\t1", "nothing\t1\t2\t3", "plain", "plain\t1\t2\t3\t4\t5\t6"} {
		if _, err := parseSeen(line + "\n"); err == nil {
			t.Errorf("accepted %q", line)
		}
	}
}
