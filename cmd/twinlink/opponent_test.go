package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
)

// TestOpponent runs what nvlink and nvJitLink die of: twinlink links it or refuses it with a reason, and does nothing else.
func TestOpponent(t *testing.T) {
	names, err := filepath.Glob("../../corpus/testdata/opponent/*.txt")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d signatures, %v", len(names), err)
	}
	cases := map[string]*corpus.Case{}
	list, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range append(list, corpus.CasesOf(programs)...) {
		cases[c.ID()] = &c
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			release, says := "", ""
			var args, inputs []string
			var from *corpus.Case
			var data []byte
			write := func() {
				if len(inputs) == 0 {
					return
				}
				if err := os.WriteFile(inputs[len(inputs)-1], data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for line := range strings.Lines(string(text)) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
				value = strings.TrimSpace(value)
				switch key {
				case "nvlink", "nvjitlink":
					release = value
				case "options":
					args = strings.Fields(value)
				case "link":
					if from = cases[value]; from == nil {
						t.Fatalf("the corpus has no %s", value)
					}
				case "input":
					write()
					inputs, data = append(inputs, value), nil
					for _, in := range from.Inputs {
						if in.Name == value {
							data = bytes.Clone(in.Data)
						}
					}
				case "put":
					at, b, _ := strings.Cut(value, " ")
					offset, err := strconv.ParseUint(at, 0, 32)
					bytes, err2 := hex.DecodeString(b)
					if err != nil || err2 != nil || int(offset)+len(bytes) > len(data) {
						t.Fatalf("%q", line)
					}
					copy(data[offset:], bytes)
				case "cut":
					offset, err := strconv.ParseUint(value, 0, 32)
					if err != nil || int(offset) > len(data) {
						t.Fatalf("%q", line)
					}
					data = data[:offset]
				case "twinlink":
					says = value
				}
			}
			write()
			var stdout, stderr bytes.Buffer
			exit := run(append(append([]string{"nvlink", "-toolkit=" + release}, args...), append(inputs, "-o", "out.cubin")...), streams{&stdout, &stderr})
			if exit != 0 && !strings.Contains(stderr.String(), "nvlink ") {
				t.Errorf("refused without a reason: %q", stderr.String())
			}
			if (exit == 0) != (says == "links") {
				t.Errorf("exit %d, the file says %q: %s", exit, says, stderr.String())
			}
		})
	}
}
