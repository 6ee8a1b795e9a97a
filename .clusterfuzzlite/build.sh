#!/usr/bin/env bash
# Builds the targets as libFuzzer programs into $OUT, with clang, each with its
# seeds beside it as TARGET_seed_corpus.zip. OSS-Fuzz and ClusterFuzzLite set OUT,
# CC and LIB_FUZZING_ENGINE; by hand:
#
#   OUT=/tmp/fuzzers .clusterfuzzlite/build.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
: "${OUT:?the folder for the programs}"
CC=${CC:-clang}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
mkdir -p "$OUT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# TWINLINK_FUZZ_TARGETS names some of them; without it all are built.
targets=${TWINLINK_FUZZ_TARGETS:-$(go run ./fuzz/libfuzzer -list)}
[ -n "$targets" ] || { echo 'build: no target' >&2; exit 1; }
for target in $targets; do
	CGO_ENABLED=1 CC=$CC go build -trimpath -tags libfuzzer -gcflags=all=-d=libfuzzer -buildmode=c-archive \
		-ldflags "-X main.target=$target" -o "$work/$target.a" ./fuzz/libfuzzer
	# shellcheck disable=SC2086 # the engine may be several words
	$CC ${CFLAGS:-} $engine "$work/$target.a" -o "$OUT/$target"
	go run ./fuzz/libfuzzer -seeds "$work/seeds/$target" "$target"
	(cd "$work/seeds/$target" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
done
