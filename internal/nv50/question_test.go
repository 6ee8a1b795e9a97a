package nv50

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func question(t testing.TB, name string) *Question {
	t.Helper()
	for i := range Questions {
		if Questions[i].Name == name {
			return &Questions[i]
		}
	}
	t.Fatalf("no question %s", name)
	return nil
}

// shows has, for each contradiction, a question in which the two sides part over
// it, and the values that the page's two places give.
var shows = map[string]struct {
	question string
	given    map[string]string
	formula  string // of the first reading
	prose    string // of the last
}{
	"local-precedence":   {"local", map[string]string{"addr": "4", "lane": "17"}, "0x1044", "0x144"},
	"grouping-alignment": {"stack", map[string]string{"mps": "7", "nva0": "false", "warp": "1"}, "0x60", "0x80"},
	"lanes-of-a-block":   {"local", map[string]string{"lane-enable": "0", "warp": "1"}, "0x2000", "0x100"},
	"warp-bits":          {"stack", map[string]string{"warps-log": "5", "warp": "1"}, "0x20", "none: 5 bits for the warp id: valid are 0 to 4, and 7 for 5"},
	"clamp":              {"stack", map[string]string{"warps-log": "1", "warp": "3"}, "0x20", "none: the warp's id doesn't fit, and such warps are not run"},
	"inactive":           {"stack", map[string]string{"tps": "5", "tp": "1"}, "0x400", "none: the TP or MP is not active"},
	"through":            {"thread", map[string]string{"tid": "0,1,0"}, "warp 0 of the block, lane 2", "warp 0 of the block, lane 3"},
	"pitch":              {"global", map[string]string{"reg": "0x40000"}, "0x100", "0x400"},
}

// TestContradictions shows every contradiction, with the values worked out by
// hand from the page's two places.
func TestContradictions(t *testing.T) { // NV-052 NV-053 NV-054 NV-057 NV-059 NV-060 NV-062 NV-068 NV-069 NV-091 NV-095 NV-106 NV-110 NV-048 NV-049 NV-097
	for _, c := range Contradictions {
		s, ok := shows[c.ID]
		if !ok {
			t.Errorf("%s: nothing shows it", c.ID)
			continue
		}
		a, err := question(t, s.question).Ask(s.given)
		if err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		first, last := a.Readings[0].Value, a.Readings[len(a.Readings)-1].Value
		if a.Agree || !slices.Contains(a.Why, c.ID) || first != s.formula || last != s.prose {
			t.Errorf("%s: %+v", c.ID, a)
		}
	}
	if len(shows) != len(Contradictions) {
		t.Errorf("%d contradictions, %d shown", len(Contradictions), len(shows))
	}
}

// TestExample is the page's own table: blockdim 2, 3, 4, 21 threads, 16 lanes.
func TestExample(t *testing.T) { // NV-094 NV-097
	for tid, want := range map[string]string{
		"0,0,0": "warp 0 of the block, lane 0", "1,2,0": "warp 0 of the block, lane 5", "1,1,2": "warp 0 of the block, lane 15",
		"0,2,2": "warp 1 of the block, lane 0", "1,2,2": "warp 1 of the block, lane 1", "0,1,3": "warp 1 of the block, lane 4",
		"1,1,3": "not launched", "0,2,3": "not launched", "1,2,3": "not launched",
	} {
		a, err := question(t, "thread").Ask(map[string]string{"tid": tid})
		if err != nil || a.Readings[0].Value != want || a.Readings[1].Value != want {
			t.Errorf("%s: %+v, %v", tid, a, err)
		}
	}
}

// TestAsk asks every question with its defaults, and with what it can't read.
func TestAsk(t *testing.T) {
	for i := range Questions {
		q := &Questions[i]
		if a, err := q.Ask(nil); err != nil || len(a.Readings) < 2 {
			t.Errorf("%s: %+v, %v", q.Name, a, err)
		}
		for _, p := range q.Params {
			for _, bad := range []string{"", "x", "-1", "99999999999999999999"} {
				var value *ValueError
				if _, err := q.Ask(map[string]string{p.Name: bad}); !errors.As(err, &value) || value.Param != p.Name {
					t.Errorf("%s --%s=%q: %v", q.Name, p.Name, bad, err)
				}
			}
		}
	}
}

func Example() {
	for _, q := range Questions {
		if q.Name != "local" {
			continue
		}
		answer, err := q.Ask(map[string]string{"addr": "0x14", "lane": "17", "warp": "3"})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, r := range answer.Readings {
			fmt.Printf("%-24s %s\n", r.Side, r.Value)
		}
	}
	// Output:
	// formula, as C reads it   0x47044
	// formula, terms grouped   0x4744
	// prose                    0x4744
}
