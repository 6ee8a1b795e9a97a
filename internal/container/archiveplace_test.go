package container

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Each fault of an archive is reported as what it is, at its place, with the value that is there.
func TestArchiveFaultPlaces(t *testing.T) {
	const magic, thin = archiveMagic, thinMagic
	first := member("a/", "2", "xy")
	second := uint64(len(magic) + len(first))
	table := member("//", "8", "long.o/\n")
	behind := uint64(len(magic) + len(table))
	full := NewBudget(0)
	full.Members = 1
	none := NewBudget(0)
	none.Members = 0
	read := func(name string) ([]byte, error) {
		switch name {
		case "dir/a", "/b":
			return []byte("xy"), nil
		}
		return nil, errors.New("no file " + name)
	}
	for name, c := range map[string]struct {
		data   string
		budget *Budget
		read   ReadFile
		kind   ErrorKind
		offset uint64
		value  uint64
		detail string
	}{
		"no archive":                {"!<arch>x", nil, nil, Unrecognized, 0, 0, "no archive's magic"},
		"a header cut":              {magic + first + first[:59], nil, nil, OutOfBounds, second, second + 59, "a member's header is cut short"},
		"no end mark":               {magic + first + first[:58] + "yz" + first[60:], nil, nil, BadHeader, second + 58, 'y' | 'z'<<8, "a member's header has no end mark"},
		"half an end mark":          {magic + first + first[:59] + "z" + first[60:], nil, nil, BadHeader, second + 58, '`' | 'z'<<8, "a member's header has no end mark"},
		"no number":                 {magic + first + member("b/", "x", ""), nil, nil, BadHeader, second + 48, 0, "a member's size is no number"},
		"an octal number":           {magic + first + member("b/", "0x2", ""), nil, nil, BadHeader, second + 48, 0, "a member's size is no number"},
		"no size":                   {magic + first + member("b/", "", ""), nil, nil, BadHeader, second + 48, 0, "a member's size is no number"},
		"too long":                  {magic + first + member("b/", "3", "xy"), nil, nil, OutOfBounds, second + 48, 3, "a member is longer than the archive"},
		"a long name too long":      {magic + first + member("#1/5", "4", "abcd"), nil, nil, BadHeader, second, 5, "a member's long name lies outside it"},
		"a long name of none":       {magic + first + member("#1/x", "4", "abcd"), nil, nil, BadHeader, second, 0, "a member's long name lies outside it"},
		"no table":                  {magic + first + member("/1", "2", "xy"), nil, nil, BadHeader, second, 0, "a member's name lies outside the table of names"},
		"behind the table":          {magic + table + member("/9", "2", "xy"), nil, nil, BadHeader, behind, 0, "a member's name lies outside the table of names"},
		"at the table's end":        {magic + table + member("/8", "2", "xy"), nil, nil, BadHeader, behind, 0, "a member's name lies outside the table of names"},
		"two members, room for one": {magic + first + first, full, nil, OverBudget, second, 1, "too many members"},
		"no room":                   {magic + first, none, nil, OverBudget, 8, 0, "too many members"},
		"thin, none reads":          {thin + member("a/", "2", ""), nil, nil, Missing, 8, 2, `members of a thin archive are not read here: "a"`},
		"thin, no such file":        {thin + member("c/", "2", ""), nil, read, Missing, 8, 2, "no file dir/c"},
		"thin, another size":        {thin + member("a/", "3", ""), nil, read, Missing, 8, 2, `"dir/a" has changed its size since the archive was made`},
		"thin, an absolute one":     {thin + member("//", "4", "/b/\n") + member("/0", "7", ""), nil, read, Missing, 72, 2, `"/b" has changed its size since the archive was made`},
		"thin, no name":             {thin + member("/", "0", "") + member("", "2", ""), nil, read, BadHeader, 68, 0, "a member's name lies outside the table of names"},
	} {
		budget := c.budget
		if budget == nil {
			budget = NewBudget(len(c.data))
		}
		list, err := ReadArchive("dir/x.a", []byte(c.data), c.read, budget)
		if err == nil && len(list) > 0 {
			err = list[len(list)-1].Err
		} else if list != nil {
			t.Errorf("%s: members beside a fault", name)
		}
		var e *Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Offset != c.offset || e.Value != c.value || e.Detail != c.detail || e.Path != "dir/x.a" {
			t.Errorf("%s: %v, want %s at %d, value %d: %s", name, err, c.kind, c.offset, c.value, c.detail)
			continue
		}
		if want := fmt.Sprintf("dir/x.a: %s at offset 0x%x: value 0x%x: %s", c.kind, c.offset, c.value, c.detail); err.Error() != want {
			t.Errorf("%s: %q, want %q", name, err, want)
		}
		for _, is := range []struct {
			target error
			want   bool
		}{{&Error{Kind: c.kind}, true}, {&Error{Kind: c.kind, Path: "dir/x.a"}, false}, {&Error{Kind: c.kind + 1}, false}, {errors.New("x"), false}} {
			if errors.Is(err, is.target) != is.want {
				t.Errorf("%s: is %#v: %v", name, is.target, !is.want)
			}
		}
	}
}

// Names of members in each form that ar writes, and tables that are none.
func TestArchiveNames(t *testing.T) {
	for data, want := range map[string]string{
		archiveMagic:                           "",
		archiveMagic + member("a/", "2", "xy"): "a=xy",
		archiveMagic + member("a.o", "1", "x\n") + member("b/", "0", ""):                                                                 "a.o=x b=",
		archiveMagic + member("/", "2", "xy") + member("/SYM64/", "2", "xy") + member("__.SYMDEF", "2", "xy") + member("c/", "1", "z\n"): "c=z",
		archiveMagic + member("//", "16", "long.o/\nother.o/") + member("/0", "1", "x\n"):                                                "long.o=x",
		archiveMagic + member("//", "18", "long.o/\nother.o/\n ") + member("/8", "1", "x\n") + member("/0", "1", "y\n"):                  "other.o=x long.o=y",
		archiveMagic + member("#1/4", "6", "a\x00\x00\x00xy"):                                                                            "a=xy^",
		archiveMagic + member("#1/12", "14", "__.SYMDEF\x00\x00\x00xy") + member("#1/2", "3", "bbz\n"):                                   "bb=z^",
		archiveMagic + member("#1/2", "2", "ab"):                                                                                         "ab=^",
		thinMagic + member("//", "4", "/b/\n") + member("/0", "2", "") + member("a/", "2", ""):                                           "/b=B. a=A.",
	} {
		list, err := ReadArchive("dir/x.a", []byte(data), func(name string) ([]byte, error) {
			return map[string][]byte{"/b": []byte("B."), "dir/a": []byte("A.")}[name], nil
		}, NewBudget(len(data)))
		if err != nil {
			t.Errorf("%q: %v", data, err)
			continue
		}
		var got []string
		for _, e := range list {
			text := e.Name + "=" + string(e.Data)
			if e.Before {
				text += "^"
			}
			got = append(got, text)
			if e.Err != nil || e.Offset < 8 {
				t.Errorf("%q: %s at %d: %v", data, e.Name, e.Offset, e.Err)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

// Which architecture's cubin is linked for which, as nvlink does, and how names are read.
func TestArchLinks(t *testing.T) {
	arch := func(s string) Arch {
		a, ok := ParseArch(s)
		if !ok {
			t.Fatalf("%s is none", s)
		}
		return a
	}
	for pair, want := range map[string]bool{
		"80 80": true, "80 86": true, "86 80": false, "87 87": true, "80 87": false, "87 89": false, "89 90": false, "90 100": false, "90a 90": true, "80 100": false,
		"100 103": true, "100f 103": true, "100a 103": false, "100a 100": true, "103 100": false, "100 120": false, "120 121": true, "121 120": false, "103 120": false,
		"120f 121a": true, "120a 121a": false, "110 120": false, "100 110": false, "110 110a": true, "100 121": false, "103 121": false, "72 75": false, "70 75": true,
	} {
		from, to, _ := strings.Cut(pair, " ")
		if got := arch(from).Links(arch(to), 131); got != want {
			t.Errorf("%s: %v", pair, got)
		}
		if arch(from).String() != from {
			t.Errorf("%s is printed as %s", from, arch(from))
		}
	}
	for pair, want := range map[string]bool{"80 87": true, "87 88": true, "86 88": true, "88 89": true, "88 87": false, "75 88": false, "87 90": false} {
		from, to, _ := strings.Cut(pair, " ")
		if got := arch(from).Links(arch(to), 132); got != want {
			t.Errorf("13.2, %s: %v", pair, got)
		}
	}
	for _, s := range []string{"", "a", "sm_", "sm_a", "sm_0", "+80", "sm_+80", "-80", "80aa", "x_80", "sm_80_", "4294967296", "sm80"} {
		if a, ok := ParseArch(s); ok {
			t.Errorf("%q is %s", s, a)
		}
	}
	if a := arch("lto_4294967295f"); a.SM != 4294967295 || a.Variant != 'f' {
		t.Errorf("%v", a)
	}
}
