-- Annotations by machine and time, with columns of their own: what GraphQL filters and sorts finds the rows of a machine or of a
-- range without a look at the others. A copy of the rows of `records`, made before they go in.
-- A change may move an annotation to another place of the order: the projection of records then marks its earlier place as deleted,
-- with the version of the change.
CREATE TABLE IF NOT EXISTS annotations (
  company        LowCardinality(String),
  machine_id     LowCardinality(String),
  start_ms       Int64,
  id             String,
  end_ms         Nullable(Int64),
  reason         Int32,
  note           String CODEC(ZSTD(1)),
  deleted        UInt8,
  command_offset UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, machine_id, start_ms, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS annotations_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS annotations_of_records TO annotations AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toInt32(JSONExtractInt(json, 'reasonId')) AS reason,
  JSONExtractString(json, 'note') AS note,
  deleted,
  command_offset
FROM annotations_in
WHERE kind = 'annotation';

INSERT INTO annotations
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'startAt'), 3, 'UTC')), 0) AS start_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endAt'), 3, 'UTC')) AS end_ms,
  toInt32(JSONExtractInt(json, 'reasonId')) AS reason,
  JSONExtractString(json, 'note') AS note,
  deleted,
  command_offset
FROM records FINAL
WHERE kind = 'annotation';
