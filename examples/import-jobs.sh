#!/bin/sh
# Imports the jobs of a CSV file, after a preview.
#
#   sh examples/import-jobs.sh examples/jobs.csv
set -eu
url="${TAKT_URL:-http://127.0.0.1:8080}"
file="${1:?Usage: TAKT_KEY=... sh examples/import-jobs.sh FILE}"

upload() {
  curl --silent --show-error --fail-with-body -H "Authorization: Bearer $TAKT_KEY" -F "csvFile=@$file" "$url$1?type=mm"
  echo
}

# The preview reports the changes, or all errors of the file, and changes nothing.
upload /jobs/import/preview
# The import applies the whole file or nothing, and returns null.
upload /jobs/import
