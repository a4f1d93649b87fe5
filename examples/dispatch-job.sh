#!/bin/sh
# Starts a job run in setup, switches it to production, ends it and prints its parts, as an ERP system does.
#
#   sh examples/dispatch-job.sh ERP_MACHINE_ID RUN_ID
set -eu
url="${TAKT_URL:-http://127.0.0.1:8080}"
machine="${1:?Usage: TAKT_KEY=... sh examples/dispatch-job.sh ERP_MACHINE_ID RUN_ID}"
run="${2:?Usage: TAKT_KEY=... sh examples/dispatch-job.sh ERP_MACHINE_ID RUN_ID}"

post() {
  curl --silent --show-error --fail-with-body "$url$1" \
    -H "Authorization: Bearer $TAKT_KEY" -H 'Content-Type: application/json' -d "$2"
  echo
}

# Each call returns null. Repeating a call with the same run id has no further effect, so a retry is safe.
post /erp/jobdispatch/start '{"erpJobOperationRunId":"'"$run"'","erpMachineId":"'"$machine"'","jobName":"4711",
  "operationName":"OP10","partName":"Flange 80","quantityRequired":250,"idealPartTime":42000,"startInSetup":true}'
post /erp/jobdispatch/production '{"erpJobOperationRunId":"'"$run"'"}'
post /erp/jobdispatch/stop '{"erpJobOperationRunId":"'"$run"'"}'

curl --silent --show-error --fail-with-body "$url/erp/jobdispatch/$run" -H "Authorization: Bearer $TAKT_KEY"
echo
