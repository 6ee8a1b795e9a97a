package inputs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/twinlink/twinlink/internal/cmdline"
)

const partID = "_fbc93974_7_part_cu_e319b529"

// given is a folder of files in memory, and a Set for a command line.
type given map[string][]byte

func (g given) read(name string) ([]byte, error) {
	if data, ok := g[name]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

// add runs a command line through a Set and returns it with what was said.
func (g given) add(t *testing.T, release, args string) (*Set, []string) {
	t.Helper()
	r, ok := cmdline.ParseRelease(release)
	if !ok {
		t.Fatal(release)
	}
	cmd, err := cmdline.Parse(r, append(strings.Fields(args), "-o", "out"), g.read)
	var refused *cmdline.Refusal
	if errors.As(err, &refused) {
		t.Fatal(err)
	}
	s := New(cmd, NewReader(g.read))
	var said []string
	for _, name := range cmd.Inputs {
		list := s.Add(name)
		placed(t, name, list)
		for _, d := range list {
			said = append(said, d.String())
		}
	}
	last := append(s.Lost, s.Finish()...)
	placed(t, "", last)
	for _, d := range last {
		said = append(said, d.String())
	}
	return s, said
}

func (s *Set) names() []string {
	var list []string
	for i := range s.Objects {
		list = append(list, s.Objects[i].Name)
	}
	return list
}

func partObject(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "container", "testdata", "13.0-part.o"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// archive makes an archive of members, a name and its content by turns.
func archive(members ...any) []byte {
	out := []byte("!<arch>\n")
	for i := 0; i < len(members); i += 2 {
		data := members[i+1].([]byte)
		out = append(out, []byte(header(members[i].(string), len(data)))...)
		if out = append(out, data...); len(data)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out
}

func header(name string, size int) string {
	pad := func(s string, n int) string { return s + strings.Repeat(" ", n-len(s)) }
	digits := []byte{}
	for n := size; n > 0 || len(digits) == 0; n /= 10 {
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return pad(name+"/", 16) + pad("0", 12) + pad("0", 6) + pad("0", 6) + pad("644", 8) + pad(string(digits), 10) + "`\n"
}

// What nvlink 13.0.88 links and registers of part.o, and what it says: by runs
// of it with the same files.
func TestAdd(t *testing.T) {
	o := partObject(t)
	section := strings.Index(string(o), "__nv_relfatbin\x00")
	plain, without := append([]byte(nil), o...), append([]byte(nil), o...)
	copy(plain[section:], ".nv_fatbin\x00")
	copy(without[section:], "__no")
	g := given{"w.o": without, "p.o": o, "d/l.a": archive("p.o", o), "h.o": plain, "m.a": archive("x", []byte("text"), "p.o", o), "n.a": archive("in.a", archive("p.o", o))}
	for _, c := range []struct {
		args       string
		linked     []string
		registered []Registration
		kernels    []string // what the host refers to; nil: it isn't known
		said       []string
	}{
		{"-arch=sm_75 p.o", []string{"p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"}, nil},
		{"-arch=sm_75 p.o w.o", []string{"p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"},
			[]string{"nvlink fatal   : Could not find fatbin in 'w.o'", "nvlink fatal   : elfLink internal error"}},
		{"-arch=sm_75 d/l.a", []string{"d/l.a:p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"}, nil},
		{"-arch=sm_80 p.o", nil, []Registration{{ID: partID}}, []string{"_Z3run*"}, []string{"nvlink warning : SM Arch ('sm_80') not found in 'p.o'"}},
		{"-arch=sm_80 d/l.a", nil, []Registration{{ID: partID}}, []string{"_Z3run*"}, nil},
		{"-arch=sm_80 -suppress-arch-warning p.o", nil, []Registration{{ID: partID}}, []string{"_Z3run*"}, nil},
		{"-arch=sm_75 p.o h.o", []string{"p.o"}, []Registration{{ID: partID}}, nil, nil},
		{"-arch=sm_75 --ignore-host-info p.o", []string{"p.o"}, []Registration{{ID: partID}}, nil, nil},
		{"-arch=compute_120 p.o", nil, []Registration{{ID: partID}}, []string{"_Z3run*"}, []string{"nvlink fatal   : specified arch exceeds buffer length"}},
		{"-arch=compute_75 p.o", nil, []Registration{{ID: partID}}, []string{"_Z3run*"}, []string{"nvlink warning : SM Arch ('compute_75') not found in 'p.o'"}},
		{"-arch=sm_121 p.o", []string{"p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"}, nil},
		{"-arch=sm_75 --as-nvlink m.a", nil, nil, nil, []string{"nvlink warning : 'm.a:p.o' comes after a member that is not an ELF file: dropped, as nvlink does"}},
		{"-arch=sm_75 --as-nvlink n.a", nil, nil, nil, []string{"nvlink warning : 'n.a:in.a:p.o' is in a nested archive: dropped, as nvlink does"}},
		// Without --as-nvlink what nvlink loses is linked, and said.
		{"-arch=sm_75 m.a", []string{"m.a:p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"},
			[]string{"nvlink info    : 'm.a:p.o' comes after a member that is not an ELF file, which nvlink drops silently: linked"}},
		{"-arch=sm_75 n.a", []string{"n.a:in.a:p.o"}, []Registration{{ID: partID}}, []string{"_Z3run*"},
			[]string{"nvlink info    : 'n.a:in.a:p.o' is in a nested archive, which nvlink drops silently: linked"}},
	} {
		s, said := g.add(t, "13.0", c.args)
		if diff := cmp.Diff(c.linked, s.names()); diff != "" {
			t.Errorf("%s: linked: %s", c.args, diff)
		}
		if diff := cmp.Diff(c.registered, s.Registered); diff != "" {
			t.Errorf("%s: registered: %s", c.args, diff)
		}
		if diff := cmp.Diff(c.said, said); diff != "" {
			t.Errorf("%s: said: %s", c.args, diff)
		}
		var kernels []string
		if use := s.HostUse(); use != nil {
			kernels = use.Kernels
		}
		if diff := cmp.Diff(c.kernels, kernels); diff != "" {
			t.Errorf("%s: kernels: %s", c.args, diff)
		}
	}
}

// An archive counts once, whatever the names by which it is given; an object
// counts every time.
func TestTwice(t *testing.T) {
	o := partObject(t)
	g := given{"l.a": archive("p.o", o), "p.o": o}
	if s, _ := g.add(t, "13.0", "-arch=sm_75 l.a l.a"); len(s.Objects) != 1 {
		t.Errorf("an archive given twice: %v", s.names())
	}
	if s, _ := g.add(t, "13.0", "-arch=sm_75 p.o p.o"); len(s.Objects) != 2 {
		t.Errorf("an object given twice: %v", s.names())
	}
}

// Of the device runtime members are linked while functions are wanted; before other objects 13.0 doesn't look at it.
func TestDeviceRuntime(t *testing.T) {
	o := partObject(t)
	g := given{"libcudadevrt.a": archive("p.o", o), "p.o": o}
	if s, said := g.add(t, "13.0", "-arch=sm_75 p.o libcudadevrt.a"); len(s.Objects) != 1 || said != nil {
		t.Errorf("nothing is wanted: linked %v, said %q", s.names(), said)
	}
	if s, _ := g.add(t, "13.0", "-arch=sm_75 -keep-system-libraries p.o libcudadevrt.a"); len(s.Objects) != 2 {
		t.Errorf("-keep-system-libraries: linked %v", s.names())
	}
	if _, said := g.add(t, "13.0", "-arch=sm_75 libcudadevrt.a p.o"); said != nil {
		t.Errorf("13.0, in front: %q", said)
	}
}
