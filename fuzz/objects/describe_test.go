package objects_test

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/fuzz/objects"
)

// files are the bytes of a link's objects.
func files(l *objects.Link) (list [][]byte) {
	for _, o := range l.Objects() {
		list = append(list, o.Data)
	}
	return list
}

// described is what Describe says of a link's own objects.
func described(t *testing.T, l *objects.Link) objects.Link {
	t.Helper()
	target := objects.Targets[l.Target]
	d, err := objects.Describe(target.Release, target.SM, files(l))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What a link says of its modules comes back from their objects, as far as it is described.
func TestDescribed(t *testing.T) {
	for target := range objects.Targets {
		l := objects.Link{
			Target: uint8(target), Features: objects.Cycles | objects.Indirect | objects.Textures | objects.Barriers,
			Functions: []objects.FunctionName{{Kernel: true}, {}, {}, {}},
			Variables: []objects.VariableName{{Size: 3}, {Size: 31, Space: objects.Initialized}, {Size: 1, Space: objects.Constant}, {Size: 2, Managed: true},
				{Space: objects.Texture}, {Space: objects.DynamicShared}, {Size: 4}},
			Modules: []objects.Module{{
				Functions: []objects.Function{
					{Name: 0, Registers: 40, Frame: 31, Length: 3, Calls: []objects.Call{{Function: 1}, {Function: 2}},
						Records: []objects.Record{{At: 256, Name: 0}, {At: 272, Name: 2, Addend: 8}, {At: 288, Name: 4}, {At: 304, Name: 5}}},
					{Name: 1, Registers: 254, Role: objects.Weak, Length: 1, Records: []objects.Record{{At: 80, Function: true, Name: 2, Addend: -4}}, Calls: []objects.Call{{Function: 3, Pointer: true}}},
					{Name: 2, Registers: 9, Role: objects.Local, Frame: 1},
				},
				Variables: []objects.Variable{{Name: 0}, {Name: 1, Role: objects.Weak}, {Name: 2, Role: objects.Local}, {Name: 3, Role: objects.Strong}, {Name: 6, Role: objects.Common}},
			}, {
				Functions: []objects.Function{{Name: 3, Registers: 16, Length: 2}},
			}},
		}
		d := described(t, &l)
		kernel := func(n uint8) bool { return d.Functions[n].Kernel }
		if len(d.Functions) != 4 || !kernel(0) || kernel(1) || kernel(2) || kernel(3) || d.Features != l.Features || d.Target != l.Target {
			t.Fatalf("%v: functions %+v, features %b", objects.Targets[target], d.Functions, d.Features)
		}
		// A file has the module's own variables first, then those that it names.
		want := []objects.VariableName{{Size: 3}, {Size: 31, Space: objects.Initialized}, {Size: 1, Space: objects.Constant}, {Size: 2, Managed: true}, {Size: 4}, {Space: objects.Texture}, {Space: objects.DynamicShared}}
		if !reflect.DeepEqual(d.Variables, want) {
			t.Errorf("%v: variables\n%+v\n%+v", objects.Targets[target], d.Variables, want)
		}
		m := d.Modules[0]
		var roles []objects.Role
		for _, v := range m.Variables {
			roles = append(roles, v.Role)
		}
		if w := []objects.Role{objects.Strong, objects.Weak, objects.Local, objects.Strong, objects.Common}; !reflect.DeepEqual(roles, w) {
			t.Errorf("%v: roles %v, want %v", objects.Targets[target], roles, w)
		}
		type function struct {
			name, registers, frame, length uint8
			role                           objects.Role
			calls                          []objects.Call
			records                        []objects.Record
		}
		var got []function
		for _, m := range d.Modules {
			for _, f := range m.Functions {
				got = append(got, function{f.Name, f.Registers, f.Frame, f.Length, f.Role, f.Calls, f.Records})
			}
		}
		record := func(at uint16, old, volta uint8, name uint8, addend int16) objects.Record {
			if objects.Targets[target].SM >= 70 {
				old = volta
			}
			return objects.Record{At: at, Type: old, Name: name, Addend: addend}
		}
		call := record(64, cuda.R_CUDA_ABS32_LO_32, cuda.R_CUDA_ABS32_LO_32, 1, 0)
		call.Function = true
		taken := record(80, cuda.R_CUDA_ABS32_LO_20, cuda.R_CUDA_ABS32_LO_32, 2, -4)
		taken.Function = true
		var pointer []objects.Call
		if objects.Targets[target].Release != "11.8" { // whose files don't say whose address is taken
			pointer = []objects.Call{{Function: 2, Pointer: true}, {Function: 3, Pointer: true}}
		}
		wanted := []function{
			{0, 40, 31, 3, objects.Strong, []objects.Call{{Function: 1}, {Function: 2}}, []objects.Record{
				record(256, cuda.R_CUDA_ABS32_LO_20, cuda.R_CUDA_ABS32_LO_32, 0, 0), record(272, cuda.R_CUDA_CONST_FIELD19_20, cuda.R_CUDA_CONST_FIELD19_40, 2, 8),
				record(288, cuda.R_CUDA_BINDLESSOFF13_36, cuda.R_CUDA_TEX_BINDLESSOFF13_32, 5, 0), record(304, cuda.R_CUDA_ABS24_20, cuda.R_CUDA_ABS24_40, 6, 0), call,
			}},
			{1, 254, 0, 1, objects.Weak, pointer, []objects.Record{taken}},
			{2, 9, 1, 0, objects.Local, nil, nil},
			{3, 16, 0, 2, objects.Strong, nil, nil},
			{2, 16, 0, 0, objects.Strong, nil, nil}, // that a local one hides from the others
		}
		slices.SortFunc(got[1].calls, func(a, b objects.Call) int { return cmp.Compare(a.Function, b.Function) })
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%v: functions\n%+v\n%+v", objects.Targets[target], got, wanted)
		}
	}
}

// There is no link like objects of a target that there is none of, nor of what is no object.
func TestDescribeRefuses(t *testing.T) {
	l := draw(1)
	sound := files(&l)
	for _, x := range []struct {
		release string
		sm      int
		files   [][]byte
		fails   bool
	}{
		{"11.8", 52, sound, false}, {"11.8", 90, sound, true}, {"13.0", 52, sound, true}, {"13.0", 90, [][]byte{{1}}, true},
	} {
		if _, err := objects.Describe(x.release, x.sm, x.files); (err != nil) != x.fails {
			t.Errorf("sm_%d of %s: %v", x.sm, x.release, err)
		}
	}
	d, err := objects.Describe("13.0", 90, nil)
	if err != nil || len(d.Functions) != 1 || len(d.Variables) != 1 || len(d.Modules) != 0 {
		t.Errorf("of no object: %+v, %v", d, err)
	}
}
