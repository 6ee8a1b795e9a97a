package nv50

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// known are questions and the readings of which all sides are one, worked out by hand from the page.
var known = []struct {
	question string
	given    string // NAME=VALUE ...
	want     string // of the last reading but one: the formula, where terms are grouped
	prose    string // of the last, where it is another one
}{
	// Thread (1*4+2)*8+3 = 51 is lane 19 of warp 1; blocks have 0x200 bytes, 2 MPs 0x400, 32 warps 0x8000, 3 TPs 0x18000:
	// 0x18000 + 2*0x8000 + 5*0x400 + 0x200, and inside of the block 0x100 + 0x40 + 3*4.
	{"where", "block=8,4,2 tid=3,2,1 threads=64 word=5 warp=4 mp=1 tp=2 tps=7 mps=3", "warp 5, lane 19, 0x2974c", ""},
	// With 16 lanes 51 is lane 3 of warp 3, and each block has 0x100 bytes: 0xc000 + 2*0x4000 + 7*0x200 + 0x100 + 0x4c.
	{"where", "block=8,4,2 tid=3,2,1 threads=64 word=5 warp=4 mp=1 tp=2 tps=7 mps=3 warp-halves=1", "warp 7, lane 3, 0x14f4c", ""},
	{"where", "block=8,4,2 tid=3,3,1 threads=59", "no such thread is launched", "not launched"},
	{"where", "block=8,4,2 tid=0,0,0 threads=65", "no such thread is launched", "not launched"},
	// 0x4744 / 0x200 = 35, one MP and 32 warps: warp 3 of the second row of blocks.
	{"local-of", "address=0x4744", "position 0x14 byte 0 of lane 17, warp 3, MP 0, TP 0", ""},
	{"local-of", "address=0x2974c mps=3 tps=7", "position 0x14 byte 0 of lane 19, warp 5, MP 1, TP 2", ""},
	// Four TPs: 0x2974e is in the second row of blocks, of the second TP, of the second MP.
	{"local-of", "address=0x2974e mps=0xa tps=0x8421", "position 0x16 byte 0 of lane 19, warp 5, MP 3, TP 5", ""},
	// 0x47c / 0x40 = 17, then the second MP, then 0x1c: the fourth entry's second word.
	{"stack-of", "address=0x47c mps=3 tps=3", "position 0x3 byte 4 of lane 0, warp 17, MP 1, TP 0", ""},
	{"stack-of", "address=0xc41 mps=3 tps=5 warps-log=4", "position 0x4 byte 1 of lane 0, warp 1, MP 0, TP 2", ""},
	// Entry 6 is the third of the second row: 2*8 + 3*0x800 + 2*0x800 + 3*0x40 + 0x20.
	{"stack", "entry=6 tps=7 mps=3 tp=2 mp=1 warp=3", "0x28f0", ""},
	{"thread", "tid=1,2,2 threads=24", "warp 1 of the block, lane 1", "not launched"},
	{"thread", "tid=1,2,2 lanes=32 threads=24", "warp 0 of the block, lane 17", "not launched"},
	{"thread", "tid=1,2,3 threads=25", "not launched", ""},
	{"physid", "lane=5 warp=31 mp=2 tp=10", "0xa21f05", ""},
	{"physid-of", "physid=0x00a21f05", "lane 5, warp 31, MP 2, TP 10", ""},
	{"physid-of", "physid=0xff0ce0e0", "lane 0, warp 0, MP 0, TP 0", ""},
	{"entry-of", "word0=0x42c00010 word1=0xff", "call without 0x40 in second word, address 0x40, bits 1 and 2 of the number 6, warp 2, active 0xff", ""},
	{"entry-of", "word0=0x7f400001 word1=1", "call with 0x40 in second word, address 0x4, bits 1 and 2 of the number 2, warp 31, active 0x1", ""},
	{"entry-of", "word0=0xc2800010", "joinat, address 0x40, bits 1 and 2 of the number 4, warp 2, active 0x0", ""},
	{"entry-of", "word0=0xe03fffff", "unknown, address 0xfffffc, bits 1 and 2 of the number 0, warp 0, active 0x0", ""},
	{"upload", "buffer=5 addr=0x100 words=3", "CB_ADDR 0x4005, 3 words, the last at 0x108", ""},
	{"upload", "buffer=5 addr=0xfff8 words=3", "CB_ADDR 0x3ffe05, 2 words, then the address overflows, the last at 0xfffc", ""},
	{"upload", "buffer=0x7f addr=4 words=0", "CB_ADDR 0x17f, 0 words", ""},
	{"shared", "parameters=2", "gridid 0x0, ntid.x 0x2, ntid.y 0x4, ntid.z 0x6, nctaid.x 0x8, nctaid.y 0xa, ctaid.x 0xc, ctaid.y 0xe, parameter 0 0x10, parameter 1 0x14", ""},
	// x is 0x43 and y 5: the second row of tiles, the second tile, its second line, byte 3. A row of tiles is 4 lines.
	{"global", "reg=0x50043 base=0x1000 limit=0x50043", "0x1243", "0x1543"},
	{"global", "reg=0x50043 base=0x1000 limit=0x40043", "0x1243, out of bounds", "0x1543, out of bounds"},
	{"global", "reg=0x50043 base=0x1000 limit=0x50042", "0x1243, out of bounds", "0x1543, out of bounds"},
	{"global", "reg=0x50043 base=0x1000 mode=1", "0x1343", ""}, // 8 lines: the first row of tiles, 5*0x40 + 8*0x40 + 3
	{"global", "reg=0x43 base=0xfffffffff0 linear=true limit=0x43 pitch=1", "0x10000000033", ""},
	{"global", "reg=0x43 linear=true limit=0x42", "0x43, out of bounds", ""},
}

func parsed(text string) map[string]string {
	given := map[string]string{}
	for _, f := range strings.Fields(text) {
		name, value, _ := strings.Cut(f, "=")
		given[name] = value
	}
	return given
}

func TestKnown(t *testing.T) {
	for _, k := range known {
		a, err := question(t, k.question).Ask(parsed(k.given))
		if err != nil {
			t.Errorf("%s %s: %v", k.question, k.given, err)
			continue
		}
		last := len(a.Readings) - 1
		first, prose := a.Readings[last-1].Value, k.prose
		if prose == "" {
			prose = k.want
		}
		if first != k.want || a.Readings[last].Value != prose {
			t.Errorf("%s %s: %+v", k.question, k.given, a.Readings)
		}
	}
}

// most has what each value may be at most.
var most = map[string]uint64{
	"warp": 31, "mp": 3, "tp": 15, "tps": 0xffff, "mps": 0xf, "warps-log": 7, "lane": 31, "warp-halves": 2, "lane-enable": 1,
	"word": 0x3fff, "threads": 512, "addr": 0xffff, "entry": 1 << 20, "address": 0xffffffff, "lanes": 32, "physid": 0xffffffff,
	"word0": 0xffffffff, "word1": 0xffffffff, "buffer": 127, "words": 1 << 15, "parameters": 64, "reg": 0xffffffff, "pitch": 0x800000,
	"limit": 0xffffffff, "mode": 7, "base": 1<<64 - 1,
}

// TestMost asks with the largest value of each kind, and with one more.
func TestMost(t *testing.T) {
	for i := range Questions {
		q := &Questions[i]
		for _, p := range q.Params {
			n, ok := most[p.Name]
			if !ok {
				continue
			}
			if q.Name == "upload" && p.Name == "addr" {
				n -= 3 // the last word
			}
			var value *ValueError
			if _, err := q.Ask(map[string]string{p.Name: fmt.Sprint(n)}); err != nil {
				t.Errorf("%s --%s=%d: %v", q.Name, p.Name, n, err)
			}
			next := fmt.Sprint(n + 1)
			if n == 1<<64-1 {
				next = "18446744073709551616"
			}
			if _, err := q.Ask(map[string]string{p.Name: next}); !errors.As(err, &value) || value.Param != p.Name || value.Value != next {
				t.Errorf("%s --%s=%s: %v", q.Name, p.Name, next, err)
			}
		}
	}
	for _, c := range []struct {
		question, given, param string // "" for none
	}{
		{"thread", "block=512,1,1 tid=511,0,0 threads=512", ""}, {"thread", "block=1,512,1 tid=0,511,0", ""}, {"thread", "block=1,1,64 tid=0,0,63", ""},
		{"thread", "block=513,1,1", "block"}, {"thread", "block=1,513,1", "block"}, {"thread", "block=1,1,65", "block"},
		{"thread", "tid=512,0,0", "tid"}, {"thread", "tid=0,512,0", "tid"}, {"thread", "tid=0,0,64", "tid"}, {"thread", "block=1,1", "block"}, {"thread", "tid=0,0,0,0", "tid"},
		{"thread", "block=256,256,1 tid=0,0,0", ""}, {"thread", "block=257,256,1", "block"}, {"thread", "lanes=17", "lanes"},
		{"where", "tps=0", "tps"}, {"where", "mps=0", "mps"}, {"where", "block=1,1,65", "block"}, {"where", "tid=0,0,64", "tid"},
		{"upload", "addr=2", "addr"}, {"global", "pitch=0x180", "pitch"}, {"global", "pitch=0x200", ""}, {"global", "pitch=0x180 linear=true", ""},
	} {
		_, err := question(t, c.question).Ask(parsed(c.given))
		var value *ValueError
		if errors.As(err, &value); (err == nil) != (c.param == "") || err != nil && value.Param != c.param {
			t.Errorf("%s %s: %v", c.question, c.given, err)
		}
	}
}

// TestSides asks every question with values drawn at random: both sides say the same, or what they part over is named.
func TestSides(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 3))
	for i := range Questions {
		q := &Questions[i]
		agree, part := 0, 0
		for range 150 {
			given := map[string]string{}
			for _, p := range q.Params {
				switch n := most[p.Name]; p.Name {
				case "block":
					given[p.Name] = fmt.Sprintf("%d,%d,%d", 1+r.IntN(8), 1+r.IntN(8), 1+r.IntN(4))
				case "tid":
					given[p.Name] = fmt.Sprintf("%d,%d,%d", r.IntN(8), r.IntN(8), r.IntN(4))
				case "threads":
					given[p.Name] = fmt.Sprint(1 + r.IntN(64))
				case "nva0", "no-clamp", "linear":
					given[p.Name] = fmt.Sprint(r.IntN(4) > 0)
				case "tps", "mps":
					given[p.Name] = fmt.Sprint(1 + r.Uint64N(n))
				case "entry", "words":
					given[p.Name] = fmt.Sprint(r.Uint64N(n >> 6)) // the prose counts
				case "addr", "pitch":
					given[p.Name] = fmt.Sprint(r.Uint64N(n) &^ 0xff)
				case "lane":
					given[p.Name] = fmt.Sprint(r.Uint64N(16)) // there with either width
				case "lanes":
					given[p.Name] = fmt.Sprint(16 << r.IntN(2))
				case "base":
					given[p.Name] = fmt.Sprint(r.Uint64() >> 24)
				case "reg":
					given[p.Name] = fmt.Sprint(r.Uint32() & 0x3ff03ff)
				case "address":
					given[p.Name] = fmt.Sprint(r.Uint64N(1 << (1 + r.IntN(32))))
				default:
					given[p.Name] = fmt.Sprint(r.Uint64N(n + 1))
				}
			}
			a, err := q.Ask(given)
			if err != nil {
				t.Fatalf("%s %v: %v", q.Name, given, err)
			}
			last := len(a.Readings) - 1
			same := a.Readings[last-1].Value == a.Readings[last].Value
			named := slices.ContainsFunc(a.Why, func(w string) bool { return w != "local-precedence" })
			if same {
				agree++
			} else if part++; !named {
				t.Errorf("%s %v: %+v", q.Name, given, a)
			}
		}
		t.Logf("%s: %d agree, %d part", q.Name, agree, part)
		if agree == 0 {
			t.Errorf("%s: both sides never agree", q.Name)
		}
	}
}
