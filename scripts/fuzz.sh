#!/usr/bin/env bash
# Runs every fuzz target of the module, one after the other. The one place that
# starts fuzzing:
#
#   scripts/fuzz.sh [EXECUTIONS [PATTERN]]    200000 each of all targets
#
# The budget is in executions and not in seconds, so that a slow machine does
# the same work. -fuzzminimizetime: at its default of a minute go spends a run
# on shrinking the first input of some kilobytes that it finds interesting.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

executions=${1:-200000}
pattern=${2:-.}

# "go test -list" prints a package's targets and then "ok <package> <time>".
if ! listed=$(go test -list '^Fuzz' ./...); then
	echo "$listed" >&2
	exit 1
fi
targets=$(awk '/^Fuzz/ { names[n++] = $1 } $1 == "ok" { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }' <<<"$listed" |
	grep -E "$pattern" || true)
if [ -z "$targets" ]; then
	echo "fuzz: no targets found that match '$pattern'" >&2
	exit 1
fi
count=0
while read -r package name; do
	echo "fuzz: $package $name, $executions executions"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "${executions}x" -fuzzminimizetime 10x "$package" </dev/null
	count=$((count + 1))
done <<<"$targets"
echo "fuzz: $count targets passed"
