#!/usr/bin/env bash
# Makes mercury/table.tsv from mercury/ptx with ptxas 13.0 and nvlink 13.5: first
# the forms of all PTX and records by mercury/maketable, then, for records that are still
# unknown, what the seven smaller learners find at them; at last nvlink is asked about
# all of it once more, and what it says otherwise is left out. What is done stays in WORK:
# LIMIT=600 ends after about so many seconds, with status 3, and the next call goes on.
# What a tag may cost is counted in links, so the outcome doesn't depend on the machine.
# OUT: the table that is written; none: mercury/table.tsv and what is made of it.
# CUBINS=FOLDER|WHEEL...: rules of PLAIN words are tried on theirs, for all SMs, and stay where they hold.
# ONLY=TAG,... adds what the smaller learners find of these tags to the table as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
work=${WORK:-.mercury-table}
mkdir -p "$work/parts" "$work/forms" "$work/bits" "$work/slots" "$work/same" "$work/grid" "$work/fields" "$work/calls"
records=${RECORDS:-mercury/ptx/records.txt}
table=$work/table.tsv
go build -o "$work/" ./mercury/ask ./mercury/maketable ./mercury/plains ./mercury/unknown
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
  within "$work/maketable" -parts "$work/parts" -links "${LINKS:-4000}" -o "$table"
  touch "$work/begun"
fi

# learn LEARNER LINKS: asks it about each tag of which a record is unknown, once.
learn() {
  local tag tags n=0
  if [[ $1 == calls ]]; then # those of textures and surfaces have rules for other SMs
    grep -E '^(013d|02(02|3[a-f]|40))' "$records" > "$work/left"
  else
    # What lies behind the parameters is elsewhere in each kernel: no rule can say it.
    "$work/unknown" -records "$records" -table "$table" | grep -v '^0222..06.\{16\}49' > "$work/left" || true
  fi
  if [[ -n ${ONLY:-} ]]; then
    tags=$(tr ',' '\n' <<< "$ONLY")
  else
    # What is left is that of the first call: what this learner finds doesn't change it.
    [[ -e $work/$1.left ]] || cp "$work/left" "$work/$1.left"
    cp "$work/$1.left" "$work/left"
    tags=$(cut -c1-8 "$work/left" | sort -u)
  fi
  for tag in $tags; do
    n=$((n + 1))
    [[ -e $work/$1/$tag.done && -z ${ONLY:-} ]] || {
      echo "mercury-table: $1 of $tag, $n of $(wc -l <<< "$tags"), $SECONDS s" >&2
      BFS=1 LINKS=$2 within "scripts/mercury-$1.py" "$tag" "$work/left" "$work/$1" || echo "mercury-table: $1 of $tag: status $?" >&2
      touch "$work/$1/$tag.done"
    }
  done
  scripts/mercury-join.py "$table" "$work/$1"
}
learn grid 3000
learn bits 8000
learn forms 2000
learn slots 8000
learn same 8000
learn fields 3000
learn calls 3000
within "$work/maketable" -verify 1 -drop -o "$table"
# shellcheck disable=SC2086
[[ -z ${CUBINS:-} ]] || within "$work/plains" -table "$table" -extend -drop $CUBINS
cp "$table" "${OUT:-mercury/table.tsv}"
[[ -n ${OUT:-} ]] || go run ./mercury/describe
