package definitions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Object is one input, or several that a relocatable link joined. Its key says
// all of it:
//
//	RELEASE/ARCH/WAY.SIDE[,target=SM][,words=N][,align=N][,-g]
//	RELEASE/ARCH/-r(KEY KEY…)
type Object struct {
	Key     string
	Release string
	Arch    string
	Way     string
	Side    string // a, b or c: the input's place
	Target  string // of the PTX
	Flags   []string
	Joined  []string // keys of what a relocatable link joined, without release and arch

	words, align int
}

// ParseObject reads a key.
func ParseObject(key string) (*Object, error) {
	release, rest, _ := strings.Cut(key, "/")
	arch, rest, ok := strings.Cut(rest, "/")
	if !ok {
		return nil, fmt.Errorf("object %q: not RELEASE/ARCH/WAY.SIDE", key)
	}
	o := &Object{Key: key, Release: release, Arch: arch, Target: "sm_75", words: 1, align: 4}
	if release < "13" && arch == "sm_75" {
		o.Target = "sm_52"
	}
	if list, ok := strings.CutPrefix(rest, "-r("); ok {
		o.Joined = strings.Fields(strings.TrimSuffix(list, ")"))
		return o, nil
	}
	parts := strings.Split(rest, ",")
	o.Way, o.Side, ok = strings.Cut(parts[0], ".")
	if !ok || len(o.Side) != 1 || o.Side < "a" || o.Side > "c" || o.way() == nil {
		return nil, fmt.Errorf("object %q: no such way or side", key)
	}
	for _, p := range parts[1:] {
		name, v, _ := strings.Cut(p, "=")
		var err error
		switch name {
		case "target":
			o.Target = v
		case "words":
			o.words, err = strconv.Atoi(v)
		case "align":
			o.align, err = strconv.Atoi(v)
		case "-g":
			o.Flags = append(o.Flags, "-g")
		default:
			err = fmt.Errorf("unknown attribute %q", p)
		}
		if err != nil {
			return nil, fmt.Errorf("object %q: %w", key, err)
		}
	}
	return o, nil
}

func (o *Object) way() *Way {
	i := slices.IndexFunc(ways, func(w Way) bool { return w.Name == o.Way })
	if i < 0 {
		return nil
	}
	return &ways[i]
}

// Source is the PTX of an object that is no joined one.
func (o *Object) Source() string {
	return fmt.Sprintf(".version 7.8\n.target %s\n.address_size 64\n\n", o.Target) + o.way().source(o)
}
