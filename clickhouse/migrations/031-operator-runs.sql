-- Stays of operators by machine and time, with columns of their own, as the annotations. Machine and start of a stay never change.
CREATE TABLE IF NOT EXISTS operator_runs (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  id             String,
  end_ms         Nullable(Int64),
  operator_id    String,
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, machine_id, start_ms, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS operator_runs_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS operator_runs_of_records TO operator_runs AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  JSONExtractString(json, 'operatorId') AS operator_id,
  deleted,
  command_offset
FROM operator_runs_in
WHERE kind = 'operatorRun';

INSERT INTO operator_runs
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  JSONExtractString(json, 'operatorId') AS operator_id,
  deleted,
  command_offset
FROM records FINAL
WHERE kind = 'operatorRun';
