#!/usr/bin/env bash
# Makes mercury/table.tsv from mercury/ptx with ptxas 13.0 and nvlink 13.5: first
# the forms of all PTX and records by mercury/maketable, then, for records that are still
# unknown, what the four smaller learners find at them; at last nvlink is asked about
# all of it once more, and what it says otherwise is left out. What is done stays in WORK:
# LIMIT=600 ends after about so many seconds, with status 3, and the next call goes on.
# ONLY=TAG,... adds what the smaller learners find of these tags to the table as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
work=${WORK:-.mercury-table}
mkdir -p "$work/parts" "$work/forms" "$work/bits" "$work/slots" "$work/same"
records=${RECORDS:-mercury/ptx/records.txt}
table=$work/table.tsv
go build -o "$work/" ./mercury/ask ./mercury/maketable ./mercury/unknown
export ASK=$work/ask

# within CMD...: runs it for what is left of LIMIT.
within() {
  local left=$((${LIMIT:-1000000} - SECONDS)) status=0
  [ "$left" -gt 0 ] || { echo "mercury-table: LIMIT reached; the next call goes on" >&2; exit 3; }
  timeout "$left" "$@" || status=$?
  [ "$status" -ne 124 ] || { echo "mercury-table: LIMIT reached; the next call goes on" >&2; exit 3; }
  return "$status"
}

if [[ -n ${ONLY:-} ]]; then
  cp mercury/table.tsv "$table"
elif [[ ! -e $work/begun ]]; then
  within "$work/maketable" -parts "$work/parts" -each "${EACH:-60s}" -o "$table"
  touch "$work/begun"
fi

# learn LEARNER SECONDS: asks it about each tag of which a record is unknown, once.
learn() {
  local tag
  "$work/unknown" -records "$records" -table "$table" > "$work/left"
  for tag in $(if [[ -n ${ONLY:-} ]]; then tr ',' ' ' <<< "$ONLY"; else cut -c1-8 "$work/left" | sort -u; fi); do
    [[ -e $work/$1/$tag.done && -z ${ONLY:-} ]] || {
      BFS=1 within timeout --preserve-status -k 5 "$2" "scripts/mercury-$1.py" "$tag" "$work/left" "$work/$1" || echo "mercury-table: $1 of $tag: status $?" >&2
      touch "$work/$1/$tag.done"
    }
  done
  scripts/mercury-join.py "$table" "$work/$1"
}
learn bits 240
learn forms 60
learn slots 240
learn same 240
within "$work/maketable" -verify 1 -drop -o "$table"
cp "$table" mercury/table.tsv
go run ./mercury/describe
