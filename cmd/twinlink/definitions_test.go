package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"

	"github.com/twinlink/twinlink/corpus/definitions"
	"github.com/twinlink/twinlink/internal/ownwarnings"
)

// TestDefinitions links every question of corpus/definitions as nvlink did: the
// same exit status, messages and bytes. Where nvlink ended by a signal the link
// has to be refused.
func TestDefinitions(t *testing.T) {
	answers, err := definitions.Answers()
	if err != nil {
		t.Fatal(err)
	}
	objects, err := definitions.Objects()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	same, total := map[string]int{}, map[string]int{}
	known := definitions.Known()
	for i, q := range definitions.Questions() {
		want, ok := answers[q.ID()]
		if !ok || testing.Short() && i%7 != 0 {
			continue
		}
		total[q.Release]++
		fault := ask(t, q, objects, want)
		switch {
		case fault == "" && known[q.ID()]:
			t.Errorf("%s: as nvlink answered, yet it is listed as known to differ", q.ID())
		case fault != "" && !known[q.ID()]:
			t.Errorf("%s: %s", q.ID(), fault)
		case fault == "":
			same[q.Release]++
		}
	}
	for _, release := range []string{"11.8", "12.4", "13.0", "13.5"} {
		t.Logf("nvlink %s: %d of %d as it answered", release, same[release], total[release])
		if total[release] == 0 {
			t.Errorf("no question to nvlink %s", release)
		}
	}
}

// ask returns how the link differs from the answer, "" where it doesn't.
func ask(t *testing.T, q definitions.Question, objects map[string][]byte, want definitions.Answer) string {
	t.Helper()
	for i, key := range q.Objects {
		if err := os.WriteFile(definitions.InputName(i), objects[key], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Remove("out.cubin")
	var stdout, stderr bytes.Buffer
	exit := run(append([]string{"nvlink", "-toolkit=" + q.Release}, q.Args()...), streams{&stdout, &stderr})
	if want.Exit < 0 {
		if exit == 0 {
			return "linked, where nvlink ended by a signal"
		}
		return ""
	}
	hash := ""
	if out, err := os.ReadFile("out.cubin"); err == nil {
		sum := sha256.Sum256(out)
		hash = hex.EncodeToString(sum[:8])
	}
	said, _ := ownwarnings.Strip(stderr.String())
	switch {
	case exit != want.Exit:
		return "exit status differs; " + stderr.String()
	case said != want.Stderr:
		return "messages\n" + stderr.String() + "nvlink's\n" + want.Stderr
	case hash != want.Hash:
		return "output " + hash + ", nvlink's " + want.Hash
	}
	return ""
}
