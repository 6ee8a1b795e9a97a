package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast computes the contrast of every pair of colours that text and
// ground have, in both themes, by WCAG 2.1: AA wants 4.5 to 1.
func TestContrast(t *testing.T) {
	light, rest, ok := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("the page has no dark theme")
	}
	dark, _, _ := strings.Cut(rest, "\n}\n")
	pairs := [][2]string{
		{"ink", "ground"}, {"ink", "panel"}, {"soft", "ground"}, {"soft", "panel"}, {"link", "ground"}, {"link", "panel"},
		{"good", "good-ground"}, {"bad", "bad-ground"}, {"doubt", "doubt-ground"}, {"calm", "calm-ground"}, {"ink", "bad-ground"}, {"ink", "doubt-ground"},
	}
	for name, theme := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(theme, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, p := range pairs {
			text, ground := colours[p[0]], colours[p[1]]
			if text == 0 && ground == 0 {
				t.Fatalf("%s: no colours %v", name, p)
			}
			if ratio := (max(text, ground) + 0.05) / (min(text, ground) + 0.05); ratio < 4.5 {
				t.Errorf("%s: %s on %s has contrast %.2f", name, p[0], p[1], ratio)
			}
		}
	}
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(colour, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
