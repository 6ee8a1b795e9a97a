#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other. The one place that
# starts fuzzing, in two gears:
#
#   scripts/fuzz.sh [EXECUTIONS [PATTERN]]      short: 200000 each of all targets
#   scripts/fuzz.sh --long TIME [PATTERN]       long: TIME each ("20m"), with a
#                                               corpus that is kept and grows
#
# The short budget is in executions and not in seconds, so that a slow machine
# does the same work. -fuzzminimizetime: at its default of a minute go spends a
# run on shrinking the first input of some kilobytes that it finds interesting.
#
# TWINLINK_FUZZ_CORPUS (.fuzz) is where the long gear keeps its corpus; what it
# found is exported to .fuzz/export/TARGET, one raw file an input, as libFuzzer
# and ClusterFuzz want it. The counts of a target's verdicts follow its run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

long=
if [ "${1:-}" = --long ]; then
	long=${2:?a time}
	shift 2
	set -- "$long" "${1:-.}"
fi
budget=${1:-200000}
pattern=${2:-.}
[ -n "$long" ] || budget=${budget}x

# "go test -list" prints a package's targets and then "ok <package> <time>". Only
# packages with a target are built.
mapfile -t packages < <(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -r -n 1 dirname | sort -u)
if [ ${#packages[@]} -eq 0 ]; then
	echo 'fuzz: no package has a target' >&2
	exit 1
fi
if ! listed=$(go test -list '^Fuzz' "${packages[@]}"); then
	echo "$listed" >&2
	exit 1
fi
targets=$(awk '/^Fuzz/ { names[n++] = $1 } $1 == "ok" { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' <<<"$listed" |
	grep -E "$pattern" || true)
if [ -z "$targets" ]; then
	echo "fuzz: no targets found that match '$pattern'" >&2
	exit 1
fi

# FuzzLive asks nvlink.
if ! ls "${TWINLINK_WITNESS:-.witness}"/*/nvlink >/dev/null 2>&1; then
	targets=$(grep -v ' FuzzLive$' <<<"$targets" || true)
	echo 'fuzz: nvlink is not installed (make witness): FuzzLive is left out' >&2
fi

counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT
export TWINLINK_FUZZ_COUNTS=$counts

# verdicts adds up what the processes of a target counted.
verdicts() {
	{ cat "$counts/$1"-* 2>/dev/null || true; } | awk -v name="$1" '
		$1 == "milliseconds" { if ($2 > ms) ms = $2; next } { sum[$1] += $2; all += $2 }
		END { if (!all) exit
			printf "fuzz: %s: %d a second", name, all * 1000 / (ms > 0 ? ms : 1)
			for (v in sum) printf ", %s %d", v, sum[v]
			print "" }'
}

store=${TWINLINK_FUZZ_CORPUS:-.fuzz}
count=0
while read -r package name; do
	echo "fuzz: $package $name, $budget"
	args=(-run '^$' -fuzz "^$name\$" -fuzztime "$budget" -fuzzminimizetime 10x "$package")
	if [ -n "$long" ]; then
		mkdir -p "$store/cache/$name"
		args+=(-args "-test.fuzzcachedir=$(cd "$store/cache/$name" && pwd)")
	fi
	go test "${args[@]}" </dev/null | tee "$counts/log"
	[ -z "$long" ] || go run ./fuzz/corpusfile -export "$store/export/$name" "$store/cache/$name"
	if ! grep -q 'fuzz: elapsed: .* execs: [1-9]' "$counts/log"; then
		echo "fuzz: $name ran no execution" >&2
		exit 1
	fi
	verdicts "$name"
	count=$((count + 1))
done <<<"$targets"
echo "fuzz: $count targets passed"
