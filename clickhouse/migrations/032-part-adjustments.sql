-- Part adjustments by machine and time, with columns of their own, as the annotations: an adjustment that is moved leaves its
-- earlier place marked as deleted.
-- reject_behavior: as sent, '' for none; the type may override it.
CREATE TABLE IF NOT EXISTS part_adjustments (
  company         LowCardinality(String),
  machine_id      LowCardinality(String),
  start_ms        Int64,
  id              String,
  category        Nullable(Int64),
  parts           Int32,
  scrap           Int32,
  reject_behavior LowCardinality(String),
  message         String CODEC(ZSTD(1)),
  deleted         UInt8,
  command_offset  UInt64
) ENGINE = ReplacingMergeTree(command_offset)
ORDER BY (company, machine_id, start_ms, id)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS part_adjustments_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS part_adjustments_of_records TO part_adjustments AS
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'adjustmentTime'), 3, 'UTC')), 0) AS start_ms,
  id,
  JSONExtract(json, 'categoryId', 'Nullable(Int64)') AS category,
  toInt32(JSONExtractInt(json, 'count')) AS parts,
  toInt32(JSONExtractInt(json, 'scrapCount')) AS scrap,
  JSONExtractString(json, 'rejectBehavior') AS reject_behavior,
  JSONExtractString(json, 'message') AS message,
  deleted,
  command_offset
FROM part_adjustments_in
WHERE kind = 'partAdjustment';

INSERT INTO part_adjustments
SELECT
  company,
  JSONExtractString(json, 'machineId') AS machine_id,
  ifNull(toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'adjustmentTime'), 3, 'UTC')), 0) AS start_ms,
  id,
  JSONExtract(json, 'categoryId', 'Nullable(Int64)') AS category,
  toInt32(JSONExtractInt(json, 'count')) AS parts,
  toInt32(JSONExtractInt(json, 'scrapCount')) AS scrap,
  JSONExtractString(json, 'rejectBehavior') AS reject_behavior,
  JSONExtractString(json, 'message') AS message,
  deleted,
  command_offset
FROM records FINAL
WHERE kind = 'partAdjustment';
