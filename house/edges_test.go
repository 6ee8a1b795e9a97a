package house

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
	demangle    = "github.com/ianlancetaylor/demangle"
	testscript  = "github.com/rogpeppe/go-internal/testscript"
)

var rules = []rule{
	{from: "cuda"},
	{from: "house"},
	{from: "internal/cputime"},
	{from: "cubin", to: of("cuda"), test: of("internal/cputime", "corpus/links", "witness", "witness/witnesstest", cmp)},

	// One twin. Its tests ask the corpus and the tools, never the other.
	{from: "engine/descriptor", to: of("cuda"), test: of("corpus/relocs", cmp)},
	{from: "engine/...", to: of("capsule", "cubin", "cuda", "engine/...", "finalizer"), test: of("corpus/biglink", "corpus/links", "corpus/mercury", "corpus/relocs", "cmdline", "diff", "witness", "witness/witnesstest", cmp)},

	// The other. cuda is all that it knows besides the standard library.
	{from: "oracle", to: of("cuda"), test: of("corpus/relocs", cmp)},
	{from: "oracle/capsule", test: of("corpus/mercury")},
	{from: "oracle/link", to: of("cuda", "oracle", "oracle/capsule"), test: of("corpus/links", "corpus/mercury", "corpus/ptxgen", "witness", "witness/witnesstest", cmp)},
	{from: "oracle/seed", to: of("cuda", "oracle"), test: of(cmp)},
	{from: "oracle/onerecord", test: of("cuda", "oracle", "witness", "witness/witnesstest", cmp)},

	// What looks at one file, or at two. They name relocated fields by the
	// engine's table and judge nothing by it.
	{from: "dump", to: of("cubin", "cuda", "engine/descriptor"), test: of("corpus/links", "witness", "witness/witnesstest", cmp)},
	{from: "diff", to: of("cubin", "cuda", "dump", "engine/descriptor"), test: of("corpus/links", "witness", "witness/witnesstest", cmp)},
	{from: "usage", to: of("cubin", "cuda"), test: of("corpus/links", "witness", "witness/witnesstest", cmp)},
	{from: "cmdline", to: of("cubin", "cuda", "engine"), test: of("corpus/links", "witness", "witness/witnesstest", cmp)},

	// What judges a capsule.
	{from: "capsule/...", to: of("capsule/...", "cubin", "cuda"), test: of("corpus/capsules", "corpus/links", "witness", "witness/witnesstest", cmp)},
	{from: "mercury/...", to: of("capsule/...", "cubin", "cuda", "mercury/...", "witness"), test: of("corpus/links", "witness/witnesstest", cmp)},
	{from: "selfcheck/...", to: of("capsule/...", "cubin", "cuda", "mercury", "selfcheck/..."), test: of("corpus/capsules", "corpus/links", "engine", "witness", "witness/witnesstest", cmp)},

	// What may be finalized for what.
	{from: "finalizer", to: of("cubin", "cuda"), test: of("corpus/mercury", "witness", "witness/witnesstest", cmp)},

	// The tools. It reads the few bytes it needs itself: a reader shared with the
	// engine would be believed about the files that are to judge it.
	{from: "witness", to: of("cuda"), test: of("witness/witnesstest")},
	{from: "witness/witnesstest", to: of("witness")},

	// Data, and the programs that make it anew.
	{from: "corpus/links", to: of("corpus/links/manifest")},
	{from: "corpus/links/manifest"},
	{from: "corpus/mercury", to: of("corpus/links")},
	{from: "corpus/ptxgen"},
	{from: "corpus/ptxgen/write", to: of("corpus/ptxgen")},
	{from: "corpus/regen", to: of("corpus/links/manifest")},
	{from: "corpus/biglink", to: of("cubin", "cuda"), test: of("engine", "witness", "witness/witnesstest")},
	{from: "corpus/capsules", test: of("witness", "witness/witnesstest")},
	{from: "corpus/capsules/regen", to: of("capsule", "capsule/model", "corpus/capsules", "cubin", "cuda", "witness")},
	// Made on the spot: it asks nvlink and the command line and reports.
	{from: "corpus/live", to: of("corpus/ptxgen", "diff", "report", "witness"), test: of("witness/witnesstest", cmp)},
	{from: "corpus/relocs", to: of("cuda")},
	{from: "corpus/relocs/expect", to: of("corpus/relocs", "cuda", "oracle")},
	{from: "corpus/relocs/regen", to: of("corpus/relocs", "corpus/relocs/expect", "cuda", "oracle", "witness")},

	// The ledger is data; its experiments look wherever a claim can be decided, and nothing imports them.
	{from: "docs/claims"},
	{from: "docs/claims/nv50"},
	{from: "docs/claims/experiments", test: of("corpus/links", "corpus/relocs", "cubin", "cuda", "oracle", "witness", "witness/witnesstest", cmp)},

	// One against the other.
	{
		from: "fuzz",
		to: of(
			"cmdline",
			"corpus/links",
			"corpus/mercury",
			"cubin",
			"cuda",
			"diff",
			"dump",
			"engine",
			"engine/descriptor",
			"internal/cputime",
			"oracle",
			"oracle/link",
			"oracle/seed",
			"witness",
			fuzzHeaders,
		),
		test: of("witness/witnesstest", cmp),
	},
	{from: "verify", to: of("cmdline", "cuda", "diff", "engine", "engine/descriptor", "oracle", "oracle/link", "report", "witness"), test: of("corpus/links", "corpus/relocs", "witness/witnesstest", cmp)},
	{from: "report", to: of(tablewriter + "/..."), test: of(cmp)},

	// The top imports what it likes of the module, but for what only tests use.
	{
		from: "cmd/twinlink",
		to: of(
			"capsule",
			"capsule/dwarf",
			"capsule/model",
			"capsule/view",
			"cmdline",
			"corpus/links",
			"cubin",
			"cuda",
			"diff",
			"docs/claims",
			"dump",
			"engine",
			"engine/descriptor",
			"finalizer",
			"mercury",
			"oracle",
			"oracle/link",
			"oracle/seed",
			"report",
			"selfcheck",
			"usage",
			"verify",
			"witness",
			demangle,
		),
		test: of("corpus/biglink", "corpus/capsules", "witness/witnesstest", cmp, testscript),
	},
}

func of(list ...string) []string { return list }
