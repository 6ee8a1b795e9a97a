# Go is all that "build", "test" and "demo" need. "witness" fetches NVIDIA's own
# tools, against which the other tests run; without them those are skipped, and
# the last lines of "make test" say how many.

EXECUTIONS ?= 200000

.PHONY: all build bin/twinlink test demo witness witness-all corpus vectors fuzz bench lint fmt clean

all: build lint test

build: bin/twinlink
	go build ./...

# The profile says what a link calls most, for the compiler to inline. "make profile"
# measures it anew; a plain "go build" does without and is 5 % slower.
bin/twinlink:
	CGO_ENABLED=0 go build -pgo=cmd/twinlink/link.pgo -o $@ ./cmd/twinlink
	CGO_ENABLED=0 go build -pgo=cmd/twinlink/link.pgo -o bin/twinlink-nvlink ./cmd/twinlink-nvlink
	go build -o bin/twinlink-nvjitlink ./cmd/twinlink-nvjitlink

# The skips are told in a file, since go test hides what a passing package prints.
test:
	@skips=$$(mktemp) && { TWINLINK_SKIPS=$$skips go test -timeout 25m ./...; status=$$?; \
	cat $$skips >&2; rm -f $$skips; exit $$status; }

demo:
	go run ./cmd/twinlink demo

# Builds with nvcc and CMake, with nvlink and with twinlink as nvlink. CUDA is the
# folder of a toolkit; default: that of the nvcc in PATH.
.PHONY: nvcc-demo
nvcc-demo:
	scripts/nvcc-demo.sh $(CUDA)

witness:
	scripts/witness.sh

witness-all:
	scripts/witness.sh all

# Links that NVIDIA's own tools get wrong, and what verify says of them: made afresh
# where the tools are installed, else as recorded.
.PHONY: trophies
trophies: bin/twinlink
	go run ./internal/trophies

# Makes the corpora of links anew with the witness; fails where anything differs.
# What needs a file that "make witness" can't fetch is named and left as it is.
corpus:
	go run ./corpus/internal/links
	go run ./corpus/internal/links -corpus corpus/testdata/mercury
	go run ./corpus/internal/links -corpus corpus/testdata/cases
	go run ./corpus/internal/capsules
	go run ./corpus/definitions/regen -every 50

# Asks nvlink all 10,025 questions of corpus/definitions again: ten minutes.
# "make corpus" asks each fiftieth.
.PHONY: definitions
definitions:
	go run ./corpus/definitions/regen

# Asks nvlink about corpus/testdata/relocs again; fails where it answers otherwise.
vectors:
	go run ./corpus/internal/vectors

# Makes mercury/table.tsv anew from mercury/ptx, with ptxas 13.0 and nvlink 13.5:
# one tag on each processor. ONLY=TAG,... adds a few forms in minutes.
.PHONY: mercury-table
mercury-table:
	scripts/mercury-table.sh

# Fetches wheels with code for sm_100 and up and prints, by family, how many of
# their stored nodes the table makes again.
.PHONY: mercury-eval
mercury-eval:
	scripts/mercury-eval.sh

# The short gear: every target for so many executions.
fuzz:
	scripts/fuzz.sh $(EXECUTIONS)

# The long gear: every target for a time, with a corpus in .fuzz that is kept.
T ?= 10m
.PHONY: fuzz-long
fuzz-long:
	scripts/fuzz.sh --long $(T)

# Relocations alone, as fast as it goes.
.PHONY: storm
storm:
	go run ./cmd/twinlink storm --duration $(T)

# Plants the faults of fuzz/power/faults one by one and says what finds them. Goes on
# where .power.json ends; POWER="--limit 9m" makes a portion, "--draw 200" draws faults.
.PHONY: power
power:
	go run ./cmd/twinlink power --live --fuzz --resume $(POWER)

# Beside a C program that touches the same bytes, and nvlink where the witness is
# installed; fails where time grows faster than size^1.2.
bench:
	go run ./internal/bench

# Static pages of the corpus, the relocation types and the ledger.
SITE ?= site
.PHONY: site man snapshot
site:
	go run ./corpus/internal/site -o $(SITE)

# Manual pages of all commands.
man:
	go run -tags man ./cmd/twinlink man bin/man

# What a release would be, without publishing it.
snapshot:
	goreleaser release --snapshot --clean

.PHONY: profile
profile:
	go run ./internal/bench -profile cmd/twinlink/link.pgo

lint:
	scripts/lint.sh

fmt:
	gofmt -l -w $(wildcard *.go) $(wildcard */)

clean:
	rm -rf bin
