package fuzz

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/descriptor"
	"github.com/twinlink/twinlink/fuzz/objects"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/oracle"
)

// RelocationSeeds are records with each of the edge values, over an empty and a
// full place.
func RelocationSeeds() [][]byte {
	var list [][]byte
	for i, e := range Edges {
		var c Relocation
		if i%2 == 1 {
			for j := range c.Place {
				c.Place[j] = 0xff
			}
		}
		c.Inputs = oracle.Inputs{S: e, A: -int64(e >> 1), P: 16 * uint64(i), Slot: uint32(e), SectionType: cuda.SHTCudaConstant0 + cuda.SectionType(i)}
		var w Writer
		c.Write(&w)
		list = append(list, w.Input())
	}
	return list
}

// DescriptorSeeds are the descriptors of the engine's table.
func DescriptorSeeds() [][]byte {
	var list [][]byte
	for i := range descriptor.Table {
		p := Program{Record: Relocation{Inputs: oracle.Inputs{S: 0x1234, A: 4, SectionType: cuda.SHTCudaConstant0 + 3}}}
		for j := range p.Slots {
			p.Slots[j] = descriptor.Table[i].Slot(j)
		}
		var w Writer
		p.Write(&w)
		list = append(list, w.Input())
	}
	return list
}

// ContainerSeeds are the smallest cubins of the corpus, objects and images of
// each release: as input every byte of one is the fuzzer's.
func ContainerSeeds() ([][]byte, error) {
	list, err := Files()
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
	return list[:min(len(list), 12)], nil
}

// LinkSeeds are the links of the corpus, every seventh, unchanged and with each
// kind of change.
func LinkSeeds() ([][]byte, error) {
	n, err := Bases()
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for i := 0; i < n; i += 7 {
		var w Writer
		w.Uint16(uint16(i))
		w.Byte(0)                   // no option
		w.Byte(128)                 // one input
		w.Byte(byte(i/7) % 3 * 112) // 0, 1 or 2 changes
		for j := range 2 {
			w.Byte(byte(i/7 + j))
			w.Uint32(uint32(i * 977))
			w.Uint32(uint32(i*131 + j))
			w.Byte(byte(j))
		}
		list = append(list, w.Input())
	}
	return list, nil
}

// CommandLineSeeds use each option once, spelled out, with a word after it.
func CommandLineSeeds() [][]byte {
	var list [][]byte
	for i := range cmdline.Table {
		var w Writer
		w.Byte(byte(i))
		w.Byte(8)
		w.Bytes([]byte("-g a.o\n\"")) // the options file
		w.Byte(2)                     // an option of the table
		w.Byte(byte(i))
		w.Byte(byte(i / len(releases)))
		w.Byte(0) // =
		w.Byte(byte(i))
		w.Byte(1) // a word
		w.Byte(4)
		list = append(list, w.Input())
	}
	return list
}

// MixSeeds are two programs together, of each release and architecture, with
// each set of options in turn.
func MixSeeds() [][]byte {
	var list [][]byte
	for i := range 64 {
		var w Writer
		w.Byte(byte(i))
		w.Byte(byte(i))
		w.Byte(1) // two programs
		w.Uint16(uint16(i * 7))
		w.Uint16(uint16(i*5 + 1))
		list = append(list, w.Input())
	}
	return list
}

// ObjectsSeeds are the recorded links that package objects can describe, and some of its own.
func ObjectsSeeds() ([][]byte, error) {
	cases, err := recorded()
	if err != nil {
		return nil, err
	}
	list, err := seededInputs(Kinds[0].Name, Kinds[0].Size)()
	if err != nil {
		return nil, err
	}
	described := 0
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
		if l, err := objects.Describe(c.Release, sm, files); err == nil {
			var w Writer
			l.Write(&w)
			list = append(list, w.Input())
			described++
		}
	}
	if described == 0 {
		return nil, errors.New("fuzz: no recorded link can be described")
	}
	return list, nil
}

// InfoSeeds are the .nv.info sections of small objects.
func InfoSeeds() ([][]byte, error) {
	files, err := Files()
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for _, data := range files[:min(len(files), 40)] {
		d, err := cubin.Decode("corpus", data)
		if err != nil {
			return nil, err
		}
		for i := 1; i < d.NumSections(); i++ {
			if cubin.IsInfo(d.Part(i).Type) {
				list = append(list, d.Data(i))
			}
		}
	}
	return list, nil
}
