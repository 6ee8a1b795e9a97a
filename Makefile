# Go is all that "build", "test" and "demo" need. "witness" fetches NVIDIA's own
# tools, against which the other tests run; without them those are skipped, and
# the last lines of "make test" say how many.

EXECUTIONS ?= 200000

.PHONY: all build test witness witness-all fuzz bench lint fmt clean

all: build lint test

build:
	go build ./...

# The skips are told in a file, since go test hides what a passing package prints.
test:
	@skips=$$(mktemp) && { TWINLINK_SKIPS=$$skips go test ./...; status=$$?; \
	cat $$skips >&2; rm -f $$skips; exit $$status; }

ifneq ($(wildcard cmd/twinlink/*.go),)
.PHONY: demo
build: bin/twinlink
.PHONY: bin/twinlink
bin/twinlink:
	go build -o $@ ./cmd/twinlink

demo:
	go run ./cmd/twinlink demo
endif

witness:
	scripts/witness.sh

witness-all:
	scripts/witness.sh all

# Regenerates corpus/links with the witness; fails where a file changes.
ifneq ($(wildcard corpus/links/*.go corpus/*.go),)
.PHONY: corpus
corpus:
	go generate ./corpus/...
	git diff --exit-code --stat -- corpus
endif

# Asks nvlink about corpus/relocs again; fails where it answers otherwise.
ifneq ($(wildcard corpus/relocs/regen/*.go),)
.PHONY: vectors
vectors:
	go run ./corpus/relocs/regen
endif

fuzz:
	scripts/fuzz.sh $(EXECUTIONS)

bench:
	go test -run '^$$' -bench . -benchmem ./...

lint:
	scripts/lint.sh

fmt:
	gofmt -l -w $(wildcard *.go) $(wildcard */)

clean:
	rm -rf bin
