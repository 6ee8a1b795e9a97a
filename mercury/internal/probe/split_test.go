package probe_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// Two records of which nvlink 13.0 dies stand among others: all others are answered, and that takes no more links than
// halving does. What each kind of node comes back as is told.
func TestCulprits(t *testing.T) {
	replay.Both(t, "testdata/culprits.gz", []string{"13.0"}, func(t *testing.T) {
		o, err := probe.NewOracle(t.Context(), find(t), "13.0", "sm_103")
		if err != nil {
			t.Fatal(err)
		}
		good := unhex(t, "024e5232f80000460300000001f803010082010a000201020100000000000000")
		bad := bytes.Clone(good)
		bad[1], bad[2], bad[3] = 0xff, 0xff, 0xff
		word := unhex(t, "01730500000000000000000000244e00") // BREV R5, R0
		nodes := make([]probe.Node, 24)
		for i := range nodes {
			nodes[i].Record = good
		}
		nodes[1] = probe.Node{Words: word}
		nodes[5].Record, nodes[23].Record = bad, bad
		o.Budget = &probe.Budget{Left: 40}
		answers, err := o.Ask(t.Context(), nodes)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			want := byte('R')
			switch i {
			case 1:
				want = 'P'
			case 5, 23:
				want = 'C'
			}
			if a.Kind != want {
				t.Errorf("node %d: %c, want %c", i, a.Kind, want)
			}
			if want == 'R' && !bytes.Equal(a.Record, good) || want == 'P' && (!bytes.Equal(a.Words[:8], word[:8]) || len(a.Record) > 0) {
				t.Errorf("node %d: %x %x", i, a.Record, a.Words)
			}
		}
		// Each crash is a link, and of all parts the last isn't asked where what was before it is innocent.
		if o.Crashes != 6 || o.Links != 14 || o.Budget.Left != 40-o.Links {
			t.Errorf("%d links, %d crashes, %d left", o.Links, o.Crashes, o.Budget.Left)
		}
		o.Budget.Left = 0
		if _, err := o.Ask(t.Context(), nodes[:1]); !errors.Is(err, probe.ErrBudget) {
			t.Errorf("without a link left: %v", err)
		}
	})
}

// A word that nvlink has no instruction for, or of which a size is wrong, has no record, and spoils no other.
func TestReaderCulprits(t *testing.T) {
	replay.Both(t, "testdata/readerculprits.gz", []string{"13.5"}, func(t *testing.T) {
		r, err := probe.NewReader(t.Context(), find(t), "13.5", "sm_120")
		if err != nil {
			t.Fatal(err)
		}
		r.Budget = &probe.Budget{Left: 100}
		brev := unhex(t, "01730500000000000000000000244e00")
		none := unhex(t, "ffffffffffffffffffffffffff244e00")
		words := [][]byte{brev, none, brev, brev, brev}
		got, err := r.Records(t.Context(), words, []int{16, 16, 16, 32, 16})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{true, false, true, false, true} {
			if (got[i] != nil) != want || want && !bytes.Equal(got[i], unhex(t, "0106000af80004000000410100000000")) {
				t.Errorf("word %d: %x", i, got[i])
			}
		}
		if r.Links == 0 || r.Budget.Left != 100-r.Links {
			t.Errorf("%d links, %d left", r.Links, r.Budget.Left)
		}
		r.Budget.Left = 0
		if _, err := r.Records(t.Context(), words[:1], []int{16}); !errors.Is(err, probe.ErrBudget) {
			t.Errorf("without a link left: %v", err)
		}
		if got, err := r.Records(t.Context(), nil, nil); err != nil || len(got) != 0 {
			t.Errorf("nothing: %x, %v", got, err)
		}
	})
}

// An nvlink that goes on for ever costs as many links as it takes time.
func TestHangs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processor time is limited on Linux")
	}
	replay.Use(t, "testdata/hangs.gz", "13.5")
	// Whatever is linked hangs; the template is ptxas's.
	name := filepath.Join(os.Getenv("TWINLINK_WITNESS"), "13.5", nvidia.Nvlink)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	loops := strings.Replace(string(text), "#!/bin/sh\n", "#!/bin/sh\n[ \"$1\" = --version ] || while :; do :; done\n", 1)
	if err := os.WriteFile(name, []byte(loops), 0o755); err != nil {
		t.Fatal(err)
	}
	o, err := probe.NewOracle(t.Context(), find(t), "13.5", "sm_100")
	if err != nil {
		t.Fatal(err)
	}
	o.Budget = &probe.Budget{Left: 150}
	answers, err := o.Ask(t.Context(), []probe.Node{{Span: 1}})
	if err != nil || len(answers) != 1 || answers[0].Kind != 'H' || o.Budget.Left != 50 || o.Crashes != 1 {
		t.Errorf("%+v, %v, %d left, %d crashes", answers, err, o.Budget.Left, o.Crashes)
	}
}
