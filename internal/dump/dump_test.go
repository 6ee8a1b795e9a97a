package dump

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/cubin"
)

var update = flag.Bool("update", false, "write the golden files")

// cubins returns the files of testdata: objects of ptxas 11.8.89, 12.4.131 and
// 13.0.88 made of a.ptx and b.ptx, and what nvlink of the same release linked
// of them.
func cubins(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(names) == 0 {
		t.Fatal("no cubins in testdata", err)
	}
	files := make(map[string][]byte)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	return files
}

func text(t testing.TB, name string, data []byte, parts Part) string {
	t.Helper()
	f, err := Read(name, data, parts)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Text(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, data := range cubins(t) {
		got := text(t, name, data, All)
		golden := "testdata/" + strings.TrimSuffix(name, ".cubin") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s (go test ./dump -update rewrites it)", name, golden)
		}
	}
}

func TestParts(t *testing.T) {
	data := cubins(t)["13.0-sm_90-linked.cubin"]
	parts, err := ParseParts("symbols,notes")
	if err != nil {
		t.Fatal(err)
	}
	got := text(t, "x", data, parts)
	for heading, want := range map[string]bool{"\nsymbols\n": true, "\n.note.nv.tkinfo\n": true, "\nsections\n": false, "\nheader\n": false} {
		if strings.Contains(got, heading) != want {
			t.Errorf("%q in the dump: %v, want %v", heading, !want, want)
		}
	}
	var unknown *PartError
	if _, err := ParseParts("symbols,nonsense"); !errors.As(err, &unknown) || unknown.Name != "nonsense" {
		t.Errorf("error %v", err)
	}
}

func TestJSON(t *testing.T) {
	f, err := Read("x", cubins(t)["12.4-sm_80-linked.cubin"], All)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := JSON(&b, f); err != nil {
		t.Fatal(err)
	}
	var back File
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Header.Toolkit != "12.4" || back.Header.SM != "sm_80" || len(back.Symbols) != len(f.Symbols) {
		t.Errorf("header %+v, %d symbols of %d", back.Header, len(back.Symbols), len(f.Symbols))
	}
}

// TestMutants reads files with random faults: any error is fine, a panic is
// not.
func TestMutants(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, data := range cubins(t) {
		for range 300 {
			bad := bytes.Clone(data)
			for range 1 + random.IntN(8) {
				at := random.IntN(len(bad))
				switch random.IntN(3) {
				case 0:
					bad[at] = byte(random.Uint32())
				case 1:
					bad[at] ^= 1 << random.IntN(8)
				default:
					copy(bad[at:], []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
				}
			}
			if random.IntN(8) == 0 {
				bad = bad[:random.IntN(len(bad))]
			}
			f, err := Read(name, bad, All)
			if err != nil {
				var fault *cubin.Error
				if !errors.As(err, &fault) {
					t.Fatalf("%s: untyped error %v", name, err)
				}
				continue
			}
			if err := Text(new(bytes.Buffer), f); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestBudget reads a file whose sections all lie over each other.
func TestBudget(t *testing.T) {
	data := bytes.Clone(cubins(t)["13.0-sm_90-linked.cubin"])
	le := binary.LittleEndian
	const blob, copies = 1 << 20, 4000
	at := len(data)
	record := []byte{1, 1, 0, 0} // EIFMT_NVAL EIATTR_PAD
	data = append(data, bytes.Repeat(record, blob/len(record))...)
	shoff, shnum := le.Uint64(data[40:]), int(le.Uint16(data[60:]))
	table := bytes.Clone(data[shoff : shoff+uint64(64*shnum)])
	info := bytes.Clone(table[7*64 : 8*64]) // .nv.info
	le.PutUint64(info[24:], uint64(at))
	le.PutUint64(info[32:], blob)
	le.PutUint64(data[40:], uint64(len(data)))
	le.PutUint16(data[60:], uint16(shnum+copies))
	data = append(data, table...)
	data = append(data, bytes.Repeat(info, copies)...)
	_, err := Read("overlap", data, PartInfo)
	if !errors.Is(err, &cubin.Error{Kind: cubin.OverBudget}) {
		t.Errorf("error %v", err)
	}
}
