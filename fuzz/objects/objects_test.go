package objects_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/objects"
	"github.com/twinlink/twinlink/internal/cmdline"
)

// random is a source of bytes, the same everywhere.
type random struct{ r *rand.ChaCha8 }

func (b random) Byte() byte     { return byte(b.r.Uint64()) }
func (b random) Uint16() uint16 { return uint16(b.r.Uint64()) }

func draw(n int) objects.Link {
	return objects.Read(random{rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), 'o'})})
}

// written keeps what is written and gives it back.
type written struct{ b []byte }

func (w *written) put(b ...byte) { w.b = append(w.b, b...) }

type sink struct{ *written }

func (s sink) Byte(b byte)     { s.put(b) }
func (s sink) Uint16(v uint16) { s.put(byte(v), byte(v>>8)) }

type source struct{ *written }

func (s source) Byte() byte {
	if len(s.b) == 0 {
		return 0
	}
	b := s.b[0]
	s.b = s.b[1:]
	return b
}

func (s source) Uint16() uint16 { return binary.LittleEndian.Uint16([]byte{s.Byte(), s.Byte()}) }

func again(l *objects.Link) objects.Link {
	w := &written{}
	l.Write(sink{w})
	return objects.Read(source{w})
}

func link(l *objects.Link) error {
	r, ok := cmdline.ParseRelease(l.Release())
	if !ok {
		return fs.ErrInvalid
	}
	args := append([]string{"-arch=" + l.Arch(), "-o", "out.cubin"}, l.Args()...)
	var in []engine.Input
	for _, o := range l.Objects() {
		in = append(in, engine.Input{Name: o.Name, Data: o.Data})
		args = append(args, o.Name)
	}
	cmd, err := cmdline.Parse(r, args, func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err == nil {
		_, err = engine.Link(in, cmd.Options)
	}
	return err
}

// What is read can be written, the walk over both being one.
func TestReadWrite(t *testing.T) {
	for n := range 500 {
		l := draw(n)
		l.Features &^= objects.Clash | objects.Undefined | objects.Mismatch | objects.Outside // Write keeps them, and Read asks a byte more
		if got := again(&l); !sound(&l, &got) {
			t.Fatalf("%d:\n%+v\n%+v", n, l, got)
		}
	}
}

func sound(a, b *objects.Link) bool {
	x, y := a.Objects(), b.Objects()
	return reflect.DeepEqual(x, y)
}

// Every file opens, of every target links succeed and are refused, and the generator reaches a success at once.
func TestLinks(t *testing.T) {
	linked, refused := map[string]int{}, 0
	for n := range 3000 {
		l := draw(n)
		for _, o := range l.Objects() {
			d, err := cubin.Decode(o.Name, o.Data)
			if err != nil {
				t.Fatalf("link %d: %v", n, err)
			}
			if out, err := d.Encode(); err != nil || !bytes.Equal(out, o.Data) {
				t.Fatalf("link %d: %s comes back other, %v", n, o.Name, err)
			}
		}
		if link(&l) != nil {
			refused++
			continue
		}
		linked[l.Release()+" "+l.Arch()]++
	}
	for _, target := range objects.Targets {
		if name := target.Release + " sm_" + strconv.Itoa(target.SM); linked[name] < 50 {
			t.Errorf("%s: %d links", name, linked[name])
		}
	}
	if refused < 100 {
		t.Errorf("%d refused", refused)
	}
}

// Every relocation type comes up 20 times in 10,000 links.
func TestTypes(t *testing.T) {
	var count [cuda.RelocCount]int
	for n := range 10000 {
		l := draw(n)
		for _, o := range l.Objects() {
			d, err := cubin.Decode(o.Name, o.Data)
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < d.NumSections(); i++ {
				if !cubin.IsRelocs(d.Part(i).Type) {
					continue
				}
				list, err := d.Relocs(i)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range list {
					count[r.Type]++
				}
			}
		}
	}
	for typ, n := range count {
		if n < 20 {
			t.Errorf("type %d: %d times", typ, n)
		}
	}
}

// Real objects are described, and most of the links so described succeed.
func TestDescribe(t *testing.T) {
	cases, err := corpus.Cases()
	if err != nil {
		t.Fatal(err)
	}
	described, linked := 0, 0
	for i := range cases {
		c := &cases[i]
		sm, err := strconv.Atoi(strings.TrimPrefix(c.Arch, "sm_"))
		if err != nil || !c.Linked() || !c.Complete() {
			continue
		}
		var files [][]byte
		for _, in := range c.Inputs {
			files = append(files, in.Data)
		}
		l, err := objects.Describe(c.Release, sm, files)
		if err != nil {
			continue // no target of ours
		}
		described++
		if got := again(&l); !sound(&l, &got) {
			t.Errorf("%s: the bytes describe another link", c.ID())
		}
		if link(&l) == nil {
			linked++
		}
	}
	if described < 50 || 2*linked < described {
		t.Errorf("%d described, %d of them link", described, linked)
	}
}
