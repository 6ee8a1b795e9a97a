package mercury_test

import (
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/mercury"
)

func calls(t *testing.T) (all []sample) {
	t.Helper()
	b, err := os.ReadFile("testdata/calls.txt")
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(b)) {
		if l[0] != '#' {
			all = append(all, parseSample(t, l))
		}
	}
	if len(all) < 36 {
		t.Fatalf("only %d calls", len(all))
	}
	return all
}

// What the tools made of texture and surface records of sm_107, to the last bit but for the schedule
// and the place in bank 4; another bit anywhere is another word.
func TestCalls(t *testing.T) {
	d := mercury.Default().Decoder(107)
	for _, s := range calls(t) {
		want, mask := make([]mercury.Word, len(s.words)), make([]mercury.Word, len(s.words))
		if why := d.Decode(s.record, s.words, want, mask); why != mercury.Known {
			t.Errorf("%x: %q", s.record, why)
			continue
		}
		free := 0
		for i, w := range s.words {
			if (w.Lo^want[i].Lo)&mask[i].Lo|(w.Hi^want[i].Hi)&mask[i].Hi != 0 {
				t.Errorf("%x: word %d is %v, want %v", s.record, i, want[i], w)
			}
			if mask[i].Hi != ^uint64(mercury.Schedule) {
				t.Errorf("%x: mask %v", s.record, mask[i])
			}
			if mask[i].Lo == 1<<32-1 {
				free++
			} else if mask[i].Lo != ^uint64(0) {
				t.Errorf("%x: mask %v", s.record, mask[i])
			}
		}
		through := 0
		for _, w := range s.words {
			if w.Lo&0xfff == 0x343 {
				through++
			}
		}
		if free != through || through > 1 {
			t.Errorf("%x: %d words have bits that no record tells, %d calls go through bank 4", s.record, free, through)
		}
		if n := mercury.Default().Words(107, s.record); n != len(s.words)-2*through && n != len(s.words)-4*through {
			t.Errorf("%x: %d words, want %d", s.record, n, len(s.words))
		}
	}
}

// Where other words are there, or a record that no tool writes, the words aren't known.
func TestCallsUnknown(t *testing.T) {
	for _, s := range calls(t) {
		n := len(s.words)
		for _, n := range []int{0, 1, n - 1, n + 1, n + 3, n + 5} {
			if why := mercury.Decode(107, s.record, make([]mercury.Word, n), make([]mercury.Word, n), make([]mercury.Word, n)); why != mercury.Span {
				t.Errorf("%x with %d words: %q", s.record, n, why)
			}
		}
		if why := mercury.Decode(107, s.record, s.words, make([]mercury.Word, n), nil); why != mercury.Span {
			t.Errorf("%x without room: %q", s.record, why)
		}
	}
	record := func(s string) []byte { return parseSample(t, "107 "+s+" "+strings.Repeat("0", 32)+"\n").record }
	for text, want := range map[string]mercury.Reason{
		"023a0026f80044b25000000001f8070a00040900020000000000000000000000": mercury.Span,
		"023a0026f80044b25000000001f8070a000409c0ff0000000000000000000000": mercury.Operand, // URZ
		"02400014f8000800000001f8030a030a00020ec0ff0201000f00000000000000": mercury.Operand, // two results in a register
	} {
		if why := mercury.Decode(107, record(text), make([]mercury.Word, 1), make([]mercury.Word, 1), make([]mercury.Word, 1)); why != want {
			t.Errorf("%s: %q, want %q", text, why, want)
		}
		if n := mercury.Default().Words(107, record(text)); (n > 0) != (want == mercury.Span) {
			t.Errorf("%s: %d words", text, n)
		}
	}
}

func TestCallLines(t *testing.T) {
	const head = "form\t01000000\t107\t0.0\nmodel\t\t\nshape\t802\t0\t1\nconst\t00000000000000000000000000000802\n"
	for line, ok := range map[string]bool{
		"call\t6u118 5r86+1 8z s102 s\t86=4 86+1=5 p107": true,
		"call\t5r86\t-":    true,
		"call\t5r86":       false,
		"call\t5x86\t-":    false,
		"call\t5r250\t-":   false,
		"call\t64r86\t-":   false,
		"call\t5r86\tp252": false,
		"call\t5r86\t86":   false,
		"call\t5r86\t" + strings.Repeat("86=4 ", 17): false,
		"call\t" + strings.Repeat("s ", 17) + "\t-":  false,
	} {
		if _, err := mercury.Parse(head + line + "\n"); (err == nil) != ok {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := mercury.Parse(strings.Replace(head, "802\t0", "802 802\t0", 1) + "call\t5r86\t-\n"); err == nil {
		t.Error("a call of two words")
	}
}
