-- Incidents by the clock of their opening, which never changes: lists, reports and starts find their ids here, and read
-- them from `records`. `settled_ms` NULL: the incident is unresolved, or its condition still holds.
CREATE TABLE IF NOT EXISTS incidents (
  company        LowCardinality(String),
  detected_ms    Int64,
  id             String,
  started_ms     Int64,
  ended_ms       Nullable(Int64),
  settled_ms     Nullable(Int64),
  state          LowCardinality(String),
  kind           LowCardinality(String),
  severity       LowCardinality(String),
  rule_id        String,
  subject_id     String,
  deleted        UInt8,
  command_offset UInt64,
  INDEX starts started_ms TYPE minmax GRANULARITY 1,
  INDEX ends ended_ms TYPE minmax GRANULARITY 1
) ENGINE = ReplacingMergeTree(command_offset)
PARTITION BY least(toYear(fromUnixTimestamp64Milli(detected_ms, 'UTC')), 2100)
ORDER BY (company, intDiv(detected_ms, 2592000000), detected_ms, id)
SETTINGS index_granularity = 512, fsync_after_insert = 1, fsync_part_directory = 1, old_parts_lifetime = 120;

CREATE TABLE IF NOT EXISTS incidents_in AS records ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS incidents_of_records TO incidents AS
SELECT
  company,
  toUnixTimestamp64Milli(parseDateTime64BestEffort(JSONExtractString(json, 'detectedAt'), 3, 'UTC')) AS detected_ms,
  id,
  toUnixTimestamp64Milli(parseDateTime64BestEffort(JSONExtractString(json, 'startedAt'), 3, 'UTC')) AS started_ms,
  toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull(JSONExtractString(json, 'endedAt'), 3, 'UTC')) AS ended_ms,
  multiIf(
    JSONExtractString(json, 'state') IN ('open', 'acknowledged'), NULL,
    ended_ms IS NOT NULL, greatest(ended_ms, detected_ms),
    JSONExtractString(json, 'state') = 'retracted', detected_ms,
    NULL) AS settled_ms,
  JSONExtractString(json, 'state') AS state,
  JSONExtractString(json, 'kind') AS kind,
  JSONExtractString(json, 'severity') AS severity,
  JSONExtractString(json, 'ruleId') AS rule_id,
  JSONExtractString(json, 'subject', 'id') AS subject_id,
  deleted,
  command_offset
FROM incidents_in;
