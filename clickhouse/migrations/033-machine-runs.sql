-- Job runs as told, by machine and time, with columns of their own, as the annotations. Machine, start and start sequence of a run never
-- change. A run counts up to the start of the machine's next run, which is found in this order.
-- production_ms: when it was told to go to production.
CREATE TABLE IF NOT EXISTS machine_runs (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  start_sequence UInt32,
  id             String,
  run            UInt32,
  end_ms         Nullable(Int64),
  production_ms  Nullable(Int64),
  in_setup       UInt8,
  operation_id   String,
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, machine_id, start_ms, start_sequence, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS machine_runs_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS machine_runs_of_records TO machine_runs AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  toUInt32(JSONExtractUInt(json, 'startSequence')) AS start_sequence,
  id,
  ref AS run,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'productionAt'), 3, 'UTC')) AS production_ms,
  toUInt8(JSONExtractBool(json, 'startInSetup')) AS in_setup,
  JSONExtractString(json, 'jobOperationId') AS operation_id,
  deleted,
  command_offset
FROM machine_runs_in
WHERE kind = 'jobRun';

INSERT INTO machine_runs
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  toUInt32(JSONExtractUInt(json, 'startSequence')) AS start_sequence,
  id,
  ref AS run,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'productionAt'), 3, 'UTC')) AS production_ms,
  toUInt8(JSONExtractBool(json, 'startInSetup')) AS in_setup,
  JSONExtractString(json, 'jobOperationId') AS operation_id,
  deleted,
  command_offset
FROM records FINAL
WHERE kind = 'jobRun';
