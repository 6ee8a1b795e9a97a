package claims

import (
	"errors"
	"strings"
	"testing"
)

// The text of a few claims, each with what it has.
func TestText(t *testing.T) {
	list := []Claim{
		{ID: "RC-001", Document: "d.txt", Place: "Here", System: "b", Statement: "It is so.", Verdict: Confirmed, By: []string{"test x Y", "reading"}, Reading: &Reading{"d.txt", "one", "e.txt", "two"}},
		{ID: "AG-002", Document: "e.txt", Place: "There", System: "a", Statement: "It is not.", Verdict: Refuted, Truth: "other", By: []string{"test x Z"}},
		{ID: "AG-003", Document: "e.txt", Place: "There", System: "a", Statement: "Who knows.", Verdict: Open, Truth: "a device", By: []string{"reason none"}},
	}
	want := `RC-001  confirmed  (d.txt, Here)
  It is so.
  by test x Y; reading
     d.txt: one
     e.txt: two

AG-002  refuted  (e.txt, There)
  It is not.
  = other
  by test x Z

AG-003  open  (e.txt, There)
  Who knows.
  = a device
  by reason none

  system  claims  confirmed  refuted  open  not-observable
       a       2          0        1     1               0
       b       1          1        0     0               0
     all       3          1        1     1               0
`
	var b strings.Builder
	if err := WriteText(&b, list); err != nil || b.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, b.String(), want)
	}
	if err := WriteText(broken{}, list); err == nil {
		t.Error("nothing could be written, and nobody is told")
	}
	if err := WriteSums(broken{}, nil); err == nil {
		t.Error("no sums could be written, and nobody is told")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// A filter has each of its fields; without any it takes all.
func TestFilter(t *testing.T) {
	list := []Claim{{ID: "1", System: "a", Verdict: Open}, {ID: "2", System: "b", Verdict: Open}, {ID: "3", System: "a", Verdict: Refuted}}
	for want, f := range map[string]Filter{"123": {}, "13": {System: "a"}, "12": {Verdict: Open}, "1": {"a", Open}, "": {"b", Refuted}} {
		got := ""
		for _, c := range f.Apply(list) {
			got += c.ID
		}
		if got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
	if got := strings.Join(Systems(list), " "); got != "a b" {
		t.Error(got)
	}
}

// A row that is none is identified by its line.
func TestLines(t *testing.T) {
	row := strings.Join([]string{"RC-001", "d", "p", "s", "what", "k", "open", "why", "a; b"}, "\t")
	list, err := parse(columns + "\n" + row + "\n")
	if err != nil || len(list) != 1 || list[0].Truth != "why" || list[0].Kind != "k" || strings.Join(list[0].By, "+") != "a+b" || list[0].Place != "p" || list[0].Statement != "what" || list[0].System != "s" || list[0].Document != "d" {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		columns + "\n" + row + "\na\tb": "claims.tsv:3: 2 columns", columns + "\n" + strings.Replace(row, "open", "maybe", 1): `claims.tsv:2: verdict "maybe"`, "id": `claims.tsv: the first line is "id"`,
		columns + "\n" + row + "\tmore": "claims.tsv:2: 10 columns",
	} {
		if _, err := parse(text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	read := []Claim{{ID: "RC-001", By: []string{"x", "reading"}}}
	good := "RC-001\ta.txt\tx\tb.txt\ty"
	if err := addReadings(read, readingColumns+"\n"+good+"\n"); err != nil || *read[0].Reading != (Reading{"a.txt", "x", "b.txt", "y"}) {
		t.Errorf("%+v, %v", read[0].Reading, err)
	}
	for text, want := range map[string]string{
		readingColumns + "\n" + good + "\n" + good: "readings.tsv:3: not an id and two places", readingColumns + "\n" + good + "\nRC-002" + good[6:]: "readings.tsv: RC-002 is not decided by reading",
		readingColumns + "\nRC-002" + good[6:]: "RC-001: by reading, but readings.tsv has no locations",
	} {
		if err := addReadings(read, text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
