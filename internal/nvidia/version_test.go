package nvidia

import "testing"

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]string{
		"nvlink: NVIDIA (R) Cuda linker\nCuda compilation tools, release 11.8, V11.8.89\nBuild x\n": "11.8.89",
		"Cuda compilation tools, release 13.5, V13.5.37\r\n":                                        "13.5.37",
		"Cuda compilation tools, release 13.5, V13.5\n":                                             "",
		"x Cuda compilation tools, release 13.5, V13.5.1\n":                                         "",
		"Cuda compilation tools, release 1.2, V99999999999999999999.1.1\n":                          "",
		"": "",
	} {
		v, ok := parseVersion([]byte(text))
		if ok != (want != "") || ok && v.String() != want {
			t.Errorf("%q: %v, %v", text, v, ok)
		}
	}
}

func TestCompareReleases(t *testing.T) {
	order := []string{"nonsense", "9.2", "11.8", "12.4", "12.4.131", "12.10", "13.0"}
	for i, a := range order {
		for j, b := range order {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = +1
			}
			if got := compareReleases(a, b); got != want {
				t.Errorf("%s, %s: %d, want %d", a, b, got, want)
			}
		}
	}
}
