package check

import "testing"

// A whole small link is to take less than 5 ms.
func BenchmarkCheckSmall(b *testing.B) { benchmark(b, "calls/13.0-sm_90a") }

func BenchmarkCheckRandom(b *testing.B) { benchmark(b, "random_4/12.4-sm_89") }

func benchmark(b *testing.B, id string) {
	c := caseOf(b, id)
	inputs, options := inputsOf(c), optionsOf(c)
	b.SetBytes(int64(len(c.Output)))
	b.ReportAllocs()
	for b.Loop() {
		if v := Check(inputs, c.Output, options); !v.Agrees() {
			b.Fatal(v)
		}
	}
}
