package condition

import "testing"

func TestFaults(t *testing.T) {
	defer func() { Seen, Fault = nil, 0 }()
	Seen = make([]byte, 3)
	orders := []func(n, a, b int) bool{Less[int], LessEqual[int], Greater[int], GreaterEqual[int]}
	sound := func(a, b int) []bool { return []bool{a < b, a <= b, a > b, a >= b} }
	for fault := 0; fault <= 9; fault++ {
		Fault, Left = fault, 1000
		for _, v := range []bool{false, true} {
			want := v
			switch fault {
			case 4:
				want = false
			case 5:
				want = true
			}
			if got := Is(1, v); got != want {
				t.Errorf("fault %d: %t is %t", fault, v, got)
			}
		}
		for a := range 3 {
			for k, order := range orders {
				want := sound(a, 1)[k] != (fault == 9 && a == 1)
				if got := order(2, a, 1); got != want {
					t.Errorf("fault %d: comparison %d of %d is %t", fault, k, a, got)
				}
			}
		}
	}
	if Seen[0] != 0 || Seen[1] != False|True || Seen[2] != Equal {
		t.Errorf("seen %v", Seen)
	}
}

func TestEndless(t *testing.T) {
	defer func() {
		Fault = 0
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Fault, Left = 1, 10
	for Is(1, true) {
	}
}
