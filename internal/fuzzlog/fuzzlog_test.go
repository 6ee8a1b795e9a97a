package fuzzlog

import (
	"errors"
	"testing"
	"time"
)

const passed = `fuzz: github.com/twinlink/twinlink/fuzz FuzzRelocation, 5000x
fuzz: elapsed: 0s, gathering baseline coverage: 0/12 completed
fuzz: elapsed: 0s, gathering baseline coverage: 12/12 completed, now fuzzing with 2 workers
fuzz: elapsed: 3s, execs: 3210 (1070/sec), new interesting: 4 (total: 16)
fuzz: elapsed: 4s, execs: 5000 (1790/sec), new interesting: 5 (total: 17)
PASS
ok  	github.com/twinlink/twinlink/fuzz	4.6s
fuzz: FuzzRelocation: 1250 a second, agree 4800, both refuse 200
`

const crashed = `fuzz: elapsed: 0s, execs: 1 (0/sec), new interesting: 0 (total: 1)
--- FAIL: FuzzLink (0.10s)
    --- FAIL: FuzzLink (0.00s)
        x_test.go:1: differs
    Failing input written to testdata/fuzz/FuzzLink/0123
`

func TestParse(t *testing.T) {
	list, err := Parse([]byte(passed + crashed))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d targets, %v", len(list), err)
	}
	list, err = Parse([]byte(passed))
	if err != nil {
		t.Fatal(err)
	}
	r := list[0]
	if r.Name != "FuzzRelocation" || len(r.Samples) != 2 || r.Samples[1] != (Sample{4 * time.Second, 5000, 17}) || r.Failure != "" {
		t.Errorf("%+v", r)
	}
	if len(r.Verdicts) != 2 || r.Verdicts[1] != (Verdict{"both refuse", 200}) {
		t.Errorf("verdicts %+v", r.Verdicts)
	}
	list, err = Parse([]byte(crashed))
	if err != nil || list[0].Name != "FuzzLink" || list[0].Failure != "testdata/fuzz/FuzzLink/0123" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "ok\n", "{}", "fuzz: elapsed: x, execs: 1 (0/sec), new interesting: 0 (total: 1)"} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
