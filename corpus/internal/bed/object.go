package main

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/twinlink/twinlink/cuda"
)

// object is a relocatable cubin of the pool.
type object struct {
	Family  string // the program or library it is of
	Name    string // for messages: "a.cubin"
	Arch    string // "sm_90a"
	Release string // of the ptxas that made it, "12.4"; "" where it doesn't say
	How     string // where it comes from: "nccl.so", "ptxas 13.0 -g x.ptx"
	Hash    string
	data    []byte

	kernels, variables []string
	defined, undefined []string
	local              []string
}

const (
	machineCUDA   = 190
	largestObject = 4 << 20
)

var errNotRelocatable = errors.New("not a relocatable cubin")

// newObject looks into a cubin. The two forms of e_flags are those of 11.8 to
// 12.x (ABI version 7) and of 13.x (8).
func newObject(family, name, how string, data []byte) (*object, error) {
	if len(data) < 64 || len(data) > largestObject || !bytes.HasPrefix(data, []byte(elf.ELFMAG)) {
		return nil, errNotRelocatable
	}
	if le := binary.LittleEndian; le.Uint16(data[18:]) != machineCUDA || le.Uint16(data[16:]) != uint16(elf.ET_REL) && le.Uint16(data[16:]) != cuda.ETEwp {
		return nil, errNotRelocatable
	}
	// Before 13.0 e_version is the toolkit's, which debug/elf takes for damage.
	plain := bytes.Clone(data)
	binary.LittleEndian.PutUint32(plain[20:], uint32(elf.EV_CURRENT))
	f, err := elf.NewFile(bytes.NewReader(plain))
	if err != nil {
		return nil, err
	}
	if name == outName { // what the link is to make has that name
		name = "in." + name
	}
	sum := sha256.Sum256(data)
	o := &object{Family: family, Name: name, How: how, Hash: hex.EncodeToString(sum[:8]), data: data}
	o.Arch = archOf(name, data)
	o.Release = releaseOf(f, data)
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		global := elf.ST_BIND(s.Info) != elf.STB_LOCAL
		switch {
		case s.Name == "" || s.Section >= elf.SHN_LORESERVE:
		case !global:
			if elf.ST_TYPE(s.Info) != elf.STT_SECTION {
				o.local = append(o.local, s.Name)
			}
		case s.Section == elf.SHN_UNDEF:
			o.undefined = append(o.undefined, s.Name)
		default:
			o.defined = append(o.defined, s.Name)
			switch {
			case elf.ST_TYPE(s.Info) == elf.STT_OBJECT || elf.ST_TYPE(s.Info) == 13:
				o.variables = append(o.variables, s.Name)
			case elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Other&0x10 != 0: // STO_CUDA_ENTRY
				o.kernels = append(o.kernels, s.Name)
			}
		}
	}
	return o, nil
}

// archOf reads the architecture of e_flags, which have it in other places from
// ABI version 8 on. The letter after it is not in all of them: a file's name
// says it better.
func archOf(name string, data []byte) string {
	if m := archInName.FindString(name); m != "" {
		return m
	}
	flags := binary.LittleEndian.Uint32(data[48:])
	if data[8] < 8 {
		return fmt.Sprintf("sm_%d", flags&0xff)
	}
	return fmt.Sprintf("sm_%d", flags>>8&0xffff)
}

var archInName = regexp.MustCompile(`sm_[0-9]+[af]?`)

// releaseOf reads the toolkit of e_version or, from 13 on, of .note.nv.cuinfo.
func releaseOf(f *elf.File, data []byte) string {
	if v := binary.LittleEndian.Uint32(data[20:]); v > 1 {
		return fmt.Sprintf("%d.%d", v/10, v%10)
	}
	if s := f.Section(".note.nv.cuinfo"); s != nil {
		if note, err := s.Data(); err == nil && len(note) >= 32 {
			if api := binary.LittleEndian.Uint16(note[28:]); api >= 100 && api < 300 {
				return fmt.Sprintf("%d.%d", api/10, api%10)
			}
		}
	}
	return ""
}

// mercury reports whether an architecture is linked by its Mercury side.
func mercury(arch string) bool { return archNumber(arch) >= 100 }

func archNumber(arch string) int {
	n := 0
	for _, c := range strings.TrimPrefix(arch, "sm_") {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + int(c-'0')
	}
	return n
}
