package cmdline

// ID names an option.
type ID uint8

const (
	OfastCompile ID = iota
	Xnvvm
	Xptxas
	Arch
	CPUArch
	Debug
	DeviceStackProtector
	DisableInfos
	DisableWarnings
	DLTO
	DumpCallgraph
	DumpCallgraphNoDemangle
	EmitPTX
	ExtraWarnings
	GenHostLinkerScript
	Help
	IgnoreHostInfo
	KeepSystemLibraries
	KernelsUsed
	Library
	LibraryPath
	LinkTimeOpt
	Machine
	MaxRegCount
	NVVMPath
	OptionsFile
	OutputFile
	PreserveRelocs
	RegisterLinkBinaries
	RelocatableLink
	ReportArch
	SplitCompile
	SplitCompileExtended
	SuppressArchWarning
	SuppressDebugInfo
	SuppressStackSizeWarning
	Time
	UidxFile
	UseHostInfo
	VariablesUsed
	Verbose
	Version
	WarningAsError

	Verbose2
	NVVMLatest
	AsToolsPatch

	AllowUndefinedGlobals
	CudaAPIVersion
	StackProtectorThreshold
	DisableSmemReservation
	DontReserveNullPointer
	DotFile
	EnableExtendedSmem
	Fdcmpt
	ForcePartialLTO
	ForceRela
	ForceWholeLTO
	HostCcbin
	HostLinkerOptions
	NVHost
	ReserveNullPointer
	Shared
	SyscallConstOffset
	ToolName
	Uumn
	VerboseTkinfo

	// twinlink's own.
	AsNvlink
	LTOWith
	Ptxas
	Reproducible
	Toolkit

	numOptions

	firstOwn = AsNvlink // nvlink's are before
)

// Table is nvlink's options: names, shapes and releases by experiment, the
// words of Help ours. The order is that of nvlink's --help; the hidden ones
// follow, and last twinlink's own.
var Table = [numOptions]Option{
	OfastCompile:             {"Ofast-compile", "Ofc", Optional, since130, false, Inert, "", "0|min|mid|max", "fast-compile level of link-time optimization"},
	Xnvvm:                    {"Xnvvm", "Xnvvm", List, from, false, Inert, "", "option,...", "options for libnvvm (link-time optimization)"},
	Xptxas:                   {"Xptxas", "Xptxas", List, all, false, Inert, "", "option,...", "options for ptxas (link-time optimization)"},
	Arch:                     {"arch", "arch", Choice, all, false, Obeyed, "", "sm_NN", "architecture to link for"},
	CPUArch:                  {"cpu-arch", "cpu-arch", Choice, all, false, Inert, "unknown", "name", "architecture of the host"},
	Debug:                    {"debug", "g", Flag, all, false, Obeyed, "", "", "keep everything a debugger needs: no dead code is removed"},
	DeviceStackProtector:     {"device-stack-protector", "device-stack-protector", Truth, since130, false, Inert, "", "bool", "stack protectors (link-time optimization)"},
	DisableInfos:             {"disable-infos", "disable-infos", Flag, since130, false, Obeyed, "", "", "suppress warnings (as this option does in 13.0)"},
	DisableWarnings:          {"disable-warnings", "w", Flag, all, false, Obeyed, "", "", "suppress warnings (no effect in 13.0)"},
	DLTO:                     {"dlto", "dlto", Flag, all, false, Compiled, "", "", "link-time optimization"},
	DumpCallgraph:            {"dump-callgraph", "dump-callgraph", Flag, all, false, Obeyed, "", "", "print the call graph"},
	DumpCallgraphNoDemangle:  {"dump-callgraph-no-demangle", "dump-callgraph-no-demangle", Flag, all, false, Obeyed, "", "", "print the call graph with mangled names"},
	EmitPTX:                  {"emit-ptx", "emit-ptx", Flag, all, false, Compiled, "", "", "write PTX (link-time optimization)"},
	ExtraWarnings:            {"extra-warnings", "extrawarn", Flag, all, false, Obeyed, "", "", "warn about more"},
	GenHostLinkerScript:      {"gen-host-linker-script", "ghls", Optional, all, false, Obeyed, "lcs-abs", "lcs-abs|lcs-aug", "write a linker script for the host"},
	Help:                     {"help", "h", Flag, all, false, Obeyed, "", "", "print this text"},
	IgnoreHostInfo:           {"ignore-host-info", "ignore-host-info", Flag, all, false, Obeyed, "", "", "ignore the references of host objects"},
	KeepSystemLibraries:      {"keep-system-libraries", "keep-system-libraries", Flag, all, false, Obeyed, "", "", "keep all code of cudadevrt"},
	KernelsUsed:              {"kernels-used", "kernels-used", List, all, false, Obeyed, "", "part,...", "keep only the kernels whose name contains a part"},
	Library:                  {"library", "l", List, all, false, Obeyed, "", "name,...", "link libname.a"},
	LibraryPath:              {"library-path", "L", List, all, false, Obeyed, "", "folder,...", "folders to search for libraries"},
	LinkTimeOpt:              {"link-time-opt", "lto", Flag, all, false, Compiled, "", "", "link-time optimization"},
	Machine:                  {"machine", "m", Number, all, false, Obeyed, "64", "bits", "size of an address"},
	MaxRegCount:              {"maxrregcount", "maxrregcount", Number, all, false, Inert, "", "number", "registers of a thread (link-time optimization)"},
	NVVMPath:                 {"nvvmpath", "nvvmpath", Text, all, false, Inert, "", "folder", "folder of libnvvm (link-time optimization)"},
	OptionsFile:              {"options-file", "optf", Files, all, false, Obeyed, "", "file,...", "read more arguments from files"},
	OutputFile:               {"output-file", "o", Text, all, false, Obeyed, "", "file", "name of the output; must be given"},
	PreserveRelocs:           {"preserve-relocs", "preserve-relocs", Flag, all, false, Obeyed, "", "", "keep resolved relocations in .nv.resolvedrela"},
	RegisterLinkBinaries:     {"register-link-binaries", "", Text, all, false, Obeyed, "", "file", "write the names by which the host registers the inputs"},
	RelocatableLink:          {"relocatable-link", "r", Flag, all, false, Obeyed, "", "", "write an object for another link (13.0; no effect before)"},
	ReportArch:               {"report-arch", "report-arch", Flag, all, false, Obeyed, "", "", "name the target in messages"},
	SplitCompile:             {"split-compile", "split-compile", Number, from, false, Inert, "1", "number", "threads of libnvvm (link-time optimization)"},
	SplitCompileExtended:     {"split-compile-extended", "split-compile-extended", Number, from, false, Inert, "1", "number", "threads of the linker (link-time optimization)"},
	SuppressArchWarning:      {"suppress-arch-warning", "suppress-arch-warning", Flag, all, false, Obeyed, "", "", "don't warn of objects without code for the target"},
	SuppressDebugInfo:        {"suppress-debug-info", "suppress-debug-info", Flag, all, false, Obeyed, "", "", "with -g: drop debug symbols"},
	SuppressStackSizeWarning: {"suppress-stack-size-warning", "suppress-stack-size-warning", Flag, all, false, Obeyed, "", "", "don't warn if recursion makes a kernel's stack size unknown"},
	Time:                     {"time", "time", Text, all, false, Obeyed, "", "file", "write a table of phases; - is the standard output"},
	UidxFile:                 {"uidx-file", "uidx", Text, from, false, Refused, "", "file", "index of unified symbols"},
	UseHostInfo:              {"use-host-info", "use-host-info", Flag, all, false, Obeyed, "", "", "remove what host objects don't refer to"},
	VariablesUsed:            {"variables-used", "variables-used", List, all, false, Obeyed, "", "part,...", "keep only the variables whose name contains a part"},
	Verbose:                  {"verbose", "v", Flag, all, false, Obeyed, "", "", "print the resources of each kernel"},
	Version:                  {"version", "V", Flag, all, false, Obeyed, "", "", "print the version"},
	WarningAsError:           {"warning-as-error", "Werror", Flag, all, false, Obeyed, "", "", "make warnings errors"},

	Verbose2:     {"verbose2", "v2", Flag, since132, false, Obeyed, "", "", "print more about link-time optimization"},
	NVVMLatest:   {"nvvm-latest", "nvvm-latest", Flag, R135, false, Refused, "", "", "newest libnvvm (link-time optimization)"},
	AsToolsPatch: {"link-as-tools-patch", "astoolspatch", Flag, since133, false, Obeyed, "", "", "link code compiled as a tools' patch"},

	AllowUndefinedGlobals:   {"allow-undefined-globals", "allow-undefined-globals", Flag, all, true, Obeyed, "", "", "allow undefined variables"},
	CudaAPIVersion:          {"cuda-api-version", "cuda-api-version", Text, all, true, Obeyed, "", "N.N", "oldest API version the image is for"},
	StackProtectorThreshold: {"device-stack-protector-frame-size-threshold", "device-stack-protector-frame-size-threshold", Number, since130, true, Inert, "", "number", "frame size from which stacks are protected"},
	DisableSmemReservation:  {"disable-smem-reservation", "disable-smem-reservation", Truth, all, true, Obeyed, "", "bool", "reserve no shared memory"},
	DontReserveNullPointer:  {"dont-reserve-null-pointer", "dont-reserve-null-pointer", Flag, all, true, Inert, "", "", "shared memory may begin at address 0"},
	DotFile:                 {"dot-file", "dot", Text, all, true, Obeyed, "", "file", "write the call graph for dot"},
	EnableExtendedSmem:      {"enable-extended-smem", "enable-extended-smem", Truth, since130, true, Inert, "", "bool", "more shared memory"},
	Fdcmpt:                  {"fdcmpt", "fdcmpt", Flag, all, true, Obeyed, "", "", "read, then refused"},
	ForcePartialLTO:         {"force-partial-lto", "force-partial-lto", Flag, all, true, Compiled, "", "", "link-time optimization of some"},
	ForceRela:               {"force-rela", "force-rela", Flag, all, true, Obeyed, "", "", "write relocations with addends"},
	ForceWholeLTO:           {"force-whole-lto", "force-whole-lto", Flag, all, true, Compiled, "", "", "link-time optimization of all"},
	HostCcbin:               {"host-ccbin", "host-ccbin", Text, all, true, Inert, "", "file", "compiler of the host"},
	HostLinkerOptions:       {"host-linker-options", "Xlinker", List, all, true, Inert, "", "option,...", "options for the host's linker"},
	NVHost:                  {"nv-host", "nv-host", Text, since130, true, Obeyed, "", "file", "content of .nv.host"},
	ReserveNullPointer:      {"reserve-null-pointer", "reserve-null-pointer", Flag, all, true, Obeyed, "", "", "nothing in shared memory has address 0"},
	Shared:                  {"shared", "shared", Flag, all, true, Inert, "", "", "no effect"},
	SyscallConstOffset:      {"syscall-const-offset", "syscall-const-offset", Number, all, true, Inert, "", "number", "no effect"},
	ToolName:                {"tool-name", "tool-name", Text, all, true, Obeyed, "", "name", "name in messages and in the note"},
	Uumn:                    {"uumn", "uumn", Flag, all, true, Inert, "", "", "no effect"},
	VerboseTkinfo:           {"verbose-tkinfo", "verbose-tkinfo", Truth, since130, true, Obeyed, "", "bool", "record file names in the note"},

	AsNvlink:     {"as-nvlink", "as-nvlink", Flag, all, true, Obeyed, "", "", "drop what nvlink drops silently, with a warning (twinlink only)"},
	LTOWith:      {"lto-with", "lto-with", Text, all, true, Obeyed, "", "auto|path", "compile LTO IR with this nvJitLink and PTX with ptxas (twinlink only)"},
	Ptxas:        {"ptxas", "ptxas", Text, all, true, Obeyed, "", "file", "the ptxas of --lto-with (twinlink only)"},
	Reproducible: {"reproducible", "reproducible", Flag, all, true, Obeyed, "", "", "omit paths and file names from the image (twinlink only)"},
	Toolkit:      {"toolkit", "toolkit", Choice, all, true, Obeyed, "", "N.N", "release to behave as (twinlink only)"},
}
