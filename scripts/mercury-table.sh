#!/usr/bin/env bash
# Makes mercury/table.tsv from mercury/ptx with ptxas 13.0 and nvlink 13.5: first
# the forms of all PTX and records by mercury/maketable, then what the four smaller
# learners find at the records. Some hours of one core. ONLY=TAG,... adds what the
# smaller learners find of these tags to the table as it is, in minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$work/forms" "$work/bits" "$work/slots" "$work/same"
records=mercury/ptx/records.txt
go build -o "$work/ask" ./mercury/ask
if [[ -z ${ONLY:-} ]]; then
  go run ./mercury/maketable
fi
for tag in ${ONLY:-$(grep -v '^#' $records | cut -c1-8 | sort -u | tr '\n' ',')}; do
  for one in ${tag//,/ }; do
    ASK=$work/ask BFS=1 timeout 60 scripts/mercury-forms.py "$one" $records "$work/forms" || true
    ASK=$work/ask timeout 300 scripts/mercury-bits.py "$one" $records "$work/bits" || true
    ASK=$work/ask timeout 300 scripts/mercury-slots.py "$one" $records "$work/slots" || true
    ASK=$work/ask timeout 300 scripts/mercury-same.py "$one" $records "$work/same" || true
  done
done
scripts/mercury-join.py mercury/table.tsv "$work/forms" "$work/bits" "$work/slots" "$work/same"
go run ./mercury/describe
