package importrules

// The arrows of the house point to what is imported:
//
//	cuda <- cubin <- engine
//	cuda <- oracle
//
// Beside and above both stand what looks at files (dump, diff, usage, capsule,
// selfcheck, mercury), what asks the tools (witness), what is data (corpus), and
// what sets one against the other (fuzz, report). cmd/twinlink is on top.

// rule allows a package, or with "/..." all below a folder, to import others.
// An import is written as the package's folder, or for another module as its
// path.
type rule struct {
	from string
	to   []string // by any file
	test []string // by tests besides
}

const (
	cmp         = "github.com/google/go-cmp/cmp"
	fuzzHeaders = "github.com/AdaLogics/go-fuzz-headers"
	tablewriter = "github.com/olekukonko/tablewriter"
	cobra       = "github.com/spf13/cobra"
	pflag       = "github.com/spf13/pflag"
	jsonSchema  = "github.com/xeipuuv/gojsonschema"
	purego      = "github.com/ebitengine/purego"
	zstd        = "github.com/klauspost/compress/zstd"
	lz4         = "github.com/pierrec/lz4/v4"
	testscript  = "github.com/rogpeppe/go-internal/testscript"
)

var rules = []rule{
	{from: "cuda"},
	{from: "internal/importrules"},
	{from: "internal/cputime"},
	{from: "internal/bench", to: of("internal/biglink", "internal/nvidia", "engine", "oracle/check")}, // it measures both programs
	{from: "internal/bench/empty"},
	{from: "internal/bench/gofloor", to: of("cubin", "cuda")},
	{from: "cubin", to: of("cuda"), test: of("internal/cputime", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// One counterpart. Its tests ask the corpus and the tools, never the other.
	{from: "engine/descriptor", to: of("cuda"), test: of("corpus/relocs", cmp)},
	// The engine's phases, each by the ones before it; the two backends know
	// nothing of each other.
	{from: "engine/internal/diag", test: of("engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/room"},
	{from: "engine/internal/parallel", test: of("engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/names", to: of("engine/internal/room"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/release", to: of("cuda"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/input", to: of("engine/internal/room", "cubin", "cuda", "internal/finalizer", "engine/internal/diag", "engine/internal/parallel", "engine/internal/release"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/model", to: of("cubin", "cuda", "engine/internal/diag", "engine/internal/input", "engine/internal/names", "engine/internal/release"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/merge", to: of("engine/internal/room", "cubin", "cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/names", "engine/internal/release", "engine/internal/input", "engine/internal/model", "engine/internal/parallel"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/reach", to: of("cuda", "engine/internal/diag", "engine/internal/names", "engine/internal/model"), test: of("internal/enginetest", "engine/internal/release", "engine/internal/input", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/layout", to: of("cuda", "engine/internal/diag", "engine/internal/names", "engine/internal/model", "engine/internal/reach"), test: of("internal/enginetest", "cubin", "engine/internal/input", "engine/internal/release", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/resources", to: of("cuda", "engine/internal/diag", "engine/internal/names", "engine/internal/model", "engine/internal/reach", "engine/internal/layout"), test: of("internal/enginetest", "engine/internal/input", "engine/internal/release", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/resolve", to: of("cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/names", "engine/internal/release", "engine/internal/model", "engine/internal/layout", "engine/internal/resources", "engine/internal/parallel"), test: of("internal/enginetest", "cubin", "engine/internal/input", "engine/internal/reach", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/output", to: of("engine/internal/room", "cubin", "cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/names", "engine/internal/release", "engine/internal/input", "engine/internal/model", "engine/internal/reach", "engine/internal/layout", "engine/internal/resources", "engine/internal/resolve", "engine/internal/parallel"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/sass", to: of("cubin", "cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/names", "engine/internal/model", "engine/internal/layout", "engine/internal/resolve", "engine/internal/output", "engine/internal/parallel"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/resched", test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "cubin", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "engine/internal/mercury", to: of("capsule", "cubin", "cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/names", "engine/internal/input", "engine/internal/model", "engine/internal/layout", "engine/internal/resolve", "engine/internal/output", "engine/internal/parallel", "engine/internal/resched"), test: of("internal/enginetest", "engine", "internal/biglink", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "internal/answers", to: of("cubin", "cuda", "engine", "fuzz")},
	{from: "internal/enginetest", to: of("corpus/relocs", "internal/vectorlink", "internal/answers", "fuzz", "engine", "corpus", "corpus/definitions", "internal/cmdline", "internal/cufilt", "internal/ownwarnings")},
	{from: "engine", to: of("cubin", "cuda", "engine/descriptor", "engine/internal/diag", "engine/internal/parallel", "engine/internal/names", "engine/internal/release", "engine/internal/input", "engine/internal/model", "engine/internal/merge", "engine/internal/reach", "engine/internal/layout", "engine/internal/resources", "engine/internal/resolve", "engine/internal/output", "engine/internal/sass", "engine/internal/mercury"), test: of("capsule", "corpus", "internal/biglink", "corpus/relocs", "internal/cmdline", "internal/diff", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// The other. cuda is all that it knows besides the standard library.
	{from: "oracle", to: of("cuda"), test: of("corpus/relocs", cmp)},
	{from: "oracle/internal/capsule", test: of("corpus")},
	// The check of an output: phases, each by the ones before it, and comparisons that know nothing of each other.
	{from: "oracle/check/verdict", to: of("cuda", "oracle")},
	{from: "oracle/check/internal/said", to: of("oracle/check/verdict")},
	{from: "oracle/check/internal/image", to: of("cuda", "oracle", "oracle/check/verdict")},
	{from: "oracle/check/internal/sass", to: of("cuda", "oracle/check/internal/image")},
	{from: "oracle/check/internal/link", to: of("cuda", "oracle", "oracle/internal/capsule", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass"), test: of("internal/oracletest")},
	{from: "oracle/check/internal/resolve", to: of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/link")},
	{from: "oracle/check/internal/reach", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/resolve"), test: of("internal/oracletest")},
	{from: "oracle/check/internal/place", to: of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/reach"), test: of("internal/oracletest", "internal/relayout", "oracle/check/internal/resolve")},
	{from: "oracle/check/internal/apply", to: of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/resolve", "oracle/check/internal/reach", "oracle/check/internal/place"), test: of("internal/oracletest", "internal/relayout")},
	{from: "oracle/check/internal/schedule", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply"), test: of("oracle")},
	{from: "oracle/check/internal/capsules", to: of("cuda", "oracle", "oracle/internal/capsule", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply"), test: of("oracle/check/internal/said")},
	{from: "oracle/check/internal/code", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply", "oracle/check/internal/schedule", "oracle/check/internal/capsules"), test: of("oracle", "oracle/check/internal/said")},
	{from: "oracle/check/internal/tables", to: of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply")},
	{from: "oracle/check/internal/debug", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply")},
	{from: "oracle/check/internal/symbols", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/link", "oracle/check/internal/place", "oracle/check/internal/apply"), test: of("oracle", "oracle/check/internal/sass")},
	{from: "oracle/check/internal/records", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/apply")},
	{from: "oracle/check/internal/shared", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/link", "oracle/check/internal/place", "oracle/check/internal/apply"), test: of("internal/oracletest")},
	{from: "oracle/check/internal/facts", to: of("cuda", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/sass", "oracle/check/internal/link", "oracle/check/internal/reach", "oracle/check/internal/apply"), test: of("oracle")},
	{from: "oracle/check/internal/calls", to: of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/link", "oracle/check/internal/apply")},
	{
		from: "oracle/check",
		to:   of("cuda", "oracle", "oracle/check/verdict", "oracle/check/internal/image", "oracle/check/internal/link", "oracle/check/internal/sass", "oracle/check/internal/apply", "oracle/check/internal/calls", "oracle/check/internal/capsules", "oracle/check/internal/code", "oracle/check/internal/debug", "oracle/check/internal/facts", "oracle/check/internal/records", "oracle/check/internal/shared", "oracle/check/internal/symbols", "oracle/check/internal/tables"),
		test: of("corpus", "corpus/corpustest", "fuzz/power/trial", "internal/oracletest", "internal/ptxgen", "internal/relayout", "internal/nvidia", "internal/nvidia/nvidiatest", "oracle/check/internal/place", cmp),
	},
	{from: "internal/oracletest", to: of("corpus", "oracle/check/verdict")},
	{from: "internal/documents", to: of("cuda", "oracle"), test: of(cmp)},
	{from: "oracle/internal/onerecord", test: of("cuda", "oracle", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// What looks at one file, or at two. They name relocated fields by the
	// engine's table and judge nothing by it.
	{from: "internal/dump", to: of("cubin", "cuda", "engine/descriptor"), test: of("corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "internal/diff", to: of("cubin", "cuda", "internal/dump", "engine/descriptor"), test: of("corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "internal/anatomy", to: of("cubin", "cuda"), test: of("corpus", cmp)},
	{from: "internal/usage", to: of("cubin", "cuda"), test: of("corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "internal/cmdline", to: of("cubin", "cuda", "engine"), test: of("corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// The files in which device code travels. The engine knows none of them.
	{from: "internal/hostelf", test: of(cmp)},
	{from: "internal/container", to: of("cuda", zstd, lz4), test: of(cmp)},
	{from: "internal/families", to: of("internal/container"), test: of("corpus")},

	// What a command line's files give a link.
	{from: "internal/cufilt"},
	{from: "internal/inputs", to: of("internal/cmdline", "internal/container", "internal/lto", "cubin", "cuda", "engine"), test: of("internal/hostelf", "corpus/definitions", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// What judges a capsule.
	{from: "capsule", to: of("cubin", "cuda"), test: of("corpus/corpustest", "corpus", cmp)},
	{from: "internal/dwarf", to: of("capsule", "cubin")},
	{from: "internal/capsule/...", to: of("capsule", "internal/dwarf", "internal/capsule/...", "cubin", "cuda"), test: of("corpus/corpustest", "corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "mercury/...", to: of("capsule", "cubin", "cuda", "mercury/...", "internal/families", "internal/nvidia"), test: of("corpus", "internal/nvidia/nvidiatest", "internal/nvidia/replay", cmp)},
	{from: "selfcheck/survey", to: of("selfcheck", "internal/families")},
	{from: "selfcheck/...", to: of("capsule", "internal/dwarf", "cubin", "cuda", "mercury", "selfcheck/..."), test: of("corpus/corpustest", "corpus", "engine", "fuzz/power/trial", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// What may be finalized for what.
	{from: "internal/finalizer", to: of("cubin", "cuda"), test: of("corpus", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// The tools. It reads the few bytes it needs itself: a reader shared with the
	// engine would be believed about the files that are to judge it.
	{from: "internal/nvidia", to: of("cuda"), test: of("internal/nvidia/nvidiatest")},
	{from: "internal/nvidia/nvidiatest", to: of("internal/nvidia")},
	{from: "internal/nvidia/replay", to: of("internal/nvidia", "internal/nvidia/nvidiatest")},

	// The linker as a library, asked through a process of its own. purego stays in
	// that process.
	{from: "internal/nvjitlink", to: of("internal/nvjitlink/wire"), test: of("corpus", "internal/nvjitlink/nvjitlinktest", cmp)},
	{from: "internal/nvjitlink/wire"},
	{from: "internal/nvjitlink/worker", to: of("internal/nvjitlink/wire", purego)},
	{from: "internal/nvjitlink/nvjitlinktest", to: of("internal/nvidia/nvidiatest", "internal/nvjitlink", "internal/nvjitlink/worker")},
	{from: "cmd/twinlink-nvjitlink", to: of("internal/nvjitlink/worker")},

	// A link command. What is here starts with every link of a build.
	{from: "internal/filemap", to: of("internal/container", "cubin")},
	{from: "internal/outfile"},
	{
		from: "internal/linkcommand",
		to: of("internal/cmdline", "internal/container", "internal/cputime", "internal/cufilt", "internal/filemap", "internal/inputs", "internal/lto",
			"internal/nvjitlink", "internal/outfile", "internal/usage", "cubin", "cuda", "engine"),
		test: of("corpus", "corpus/definitions", "internal/hostelf", "internal/nvidia", "internal/nvidia/nvidiatest", "internal/ownwarnings", "internal/splitmix", cmp),
	},
	{from: "cmd/twinlink-nvlink", to: of("internal/linkcommand")},

	// What any command may use.
	{from: "internal/terminal", to: of("github.com/fatih/color", "github.com/mattn/go-isatty")},
	{from: "internal/progress", to: of("internal/terminal", "github.com/cheggaaa/pb/v3")},
	{from: "internal/sbom", to: of("github.com/CycloneDX/cyclonedx-go")},
	{from: "internal/ownwarnings"},
	{from: "internal/repro"},
	{from: "internal/fuzzlog"},

	// What host code registers, held against the device code that is there.
	{from: "internal/registration", to: of("internal/container", "cubin", "cuda"), test: of("internal/hostelf", cmp)},

	// NVIDIA's compilers, for what a link finds uncompiled.
	{from: "internal/lto", to: of("internal/nvjitlink"), test: of("internal/nvidia", "internal/nvidia/nvidiatest", "internal/nvjitlink/nvjitlinktest", cmp)},

	// Data, and the programs that make it again.
	{from: "corpus", to: of("corpus/internal/manifest"), test: of("internal/nvidia", "internal/nvidia/nvidiatest")},
	{from: "corpus/corpustest", to: of("corpus")},
	{from: "corpus/demo", to: of("corpus"), test: of("corpus/internal/manifest")},
	{from: "corpus/relocs", to: of("corpus", "cuda"), test: of("corpus/internal/expect", "internal/vectorlink")},
	{from: "corpus/internal/manifest"},
	{from: "corpus/internal/ptxgen", to: of("internal/ptxgen")},
	{from: "corpus/internal/links", to: of("corpus/internal/manifest")},
	{from: "corpus/internal/jitnvlink", to: of("internal/nvjitlink", "internal/nvjitlink/worker")},
	{from: "corpus/internal/capsules", to: of("capsule", "internal/capsule/model", "corpus", "cubin", "cuda", "internal/nvidia")},
	{from: "corpus/internal/expect", to: of("corpus/relocs", "cuda", "oracle")},
	{from: "corpus/internal/vectors", to: of("corpus/relocs", "corpus/internal/expect", "cuda", "oracle", "internal/nvidia")},
	{from: "corpus/hosts", to: of("corpus", "cubin", "cuda", "internal/hostelf"), test: of("engine", "internal/cmdline", "internal/inputs", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},
	{from: "corpus/definitions"},
	{from: "corpus/real", to: of("internal/nvidia")},
	{from: "corpus/definitions/regen", to: of("corpus/definitions", "internal/nvidia")},
	// Made on the spot: it asks nvlink and the command line and reports.
	{from: "corpus/internal/live", to: of("internal/ptxgen", "internal/splitmix", "internal/diff", "report", "internal/nvidia", "internal/ownwarnings"), test: of("internal/nvidia/nvidiatest", cmp)},
	{from: "internal/splitmix"},
	{from: "internal/relayout", to: of("cuda"), test: of("corpus", "oracle/check")},
	{from: "internal/vectorlink", to: of("corpus/relocs", "engine", "internal/cmdline")},
	{from: "internal/ptxgen", to: of("internal/splitmix")},
	{from: "internal/biglink", to: of("cubin", "cuda"), test: of("engine", "internal/nvidia", "internal/nvidia/nvidiatest", "internal/nvidia/replay")},
	{from: "corpus/internal/bed", to: of("cuda", "internal/splitmix", "internal/container", "internal/diff", "internal/ptxgen", "internal/nvidia", "internal/nvjitlink", "internal/nvjitlink/worker", "internal/ownwarnings"), test: of("internal/nvidia/nvidiatest", "internal/nvidia/replay")},

	{from: "corpus/internal/site", to: of("internal/vectorlink", "corpus", "corpus/relocs", "corpus/internal/expect", "cuda", "engine", "engine/descriptor", "internal/claims", "internal/cmdline", "internal/verify", "oracle", "report")},

	// The ledger is data; its experiments look wherever a claim can be decided, and nothing imports them.
	{from: "internal/claims"},

	// What one page says of NV50, by its formulas and by its sentences: neither
	// side knows the other.
	{from: "internal/nv50/formula"},
	{from: "internal/nv50/prose"},
	{from: "internal/nv50", to: of("internal/nv50/formula", "internal/nv50/prose")},
	{from: "internal/claims/experiments", test: of("corpus", "corpus/relocs", "cubin", "cuda", "oracle", "internal/nvidia", "internal/nvidia/nvidiatest", cmp)},

	// One against the other.
	{from: "fuzz/storm", to: of("cuda", "engine/descriptor", "oracle")},
	{from: "fuzz/power/condition"},
	{from: "fuzz/power/trial", to: of("fuzz/power/condition")},
	{from: "fuzz/power", test: of("internal/nvidia", "internal/nvidia/nvidiatest")},
	{from: "fuzz/reduce", to: of("cubin", "cuda"), test: of("corpus")},
	{from: "fuzz/opinion", to: of("fuzz/reduce", "internal/cmdline", "internal/diff", "engine", "internal/nvidia", "oracle/check")},
	{from: "corpus/internal/opponent", to: of("corpus", "cubin", "engine", "fuzz", "internal/nvidia", "internal/nvjitlink")},
	{from: "corpus/internal/wrongcode", to: of("cubin", "cuda", "engine", "fuzz", "internal/diff", "internal/hostelf", "internal/nvidia", "internal/nvjitlink", "oracle/check")},
	{from: "fuzz/objects", to: of("cubin", "cuda"), test: of("corpus", "engine", "internal/cmdline")},
	{from: "fuzz/corpusfile"},
	{from: "fuzz/libfuzzer", to: of("C", "fuzz")},
	{
		from: "fuzz",
		to: of(
			"internal/anatomy",
			"internal/cmdline",
			"corpus",
			"cubin",
			"cuda",
			"internal/diff",
			"internal/dump",
			"engine",
			"engine/descriptor",
			"fuzz/objects",
			"fuzz/opinion",
			"fuzz/reduce",
			"fuzz/storm",
			"internal/ptxgen",
			"capsule",
			"selfcheck",
			"internal/cputime",
			"oracle",
			"oracle/check",
			"internal/documents",
			"internal/nvidia",
			"internal/nvjitlink",
			"internal/ownwarnings",
			fuzzHeaders,
		),
		test: of("internal/nvidia/nvidiatest", "internal/nvjitlink/nvjitlinktest", cmp),
	},
	{from: "internal/trophies", to: of("internal/nvidia", "internal/nvjitlink"), test: of("oracle/check", "internal/nvidia/replay")},
	{from: "internal/judge", to: of("fuzz/power", "fuzz/power/condition", "internal/relayout", "internal/splitmix", "cuda", "internal/nvidia", "internal/nvjitlink", "internal/ptxgen", "oracle", "oracle/check"), test: of("corpus", "cubin", "internal/nvidia/nvidiatest", "internal/nvidia/replay")},
	{from: "internal/verify", to: of("cubin", "internal/nvjitlink", "internal/cmdline", "internal/container", "internal/inputs", "cuda", "internal/diff", "engine", "engine/descriptor", "oracle", "oracle/check", "report", "internal/nvidia"), test: of("internal/vectorlink", "corpus", "corpus/relocs", "internal/nvidia/nvidiatest", "internal/nvjitlink/nvjitlinktest", cmp)},
	{from: "report", to: of(tablewriter + "/..."), test: of(cmp, jsonSchema, "github.com/chromedp/...")},

	// The top imports what it likes of the module, but for what only tests use.
	{
		from: "cmd/twinlink",
		to: of(
			"capsule",
			"internal/dwarf",
			"internal/capsule/model",
			"internal/capsule/view",
			"internal/anatomy",
			"internal/cputime",
			"internal/cmdline",
			"internal/container",
			"internal/inputs",
			"internal/linkcommand",
			"internal/outfile",
			"internal/filemap",
			"internal/lto",
			"internal/registration",
			"corpus",
			"corpus/demo",
			"cubin",
			"cuda",
			"internal/diff",
			"internal/claims",
			"internal/nv50",
			"internal/nvjitlink",
			"internal/dump",
			"engine",
			"engine/descriptor",
			"fuzz",
			"fuzz/storm",
			"fuzz/power",
			"fuzz/opinion",
			"fuzz/reduce",
			"internal/finalizer",
			"mercury",
			"oracle",
			"oracle/check",
			"internal/documents",
			"report",
			"selfcheck",
			"internal/usage",
			"internal/progress",
			"internal/terminal",
			"internal/repro",
			"internal/fuzzlog",
			"internal/verify",
			"internal/nvidia",
			"internal/cufilt",
			cobra+"/...",
			pflag,
		),
		test: of("corpus", "corpus/definitions", "fuzz/power/trial", "internal/answers", "internal/biglink", "internal/hostelf", "internal/nvidia/nvidiatest", "internal/ownwarnings", cmp, testscript, "go.yaml.in/yaml/v3"),
	},
}

func of(list ...string) []string { return list }
