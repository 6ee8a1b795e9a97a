package condition

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program that TWINLINK_CONDITIONS names a file to writes there what conditions did, beside what is there already.
func TestLog(t *testing.T) {
	const child = "TWINLINK_TEST_CHILD"
	if os.Getenv(child) != "" {
		Is(0, true)
		Is(1, false)
		Less(2, 1, 1)
		Is(9, true) // after the file's end
		return
	}
	name := filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(name, []byte{False, True, 0, Equal}, 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(file string) {
		t.Helper()
		c := exec.Command(os.Args[0], "-test.run=^TestLog$")
		c.Env = append(os.Environ(), child+"=1", "TWINLINK_CONDITIONS="+file, "TWINLINK_CONDITION=")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run(name)
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, []byte{False | True, False | True, Equal, Equal}) {
		t.Errorf("%v, %v", got, err)
	}
	run(filepath.Join(t.TempDir(), "none"))
}

// Without a fault a program may come to any number of conditions; with one it ends at the one that is one too many.
func TestLeft(t *testing.T) {
	defer func() { Seen, Fault, Left = nil, 0, 0 }()
	Seen = make([]byte, 2)
	Left = 1
	for range 5 {
		Is(0, true)
	}
	if Left != 1 || Seen[0] != True {
		t.Errorf("%d are left without a fault, %v", Left, Seen)
	}
	Fault, Left = 100, 3
	Is(1, true)
	Is(2, true) // no place in Seen
	defer func() {
		if r := recover(); r != "endless" || Left != 0 {
			t.Errorf("%v, %d left", r, Left)
		}
	}()
	Is(1, false)
	t.Error("it goes on")
}
