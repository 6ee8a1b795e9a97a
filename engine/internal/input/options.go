package input

// KeepsDead reports whether nothing is removed.
func (l *Set) KeepsDead() bool {
	return l.Opt.Debug || l.Opt.PreserveRelocs || l.Opt.ToolsPatch || l.IsRelocatable()
}

// ShowsDebug reports whether -g shows what a debugger looks for; without that
// it only keeps what nothing reaches.
func (l *Set) ShowsDebug() bool { return l.Opt.Debug && !l.Opt.SuppressDebug }

// HasFilter reports whether an option says what is used.
func (l *Set) HasFilter() bool {
	return l.Opt.KernelsUsed != nil || l.Opt.VariablesUsed != nil || l.Opt.HostUse != nil
}

// KernelsHidden reports whether a filter hides kernels.
func (l *Set) KernelsHidden() bool { return l.HasFilter() && !l.ShowsDebug() }

// CommandLine is the part of nvlink's command line that .note.nv.tkinfo
// records: text is in the tool's order and spelling.
type CommandLine struct {
	Tool   string // "" is nvlink, unless Named
	Named  bool   // Tool is the name, an empty one too
	Object string // base name of the output; recorded with -g only
	Text   string // "-arch sm_90 "
}

// Input is one object: its name as the user gave it, and its bytes, which the
// link borrows.
type Input struct {
	Name string
	Data []byte
}

// HostUse lists the kernels that host code refers to, by name or by pattern, in
// which * stands for any characters; those with internal linkage apart.
type HostUse struct {
	Kernels         []string
	InternalKernels []string
}

// Options say what to link for and how. The zero value but for Arch is a
// plain final link.
type Options struct {
	// Arch is the target: "sm_90", "sm_90a".
	Arch string

	// Toolkit names the release to behave as, "11.8", "12.4", "13.0" to "13.5"; ""
	// takes the newest among the inputs.
	Toolkit string

	// Output is the name that messages of the finalizer give the image.
	Output string

	Debug          bool // -g
	Relocatable    bool // -r
	PreserveRelocs bool // --preserve-relocs
	ForceRela      bool // --force-rela

	// KernelsUsed and VariablesUsed list name fragments; a kernel whose name
	// contains none of KernelsUsed is removed. nil is no filter.
	KernelsUsed   []string
	VariablesUsed []string

	// HostUse is what host code refers to: other kernels are removed. nil: it
	// isn't known.
	HostUse *HostUse

	// Empty allows a link without inputs: nvlink makes an image without code
	// where its input files hold none for the target.
	Empty bool

	// APIVersion is the newest CUDA API that functions may be compiled for, 120 for
	// 12.0 (--cuda-api-version); 0 is any.
	APIVersion uint32

	ToolsPatch     bool // -astoolspatch: code for instrumentation, called by nothing here
	AllowUndefined bool // --allow-undefined-globals: the driver knows where undefined global variables are

	ReserveNull   bool // --reserve-null-pointer: no shared variable at address 0
	SuppressDebug bool // --suppress-debug-info: Debug shows no symbols it adds
	NoReserved    bool // --disable-smem-reservation=true: no reserved shared memory

	DumpCallgraph bool                // print the call graph among the messages
	Demangle      func(string) string // names in it; nil leaves them as they are

	// Calls is called for each call that code may make, in the order of the printed call graph,
	// also where -r prints none; nil is not.
	Calls func(caller, callee string)

	// Scratch is memory for tables: zero bytes that nothing else uses, then or later.
	// A large link is faster with as much as its inputs have. nil: the heap is asked.
	Scratch []byte

	// OnPhase is called as each phase of a link begins; nil is not.
	OnPhase func(name string)

	ExtraWarnings        bool // -extrawarn
	SuppressStackWarning bool // --suppress-stack-size-warning
	WarningsAsErrors     bool // -Werror: a warning of an input's merge ends the link after it

	// Host is the content of .nv.host (--nv-host); empty for none. From 13.0 on.
	Host []byte

	// Record is the command line that .note.nv.tkinfo records from 13.0 on,
	// without the input names: see CommandLine.
	Record CommandLine
}

// IsRelocatable reports whether the output is a relocatable file: releases
// before 13.0 ignore -r.
func (l *Set) IsRelocatable() bool { return l.Opt.Relocatable && l.Release.Relocatable }
