package container

import (
	"bytes"
	"fmt"

	"github.com/twinlink/twinlink/cuda"
)

// Format is what a file is.
type Format uint8

const (
	Unknown Format = iota
	DeviceCode
	PTXText
	Fatbinary
	HostObject
	SharedObject
	Program
	Archive
	LTOIR
)

// String returns the format in words.
func (f Format) String() string {
	switch f {
	case DeviceCode:
		return "cubin"
	case PTXText:
		return "PTX"
	case Fatbinary:
		return "fatbinary"
	case HostObject:
		return "host object"
	case SharedObject:
		return "shared object"
	case Program:
		return "program"
	case Archive:
		return "archive"
	case LTOIR:
		return "LTO IR"
	}
	return "unknown"
}

// File is a file that was read: its format and every piece of device code in
// it, in the order in which they are there.
type File struct {
	Name    string
	Format  Format
	Members []Member

	// Skipped says what was omitted: files in an archive that carry no device
	// code by their format, and members of a thin archive that can't be read.
	Skipped []error
}

// Options say how to read.
type Options struct {
	Read   ReadFile // for thin archives; nil reads none
	Budget *Budget  // nil takes NewBudget of the file's size
}

// Identify tells a file's format from its first bytes.
func Identify(data []byte) Format {
	switch {
	case IsDevice(data):
		return DeviceCode
	case IsArchive(data):
		return Archive
	case len(data) >= fatbinHead && le32(data) == FatbinMagic:
		return Fatbinary
	case IsELF(data):
		switch le16(data[16:]) {
		case etRel:
			return HostObject
		case etExec:
			return Program
		case etDyn:
			return SharedObject
		}
	case IsPTX(data):
		return PTXText
	case bytes.HasPrefix(data, []byte("BC\xc0\xde")), bytes.HasPrefix(data, ltoMagic):
		return LTOIR
	}
	return Unknown
}

// ltoMagic begins LTO IR of cicc.
var ltoMagic = []byte("\xed\x43\x4e\x7f")

// Open lists the device code in a file. Data of other formats is an error of
// kind Unrecognized; inside an archive it is skipped.
func Open(name string, data []byte, opt Options) (*File, error) {
	if opt.Budget == nil {
		opt.Budget = NewBudget(len(data))
	}
	f := &File{Name: name, Format: Identify(data)}
	if err := f.add(name, data, opt, 0); err != nil {
		return nil, err
	}
	return f, nil
}

// add lists the members of data, which path names.
func (f *File) add(path string, data []byte, opt Options, depth int) error {
	if !opt.Budget.visit() {
		return &Error{Kind: OverBudget, Path: path, Detail: "too many members"}
	}
	switch format := Identify(data); format {
	case DeviceCode:
		f.Members = append(f.Members, Member{Path: path, Kind: Cubin, Arch: cubinArch(data), Stored: data, Size: uint64(len(data)), bare: true})
	case PTXText:
		arch, _ := PTXTarget(data)
		f.Members = append(f.Members, Member{Path: path, Kind: PTX, Arch: arch, Stored: data, Size: uint64(len(data)), bare: true})
	case LTOIR:
		f.Members = append(f.Members, Member{Path: path, Kind: NVVM, Stored: data, Size: uint64(len(data)), bare: true})
	case Fatbinary:
		list, err := ReadFatbins(path, data, opt.Budget)
		if err != nil {
			return err
		}
		f.addFatbins(list)
	case HostObject, SharedObject, Program:
		o, err := ReadObject(path, data, opt.Budget)
		if err != nil {
			return err
		}
		if depth == 0 {
			f.Format = o.Format
		}
		f.addFatbins(o.Relocatable)
		f.addFatbins(o.Plain)
	case Archive:
		return f.addArchive(path, data, opt, depth)
	default:
		return &Error{Kind: Unrecognized, Path: path, Value: uint64(len(data)), Detail: "no format that carries device code"}
	}
	return nil
}

func (f *File) addFatbins(list []Fatbin) {
	for i := range list {
		f.Members = append(f.Members, list[i].Members...)
	}
}

func (f *File) addArchive(path string, data []byte, opt Options, depth int) error {
	if depth == MaxDepth {
		return &Error{Kind: TooDeep, Path: path, Value: MaxDepth, Detail: "an archive inside archives"}
	}
	list, err := ReadArchive(path, data, opt.Read, opt.Budget)
	if err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		err := e.Err
		if err == nil {
			err = f.add(path+":"+e.Name, e.Data, opt, depth+1)
		}
		if fault, ok := err.(*Error); ok && (fault.Kind == Unrecognized || fault.Kind == Missing) {
			f.Skipped = append(f.Skipped, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// cubinArch reads the architecture from a cubin's header; the zero Arch where
// it isn't there.
func cubinArch(data []byte) Arch {
	if len(data) < elfHead {
		return Arch{}
	}
	// Where the SM is in e_flags depends on EI_OSABI.
	flags, sm, accelerated := le32(data[48:]), uint32(0), false
	if data[7] == cuda.OSABICuda13 {
		sm, accelerated = flags&cuda.EFSMMask>>cuda.EFSMShift, flags&cuda.EFAccelerator != 0
	} else {
		sm, accelerated = flags&cuda.EFLegacySM, flags&cuda.EFLegacyAccelerator != 0
	}
	if accelerated {
		return Arch{SM: sm, Variant: 'a'}
	}
	return Arch{SM: sm}
}

// Select returns the members that target, such as "sm_90" or "compute_90", and
// member, a part of Member.Name, allow; an empty one allows all. None is an
// error of kind NoSuchMember.
func (f *File) Select(target, member string) ([]*Member, error) {
	var list []*Member
	for i := range f.Members {
		m := &f.Members[i]
		if (target == "" || m.Target() == target) && (member == "" || matches(m, member)) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, &Error{Kind: NoSuchMember, Path: f.Name, Value: uint64(len(f.Members)),
			Detail: fmt.Sprintf("of its members none is for %q and named %q", target, member)}
	}
	return list, nil
}
