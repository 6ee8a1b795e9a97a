package onerecord

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle"
)

// sample is how many experiments a release gets without being asked for more.
const sample = 150

func wanted() int {
	if n, err := strconv.Atoi(os.Getenv("TWINLINK_EXPERIMENTS")); err == nil && n > 0 {
		return n
	}
	return sample
}

var machines = map[oracle.Release][]int{118: {52, 75, 90}, 124: {52, 61, 70, 75, 90}, 130: {75, 90, 100}, 135: {75, 90, 100}}

// TestOneRecordLinks runs random experiments: types in turn, everything else
// drawn so that every bit, sign, carry and lane is reached.
func TestOneRecordLinks(t *testing.T) {
	for _, release := range []oracle.Release{118, 124, 130, 135} {
		t.Run(folders[release], func(t *testing.T) {
			if witness(release) == "" {
				t.Skip("no witness")
			}
			bases := map[int][]byte{}
			for _, sm := range machines[release] {
				bases[sm] = compile(t, release, sm)
			}
			run(t, bases, draw(t, release, bases))
		})
	}
}

// run checks experiments in two workers.
func run(t *testing.T, bases map[int][]byte, list []experiment) {
	queue := make(chan experiment)
	var done sync.WaitGroup
	var lock sync.Mutex
	dispositions := map[oracle.Action]int{}
	for range 2 {
		dir := t.TempDir()
		done.Go(func() {
			for x := range queue {
				err := x.check(dir, bases[x.sm])
				disposition, _ := oracle.DispositionOf(x.number, x.symbol.kind, x.release, x.sm)
				lock.Lock()
				dispositions[disposition.Action]++
				lock.Unlock()
				if err != nil {
					t.Errorf("%s: %v", x, err)
				}
			}
		})
	}
	for _, x := range list {
		queue <- x
	}
	close(queue)
	done.Wait()
	t.Logf("%d experiments: %v", len(list), dispositions)
}

// draw makes the list of a release.
func draw(t *testing.T, release oracle.Release, bases map[int][]byte) []experiment {
	r := rand.New(rand.NewPCG(uint64(release), 1))
	values := map[string]uint64{}
	var list []experiment
	kinds := len(machines[release])
	for i := range wanted() {
		x := experiment{release: release, sm: machines[release][i%kinds], rela: r.IntN(2) == 0}
		x.symbol = symbols[r.IntN(len(symbols))]
		if r.IntN(3) > 0 {
			x.symbol = symbols[r.IntN(2)]
		}
		x.preserve = r.IntN(6) == 0 && !x.mercury()
		x.number = uint32(i/kinds) % (cuda.RelocCount - 1)
		x.at = uint64(r.IntN(8)) * 16
		if r.IntN(4) == 0 {
			x.at = uint64(r.IntN(100))
		}
		if x.mercury() {
			x.rela = true
			x.number = cuda.MercuryBase + uint32(i/kinds)%cuda.MercuryRelocCount
			x.at = uint64(r.IntN(17))
			if x.symbol.name == ".nv.constant3" {
				x.symbol = symbols[0]
			}
		}
		if x.rela {
			x.addend = int64(number(r))
		}
		for j := range x.old {
			x.old[j] = byte(number(r))
		}
		x.bank = 3
		if !x.mercury() && r.IntN(4) > 0 {
			x.bank = uint32(r.IntN(34))
		}
		avoid(&x)
		switch {
		case x.symbol.name == "cvar":
			for x.value = number(r); x.value == math.MaxUint64; {
				x.value = number(r)
			}
		case x.symbol.name == "ginit":
			x.value = 16 // after fptab
		case x.symbol.probed:
			x.value = probe(t, values, x, bases[x.sm])
		}
		list = append(list, x)
	}
	return list
}

// avoid steers clear of three rules of the link that have nothing to do with
// the record: bank 2 belongs to the compiler, its variables are moved into
// their functions' banks; a symbol value of all ones means not yet placed; and
// --preserve-relocs brings shared variables into the output, so that records
// against them can be kept.
func avoid(x *experiment) {
	if x.bank == 2 {
		x.bank = 34
	}
	disposition, _ := oracle.DispositionOf(x.number, x.symbol.kind, x.release, x.sm)
	if disposition.Action != oracle.Patches || x.symbol.kind == oracle.Texture {
		x.preserve = false
	}
}

// number draws a 64-bit number: an edge, a single byte lane, or anything.
func number(r *rand.Rand) uint64 {
	edges := []uint64{0, 1, 0x38, math.MaxInt32, 1 << 31, math.MaxUint32, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 7}
	switch r.IntN(3) {
	case 0:
		return edges[r.IntN(len(edges))]
	case 1:
		return 0xff << (8 * r.IntN(8))
	}
	return r.Uint64()
}

// probe asks the linker for the value it gives a symbol: 16 bits patched over
// zero by a type that is sure to be applied.
func probe(t *testing.T, known map[string]uint64, x experiment, base []byte) uint64 {
	key := strconv.Itoa(x.sm) + x.symbol.name + strconv.FormatBool(x.preserve)
	if value, ok := known[key]; ok {
		return value
	}
	p := experiment{release: x.release, sm: x.sm, number: cuda.R_CUDA_ABS16_32, rela: true, symbol: x.symbol, bank: 3, preserve: x.preserve}
	low := 4
	if p.mercury() {
		p.number, low = cuda.R_MERCURY_ABS16, 0
	}
	object, err := p.object(base)
	if err != nil {
		t.Fatal(err)
	}
	var options []string
	if p.preserve {
		options = append(options, "--preserve-relocs")
	}
	a, err := ask(t.TempDir(), p.release, p.sm, object, options...)
	if err != nil || a.image == nil {
		t.Fatalf("probe %s: %v %+v", p, err, a.text)
	}
	place, _ := open(a.image).find(p.place())
	known[key] = uint64(le.Uint16(place.data[low:]))
	return known[key]
}
