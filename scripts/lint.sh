#!/usr/bin/env bash
# gofmt, vet and staticcheck, each pinned: the first two with the toolchain of
# go.mod, staticcheck by its version here, not in go.mod, where it would become
# a dependency of everybody who uses the library.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

unformatted=$(find . -path './.?*' -prune -o -name '*.go' -print0 | xargs -0 gofmt -l)
if [ -n "$unformatted" ]; then
	printf 'lint: not as gofmt writes it (make fmt):\n%s\n' "$unformatted" >&2
	exit 1
fi
go vet ./...
go run "$staticcheck" ./...
for script in scripts/*.sh .ci/run; do bash -n "$script"; done
